"""The commands of the terminal, by their output, exit codes and files."""

import io
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request

import numpy as np
import psutil
import pytest

from core.datasets import load, sample
from core.datasets.preparation import ImagesPreparation, TablePreparation, TextPreparation, prepare
from core.directions.pca import PCA
from core.models import families
from core.store import list_models
from core.store import load as load_model
from core.terminal import fit as fit_command
from core.terminal import serve
from core.terminal.cli import main
from core.terminal.options import settings_of

ROOT = os.getcwd()


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(30, 4)) * [1, 10, 0.1, 5] + [0, 100, 3, -2]
    path = tmp_path / "data.csv"
    path.write_text("a,b,c,d\n" + "\n".join(",".join(f"{v:.6f}" for v in row) for row in rows) + "\n")
    return path


def _csv(text):
    return np.loadtxt(io.StringIO(text), delimiter=",", skiprows=1, ndmin=2).astype(np.float32)


def _run(capsys, *words):
    code = main([str(w) for w in words])
    return code, *capsys.readouterr()


def test_fit_and_encode_give_what_the_core_gives_to_the_last_digit(capsys, table, tmp_path):
    out = tmp_path / "model"
    code, said, _ = _run(capsys, "fit", "directions.pca", table, "--k", 3, "--seed", 2, "--out", out, "--json")
    outcome = json.loads(said)
    assert code == 0 and outcome["state"] == "done" and outcome["sizes"] == {"directions": [3, 4]}
    assert outcome["settings"]["k"] == 3 and outcome["seed"] == 2
    data = prepare(load([("data.csv", table.read_bytes())]), TablePreparation())
    wanted = PCA(k=3).fit(data, seed=2)
    code, said, _ = _run(capsys, "encode", out, table)
    assert code == 0 and said.startswith("direction 1,direction 2,direction 3\n")
    np.testing.assert_array_equal(_csv(said), wanted.encode(data.samples))
    (tmp_path / "codes.csv").write_text(said)
    code, said, _ = _run(capsys, "decode", out, tmp_path / "codes.csv")
    again = _csv(said)
    assert said.startswith("a,b,c,d\n")
    centred = again - data.extra["mean"]  # back in the units of the file
    np.testing.assert_allclose(centred / data.extra["deviation"], wanted.decode(wanted.encode(data.samples)), atol=2e-4)
    _, said, _ = _run(capsys, "encode", out, table, "--json")
    np.testing.assert_array_equal(np.float32(json.loads(said)["codes"]), wanted.encode(data.samples))
    _run(capsys, "encode", out, table, "--out", tmp_path / "codes.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "codes.npy"), wanted.encode(data.samples))
    _run(capsys, "encode", out, table, "--out", tmp_path / "codes.json")
    assert json.loads((tmp_path / "codes.json").read_text()) == json.loads(said)
    code, _, error = _run(capsys, "encode", out, table, "--out", tmp_path / "codes.npz")
    assert code == 2 and ".npz" in error and not (tmp_path / "codes.npz").exists()


def test_new_samples_are_prepared_as_those_of_the_fit(capsys, table, tmp_path):
    out = tmp_path / "model"
    _run(capsys, "fit", "directions.pca", table, "--k", "2", "--out", out)
    _, whole, _ = _run(capsys, "encode", out, table)
    lines = table.read_text().splitlines()
    (tmp_path / "few.csv").write_text("\n".join(lines[:4]) + "\n")
    _, few, _ = _run(capsys, "encode", out, tmp_path / "few.csv")
    np.testing.assert_allclose(_csv(few), _csv(whole)[:3], rtol=1e-5, atol=1e-5)
    _, text, _ = _run(capsys, "fit", "directions.pca", table, "--k", 2, "--prepare", "standardise=no", "--json")
    assert load_model(json.loads(text)["model"])[1].more["preparation"] == {"standardise": False}


def test_images_and_texts(capsys, tmp_path):
    digits = prepare(sample("digits"), ImagesPreparation())
    _run(capsys, "fit", "directions.pca", "--sample", "digits", "--k", 5, "--out", tmp_path / "d", "--name", "Digits")
    _, said, _ = _run(capsys, "encode", tmp_path / "d", "--sample", "digits")
    np.testing.assert_array_equal(_csv(said), PCA(k=5).fit(digits).encode(digits.samples))
    card = load_model(tmp_path / "d")[1]
    assert card.name == "Digits" and card.more["data"] == "sample:digits"
    words = ["river", "stone", "cloud", "forest", "engine", "piano", "letter", "garden", "window", "copper"]
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(words, 6)) + "." for _ in range(40)]
    (tmp_path / "t.txt").write_text("\n".join(texts) + "\n")
    code, _, error = _run(
        capsys, "fit", "directions.pca", tmp_path / "t.txt", "--kind", "text", "--load", "split=lines", "--k", "3",
        "--prepare", "words=10", "--out", tmp_path / "t",
    )  # fmt: skip
    assert code == 0, error
    raw = load([("t.txt", (tmp_path / "t.txt").read_bytes())], "text")
    (tmp_path / "new.txt").write_text("\n".join(texts[:5]) + "\n")
    _, said, _ = _run(capsys, "encode", tmp_path / "t", tmp_path / "new.txt", "--kind", "text", "--load", "split=lines")
    if len(raw) == 40:
        data = prepare(raw, TextPreparation(words=10))
        np.testing.assert_allclose(_csv(said), PCA(k=3).fit(data).encode(data.samples)[:5], atol=1e-5)
    assert _csv(said).shape == (5, 3)


