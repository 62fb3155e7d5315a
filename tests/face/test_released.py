"""The full sizes: names and shapes of the released files, and the numbers they give under weights drawn by a rule."""

import numpy as np
import pytest
import torch

from core.face.network import EDTALK, LIA, FaceNetwork, SpeechNetwork, load_checkpoint
from core.face.network.checkpoints import NETWORKS
from tests.face.weight_rule import DATA, checkpoint, pictures, tensors


def apart(ours, theirs):
    """Difference over size: random weights make rough maps, where rounding moves single pixels by more."""
    ours, theirs = torch.as_tensor(ours).double(), torch.as_tensor(theirs).double()
    assert ours.shape == theirs.shape
    return float(torch.linalg.vector_norm(ours - theirs) / torch.linalg.vector_norm(theirs))


def statistics(picture):
    return [picture.mean().item(), picture.std().item()]


def drawn(kind, name):
    with torch.device("meta"):
        network = kind()
    network.load_state_dict(checkpoint(name), assign=True)
    return network


@pytest.mark.parametrize("name", NETWORKS)
def test_names_shapes_and_formats_are_the_released_ones(name):
    with torch.device("meta"):
        network = NETWORKS[name]()
    ours = [(n, tuple(t.shape), str(t.dtype).removeprefix("torch.")) for n, t in network.state_dict().items()]
    assert ours == [entry[:3] for entry in tensors(name)]
    assert [n for n, _ in network.named_parameters()] == [entry[0] for entry in tensors(name) if entry[3]]


def test_mouth_and_pose_from_a_file(tmp_path):
    known = np.load(DATA / "edtalk_mouth_pose.npz", allow_pickle=False)
    torch.save({"gen": checkpoint("EDTalk (mouth and pose)")}, tmp_path / "EDTalk_lip_pose.pt")
    found = load_checkpoint(tmp_path / "EDTalk_lip_pose.pt", device="cpu")
    assert found.name == "EDTalk (mouth and pose)"
    network, picture = found.network, pictures(3)
    source, drivers = network.encode(picture[:1]), network.encode(picture[1:])
    assert apart(source.h, known["wa"]) < 1e-5
    assert apart(drivers.h, np.concatenate([known["h_lip"], known["h_pose"]])) < 1e-5
    for side, (found_map, stored) in enumerate(
        ((source.maps[0][:, ::8], known["feat0"]), (source.maps[1][:, ::32], known["feat1"]))
    ):
        assert found_map.shape[-1] == 8 * 2**side
        assert (found_map.half().float() - torch.tensor(stored).float()).abs().max() < 2e-3  # stored in half precision
    directions = network.bank.directions().detach()
    assert apart(directions.T, known["Q"]) < 1e-5
    assert (directions @ directions.T - torch.eye(26)).abs().max() < 1e-5
    own = network.split(drivers.codes)
    mouth, pose = own["mouth"][:1], own["pose"][1:]
    assert apart(mouth, known["alpha_lip"]) < 1e-4 and apart(pose, known["alpha_pose"]) < 1e-4
    codes = network.mix(source.codes, {"mouth": mouth, "pose": pose})
    assert apart(network.vector(source, codes)[0] - source.h, known["dir_total"]) < 1e-4
    ours = network.draw(source, codes).picture
    assert apart(ours[:, :, ::2, ::2], known["out"]) < 1e-4
    a, b = network.code_matrix()
    assert apart(drivers.h @ a.T + b, drivers.codes) < 1e-5


def test_all_three_banks():
    network, picture = drawn(lambda: FaceNetwork(EDTALK), "EDTalk"), pictures(4)
    source, drivers = network.encode(picture[:1]), network.encode(picture[1:])
    own = network.split(drivers.codes)
    codes = torch.cat([own["mouth"][:1], own["pose"][1:2], own["expression"][2:]], dim=1)
    # Mean and standard deviation of the picture that the published code draws with these weights
    drawn_picture = network.draw(source, codes).picture
    assert np.allclose(statistics(drawn_picture), [0.673882246, 0.710859597], rtol=1e-4)
    without = network.draw(source, codes, expression=False).picture
    assert abs(without.mean() - drawn_picture.mean()) > 0.1


def test_lia_moves_the_source_relatively():
    network, picture = drawn(LIA, "LIA"), pictures(3)
    source, target, start = (network.encode(picture[i : i + 1]) for i in range(3))
    ours = network.draw(source, network.transfer(source, target.codes, start.codes)).picture
    assert np.allclose(statistics(ours), [0.802857161, 0.517604232], rtol=1e-5)


def test_speech():
    torch.manual_seed(0)
    network = SpeechNetwork(device="cpu")
    ours = network(torch.randn(5, 1, 80, 16, generator=torch.Generator().manual_seed(0)))
    assert np.allclose([*statistics(ours), ours.abs().max()], [-0.001169679, 0.012912403, 0.027330123], atol=1e-7)
