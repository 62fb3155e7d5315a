"""Checkpoints from outside: which network it is shows in the names; everything else is one sentence."""

import argparse
import io
import pickle
import warnings
import zipfile

import numpy as np
import pytest
import torch
from safetensors.torch import save as save_safetensors

from core.errors import InputError
from core.face.network import SpeechNetwork, load_checkpoint
from core.face.network.checkpoints import NETWORKS, _likeness, shapes


def packed(content, **how):
    file = io.BytesIO()
    torch.save(content, file, **how)
    return file.getvalue()


@pytest.fixture(scope="module")
def speech():
    torch.manual_seed(0)
    return SpeechNetwork(device="cpu")


@pytest.fixture
def state(speech):
    return dict(speech.state_dict())


def same(found, speech):
    windows = torch.randn(2, 1, 80, 16)
    return found.name == "Audio2Lip" and torch.equal(found.network(windows), speech(windows))


def test_what_is_accepted(speech, state, tmp_path):
    options = argparse.Namespace(lr=1e-4, name="run")
    (tmp_path / "a.pt").write_bytes(packed({"audio2lip": state}))
    more = {"audio2lip": state, "optimizer": {"state": {0: {"step": torch.ones(1)}}}, "args": options, "step": 7}
    for given in (
        packed({"audio2lip": state}),
        packed(state),
        packed(more),
        packed({"audio2lip": {f"module.{n}": t for n, t in state.items()}}),  # saved from a parallel training
        save_safetensors(state),
        tmp_path / "a.pt",
        str(tmp_path / "a.pt"),
    ):
        assert same(load_checkpoint(given, device="cpu"), speech)
    halved = {n: t.half() if t.is_floating_point() else t for n, t in state.items()}
    found = load_checkpoint(packed({"audio2lip": halved}), device="cpu").network
    assert {t.dtype for t in found.parameters()} == {torch.float32}
    assert torch.equal(found.mapping.weight, halved["mapping.weight"].float())
    assert not found.training and all(p.requires_grad for p in found.parameters())


def test_the_names_tell_networks_apart():
    for name in NETWORKS:
        group = dict.fromkeys(shapes(name))
        assert max(NETWORKS, key=lambda other: _likeness(other, group)) == name


class Harmful:
    def __reduce__(self):
        return (eval, ("1 + 1",))


def refused(given):
    with warnings.catch_warnings(), pytest.raises(InputError) as caught:
        warnings.simplefilter("ignore")
        load_checkpoint(given, device="cpu")
    sentence = str(caught.value)
    assert sentence.endswith(".") and "\n" not in sentence and len(sentence) < 260
    return sentence


def test_files_that_are_no_checkpoint(tmp_path):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as z:
        z.writestr("readme.txt", "hello")
    for given in (
        b"",
        b"PK",
        b"hello",
        np.random.default_rng(0).bytes(5000),
        archive.getvalue(),
        packed({"a": torch.ones(3)})[:300],
        pickle.dumps({"gen": 1}),
        packed({"gen": {"a": torch.ones(2)}}, _use_new_zipfile_serialization=False),
    ):
        assert "is not a checkpoint" in refused(given)
    assert "cannot be read" in refused(tmp_path / "none.pt")
    assert "cannot be read" in refused(tmp_path)


def test_code_is_never_run():
    assert "more than tensors" in refused(packed({"gen": Harmful()}))
    assert "more than tensors" in refused(packed(torch.nn.Linear(2, 2)))


def test_another_network(state):
    assert "another network" in refused(packed(torch.nn.Linear(2, 2).state_dict()))
    assert "another network" in refused(packed({"gen": {}, "step": 3}))
    assert "another network" in refused(packed([torch.ones(2)]))
    assert "another network" in refused(packed(torch.ones(2)))
    assert "another network" in refused(save_safetensors({"conv.weight": torch.ones(1)}))


def test_parts_that_lack_or_do_not_fit(state):
    few = {n: t for n, t in state.items() if not n.startswith("mapping")}
    assert "lacks 2 of its tensors (mapping.weight, mapping.bias)" in refused(packed({"audio2lip": few}))
    assert "1 tensor that Audio2Lip does not have (head.weight)" in refused(
        packed(state | {"head.weight": torch.ones(1)})
    )
    other = state | {"mapping.weight": torch.ones(10, 512)}
    assert "10 x 512" in refused(packed(other)) and "20 x 512" in refused(packed(other))
    assert "not finite" in refused(packed(state | {"mapping.bias": torch.full((20,), torch.nan)}))
    assert "plain numbers" in refused(packed(state | {"mapping.weight": torch.ones(20, 512).to_sparse()}))
    small = torch.zeros(1).expand(10**7, 512)  # one number that claims to be twenty gigabytes
    assert "10000000 x 512" in refused(packed(state | {"mapping.weight": small}))


def test_a_bomb_is_not_unpacked(monkeypatch, state):
    monkeypatch.setattr("core.face.network.checkpoints.MOST_BYTES", 20_000_000)
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as z:
        z.writestr("archive/data/0", bytes(30_000_000))
    assert len(bomb.getvalue()) < 100_000 and "2 GB" in refused(bomb.getvalue())
    assert load_checkpoint(packed(state), device="cpu").name == "Audio2Lip"
    assert "2 GB" in refused(bytes(20_000_001))
