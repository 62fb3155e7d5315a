"""Control-vector files, out and in."""

import numpy as np
import pytest
from gguf import GGUFReader, GGUFWriter

from core.errors import InputError
from core.steering.steer import Steer
from core.steering.vectors import from_gguf, mixed, to_gguf
from tests.steering.conftest import make_tiny


@pytest.fixture
def vectors():
    rng = np.random.default_rng(0)
    return {1: rng.normal(size=48).astype(np.float32), 3: rng.normal(size=48).astype(np.float32) * 1e-3}


def test_vectors_come_back_to_the_last_bit(tiny, vectors):
    again = from_gguf(to_gguf(vectors, tiny), tiny)
    assert sorted(again) == [1, 3]
    for block, vector in vectors.items():
        np.testing.assert_array_equal(again[block], vector)


def test_the_file_has_the_form_that_others_read(tiny, vectors, tmp_path):
    path = tmp_path / "v.gguf"
    path.write_bytes(to_gguf(vectors, tiny))
    reader = GGUFReader(path)
    assert reader.get_field("general.architecture").contents() == "controlvector"
    assert reader.get_field("controlvector.model_hint").contents() == "llama"
    assert reader.get_field("controlvector.layer_count").contents() == 2
    assert [(t.name, list(t.shape), t.tensor_type.name) for t in reader.tensors] == [
        ("direction.1", [48], "F32"),
        ("direction.3", [48], "F32"),
    ]


def test_a_mix_of_sliders_is_one_vector_a_block():
    a, b = np.eye(48)[0], np.eye(48)[1]
    found = mixed([Steer(2, [(a, 2.0), (b, -1.0)]), Steer(2, [(a, 1.0)]), Steer(1, [(b, 0.0)])])
    assert sorted(found) == [2]
    np.testing.assert_allclose(found[2], 3 * a - b)
    with pytest.raises(InputError, match="set the method to add"):
        mixed(Steer(2, [(a, 2.0)], "ablate"))


def _file(tmp_path, architecture="controlvector", tensors=None, hint=None):
    path = tmp_path / "made.gguf"
    writer = GGUFWriter(path, architecture)
    if hint:
        writer.add_string("controlvector.model_hint", hint)
    for name, tensor in (tensors or {"direction.1": np.zeros(48, np.float32)}).items():
        writer.add_tensor(name, tensor)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path.read_bytes()


def test_files_for_other_models_and_other_files_are_refused_in_one_sentence(tiny, tmp_path, vectors):
    one = np.ones(48, np.float32)
    for content, says in [
        (b"PK\x03\x04 not one", "no GGUF file"),
        (_file(tmp_path, "llama"), "'llama'.*not a control vector"),
        (_file(tmp_path, hint="mistral"), "'mistral'.*'llama'"),
        (_file(tmp_path, tensors={"direction.1": one[:9]}), "width 9.*48"),
        (_file(tmp_path, tensors={"direction.7": one}), "blocks 0 to 3, not 7"),
        (_file(tmp_path, tensors={"weights": one}), "'weights'"),
        (_file(tmp_path, tensors={"direction.1": one.astype(np.float16)}), "float32"),
        (_file(tmp_path, tensors={"direction.1": one * np.nan}), "not finite"),
        (to_gguf(vectors, tiny)[:150], "damaged or cut short"),
    ]:
        with pytest.raises(InputError, match=says) as error:
            from_gguf(content, tiny)
        assert str(error.value).count("\n") == 0
    with pytest.raises(InputError, match="nothing to write"):
        to_gguf({}, tiny)


def test_bytes_changed_at_random_give_a_vector_or_one_sentence(tiny, vectors):
    whole, rng = to_gguf(vectors, tiny), np.random.default_rng(1)
    for _ in range(150):
        content = bytearray(whole)
        for at in rng.integers(0, 300, 3):
            content[at] = rng.integers(256)
        try:
            from_gguf(bytes(content), tiny)
        except InputError:
            continue


def test_a_model_of_another_family_name_is_what_the_hint_is_checked_against(vectors):
    from core.steering.language_model import LanguageModel

    other = LanguageModel(*make_tiny(blocks=2), name="small")
    with pytest.raises(InputError, match="blocks 0 to 1, not 3"):
        to_gguf(vectors, other)