@pytest.mark.parametrize(
    "words",
    [
        ("fit", "directions.nothing", "--sample", "digits"),
        ("fit", "directions.pca"),
        ("fit", "directions.pca", "x.csv", "--sample", "digits"),
        ("fit", "directions.pca", "missing.csv"),
        ("fit", "directions.pca", "--sample", "digits", "--k", "5000"),
        ("fit", "directions.pca", "--sample", "digits", "--prepare", "side"),
        ("fit", "directions.pca", "--sample", "digits", "--prepare", "side=wide"),
        ("fit", "directions.pca", "--sample", "digits", "--device", "cuda:77"),
        ("encode", "nowhere", "--sample", "digits"),
        ("decode", "nowhere", "x.csv"),
        ("runs", "resume", "x"),
        ("runs", "remove", ".."),
        ("models", "export", "shared/none", "x.zip"),
        ("models", "import", "missing.zip"),
        ("serve", "--host", "0.0.0.0"),
    ],
)
def test_what_cannot_be_used_is_one_sentence_and_exit_code_2(capsys, words):
    code, said, error = _run(capsys, *words)
    assert code == 2 and said == "" and len(error.splitlines()) == 1 and error.endswith(".\n")


@pytest.mark.parametrize("words", [(), ("dance",), ("fit", "directions.pca", "--colour", "red"), ("encode",)])
def test_words_that_are_no_command_are_refused_with_the_usage(capsys, words):
    with pytest.raises(SystemExit) as ended:
        main(list(words))
    assert ended.value.code == 2 and "usage:" in capsys.readouterr().err


def test_every_setting_of_every_family_is_an_option(capsys):
    for name, cls in families().items():
        parser = fit_command._parser(cls)
        assert settings_of(parser.parse_args([])) == {}
        words = []
        for setting, value in cls.Settings().as_dict().items():
            flag = f"--{setting.replace('_', '-')}"
            words += [flag if value else f"--no-{flag[2:]}"] if isinstance(value, bool) else [f"{flag}={value}"]
        assert cls.Settings.of(settings_of(parser.parse_args(words))) == cls.Settings(), name
    assert _run(capsys, "fit", "--help")[0] == 0


def test_lists_export_and_import(capsys, table, tmp_path):
    _, said, _ = _run(capsys, "fit", "directions.pca", table, "--k", "2", "--share", "--json")
    outcome = json.loads(said)
    (run,) = json.loads(_run(capsys, "runs", "--json")[1])
    assert (run["id"], run["state"], run["kept"]) == (outcome["run"], "done", True)
    assert outcome["run"] in _run(capsys, "runs")[1]
    ids = {m["id"] for m in json.loads(_run(capsys, "models", "--json")[1])}
    assert outcome["library"] in ids and outcome["library"] in _run(capsys, "models")[1]
    assert _run(capsys, "models", "export", outcome["library"], tmp_path / "m.zip")[0] == 0
    assert _run(capsys, "models", "--key", "k" * 20, "import", tmp_path / "m.zip")[0] == 0
    assert [e.card.sizes for e in list_models("k" * 20) if e.place == "own"] == [{"directions": [2, 4]}]
    assert _run(capsys, "encode", tmp_path / "m.zip", table)[0] == 0
    assert _run(capsys, "runs", "remove", run["id"])[0] == 0 and json.loads(_run(capsys, "runs", "--json")[1]) == []


def test_an_interrupted_training_is_kept_and_goes_on(capsys, table, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(f"{ROOT}/tests/runs")
    import paced

    settings = ["--steps", "120", "--pause", "0.05", "--k", "2"]
    script = f"import sys; sys.path[:0] = [{ROOT!r}, {ROOT + '/tests/runs'!r}]; import paced; "
    script += "from core.terminal.cli import main; sys.exit(main(sys.argv[1:]))"
    words = [sys.executable, "-c", script, "fit", "tests.paced", str(table), *settings, "--json"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    runs = lambda: json.loads(_run(capsys, "runs", "--json")[1])  # noqa: E731
    while process.poll() is None and not any(r["step"] > 3 for r in runs()):
        time.sleep(0.2)
    assert runs()[0]["state"] == "running"
    assert _run(capsys, "runs", "remove", runs()[0]["id"])[0] == 2
    process.send_signal(signal.SIGINT)
    said, error = process.communicate(timeout=30)
    outcome = json.loads(said)
    assert process.returncode == 130 and outcome["state"] == "stopped" and outcome["step"] < 120
    assert f"runs resume {outcome['run']}" in error
    assert load_model(outcome["model"])[1].family == "tests.paced"
    code, said, _ = _run(capsys, "runs", "resume", outcome["run"], "--out", tmp_path / "m")
    assert code == 0
    data = prepare(load([("data.csv", table.read_bytes())]), TablePreparation())
    wanted = paced.Paced(steps=120, k=2).fit(data, seed=0)
    for name, array in load_model(tmp_path / "m")[0].arrays().items():
        np.testing.assert_array_equal(array, wanted.arrays()[name])


@pytest.mark.slow
def test_serve_starts_the_app_prints_its_address_and_leaves_nothing(tmp_path):
    process = subprocess.Popen([sys.executable, "-m", "core", "serve"], stdout=subprocess.PIPE, text=True)
    try:
        line = next(line for line in process.stdout if line.startswith("Basis Explorer is at "))
        address = line.split()[-1]
        assert urllib.request.urlopen(f"{address}/_stcore/health", timeout=10).status == 200
        connections = [c for c in psutil.Process(process.pid).net_connections() if c.status == psutil.CONN_LISTEN]
        assert connections and all(c.laddr.ip == "127.0.0.1" for c in connections)
        process.stdout.close()  # as `| head` does: what nobody reads must not keep the server from ending
        process.terminate()
        assert process.wait(20) == 0
    finally:
        process.kill()


def test_serve_takes_the_first_free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(serve.InputError, match=str(port)):
            serve._port("127.0.0.1", port)
    assert serve._port("127.0.0.1", None) >= serve.FIRST_PORT
    assert [serve._only_here(h) for h in ("localhost", "127.0.0.1", "::1", "0.0.0.0", "my.host")] == [True] * 3 + [
        False
    ] * 2
