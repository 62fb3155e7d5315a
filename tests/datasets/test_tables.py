"""Tables, curves and activations, checked against what was written into the files."""

import io
import json

import hostile
import numpy as np
import pytest
from safetensors.numpy import save as save_safetensors

from core.datasets import InputError, LoadOptions, MissingValues, load

RNG = np.random.default_rng(7)
X = RNG.standard_normal((30, 4)).astype(np.float32)


def as_csv(x=X, head=("a", "b", "c", "d"), sep=",", point="."):
    rows = [sep.join(f"{v:.6f}".replace(".", point) for v in r) for r in x]
    return "\n".join(([sep.join(head)] if head else []) + rows).encode()


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.csv", as_csv()),
        ("a.tsv", as_csv(sep="\t")),
        ("a.csv", as_csv(sep=";")),
        ("a.csv", as_csv(sep="|")),
        ("a.csv", as_csv(sep=";", point=",")),
        ("a.csv", as_csv(sep="\t", point=",")),
        ("a.csv", b"\xef\xbb\xbf" + as_csv()),
        ("a.csv", as_csv().replace(b"\n", b"\r\n")),
        ("a.csv", as_csv().replace(b"\n", b"\r")),
        ("a.csv", b"# " + as_csv(sep="  ")),
        ("a.csv", as_csv().decode().encode("utf-16")),
        ("a.parquet", hostile.parquet({k: X[:, i] for i, k in enumerate("abcd")})),
    ],
)
def test_every_spelling_gives_the_same_table(name, data):
    made = load([(name, data)])
    assert made.kind == "table"
    assert made.features == ("a", "b", "c", "d")
    assert np.allclose(made.samples, X, atol=1e-6)


def test_without_a_header():
    made = load([("a.csv", as_csv(head=None))])
    assert made.features[0] == "column 1"
    assert made.samples.shape == X.shape
    assert load([("a.csv", as_csv(head=None))], options=LoadOptions(header="yes")).samples.shape == (29, 4)
    assert load([("a.txt", as_csv())], "table").samples.shape == X.shape


def test_arrays_of_every_type():
    big = np.asfortranarray(X.astype(">f8"))
    assert np.allclose(load([("a.npy", hostile.npy(big))]).samples, X)
    out = io.BytesIO()
    np.savez_compressed(
        out,
        X=X,
        other=np.arange(3),
        y=np.arange(30) % 3,
        names=np.array([f"s{i}" for i in range(30)]),
        feature_names=np.array(list("pqrs")),
    )
    made = load([("a.npz", out.getvalue())])
    assert np.array_equal(made.samples, X)
    assert made.labels.tolist() == (np.arange(30) % 3).tolist()
    assert made.names[4] == "s4"
    assert made.features == ("p", "q", "r", "s")
    assert any("other" in n for n in made.notes)
    with pytest.raises(InputError, match="no matrix of numbers called q"):
        load([("a.npz", out.getvalue())], options=LoadOptions(array="q"))


def test_safetensors_with_names_in_its_metadata():
    names = json.dumps([f"token {i}" for i in range(30)])
    data = save_safetensors({"hidden": X, "labels": np.arange(30) % 2}, metadata={"names": names})
    made = load([("a.safetensors", data)], "activations")
    assert np.array_equal(made.samples, X)
    assert made.kind == "activations"
    assert made.names[3] == "token 3"
    assert made.labels.tolist() == (np.arange(30) % 2).tolist()


def test_bfloat16():
    import torch
    from safetensors.torch import save

    tensor = torch.tensor(X).to(torch.bfloat16)
    made = load([("a.safetensors", save({"x": tensor}))], "activations")
    assert np.array_equal(made.samples, tensor.float().numpy())


def test_labels_names_and_groups():
    lines = ["id,x,species,y,site,remark"]
    lines += [f"plant {i},{i},{'ab'[i % 2]},{i * i},{'pqr'[i % 3]},free words {i % 7}" for i in range(40)]
    made = load([("a.csv", "\n".join(lines).encode())])
    assert made.features == ("x", "y")
    assert made.labels.tolist() == ["a", "b"] * 20
    assert made.names[3] == "plant 3"
    assert made.extra["column site"].tolist() == [("p", "q", "r")[i % 3] for i in range(40)]
    other = load([("a.csv", "\n".join(lines).encode())], options=LoadOptions(label_column="site", name_column="-"))
    assert other.labels[:3].tolist() == ["p", "q", "r"]
    assert other.names[0] == "0"  # rows without a name are counted as NumPy counts them
    none = load([("a.csv", "\n".join(lines).encode())], options=LoadOptions(label_column="-"))
    assert none.labels is None
    with pytest.raises(InputError, match="no column nowhere"):
        load([("a.csv", "\n".join(lines).encode())], options=LoadOptions(label_column="nowhere"))


def test_columns_that_are_left_out_are_named():
    lines = ["x,y,remark"] + [f"{i},{i * i},w{i % 15} {'' if i else 'first'}" for i in range(20)]
    lines[2] = lines[2].rsplit(",", 1)[0] + ",w0 first"
    made = load([("a.csv", "\n".join(lines).encode())], options=LoadOptions(name_column="-"))
    assert any("remark" in n for n in made.notes)
    assert made.features == ("x", "y")


def test_whole_number_labels_and_row_numbers():
    lines = ["index,label,p1,p2"] + [f"{i},{i % 3},{i * 0.5},{(i * 7) % 5}" for i in range(30)]
    made = load([("a.csv", "\n".join(lines).encode())])
    assert made.labels.tolist() == [i % 3 for i in range(30)]
    assert made.features == ("p1", "p2")
    assert made.names[:2] == ("0", "1")


def gappy():
    x = X.astype(object).copy()
    x[2, 1], x[5, 1], x[5, 3] = "", "nan", "inf"
    return "\n".join(["a,b,c,d"] + [",".join(map(str, r)) for r in x]).encode()


def test_gaps_are_counted_and_offered():
    with pytest.raises(MissingValues) as caught:
        load([("a.csv", gappy())])
    assert (caught.value.values, caught.value.rows, caught.value.columns) == (3, 2, 2)
    dropped = load([("a.csv", gappy())], options=LoadOptions(missing="drop rows"))
    assert np.allclose(dropped.samples, np.delete(X, [2, 5], axis=0), atol=1e-6)
    rest = np.delete(X[:, 1], [2, 5])
    for how, middle in (("fill mean", rest.mean()), ("fill median", np.median(rest))):
        filled = load([("a.csv", gappy())], options=LoadOptions(missing=how))
        assert filled.samples[2, 1] == pytest.approx(middle, abs=1e-5)
        assert any("Filled 3 values" in n for n in filled.notes)


def test_the_counts_survive_another_process():
    import pickle

    error = pickle.loads(pickle.dumps(MissingValues("Gaps.", 3, 2, 1)))  # as Dask sends it back
    assert (str(error), error.values, error.rows, error.columns) == ("Gaps.", 3, 2, 1)


def test_curves_keep_their_axis():
    waves = np.arange(850, 870, 2.0)
    x = RNG.random((5, 10))
    made = load([("nir.csv", as_csv(x, [f"{w:g}" for w in waves]))], "curves")
    assert made.kind == "curves"
    assert made.features == tuple(f"{w:g}" for w in waves)
    assert np.allclose(made.samples, x, atol=1e-6)
    assert load([("nir.npy", hostile.npy(x))], "curves").axis == "point"


def test_types_that_change_late_in_a_file():
    lines = ["a,b"] + [f"{i},{i % 7}" for i in range(3000)] + ["oops,3"] + [f"{i}.5,1" for i in range(10)]
    with pytest.raises(MissingValues) as caught:
        load([("a.csv", "\n".join(lines).encode())])
    assert caught.value.values == 1


def test_many_rows_and_columns():
    x = RNG.standard_normal((400, 300)).astype(np.float32)
    made = load([("a.csv", as_csv(x, head=None))])
    assert np.allclose(made.samples, x, atol=1e-6)


def test_very_large_numbers_are_scaled_and_finite_when_squared():
    lines = ["a,b"] + [f"{10**40 + i * 10**39},{i}" for i in range(10)]
    made = load([("a.csv", "\n".join(lines).encode())])
    assert np.isfinite(made.samples**2).all()
    assert made.samples[1, 0] / made.samples[0, 0] == pytest.approx(1.1)


def test_gaps_among_numbers_at_the_end_of_the_scale():
    data = b"a,b\n1e308,1\n1.2e308,2\n,3\n1.4e308,5\n"
    made = load([("a.csv", data)], options=LoadOptions(missing="fill mean"))
    assert made.samples[:, 0].tolist() == pytest.approx([1, 1.2, 1.2, 1.4])


def test_an_office_sheet_saved_with_quotes_and_line_breaks():
    data = b'"n","v","w"\r\n"one\r\nline",1,2\r\n"two, or so",3,5\r\n"three ""3""",4,4\r\n'
    made = load([("a.csv", data)])
    assert made.features == ("v", "w")
    assert made.names == ("one line", "two, or so", 'three "3"')


def test_importing_the_package_is_light():
    import subprocess
    import sys

    heavy = ("pandas", "pyarrow", "scipy", "sklearn", "skimage", "soundfile", "PIL", "torch")
    code = f"import sys, core.datasets; print([m for m in {heavy} if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"


def test_tables_as_spreadsheets_and_loggers_write_them():
    rows = "".join(f"{i + 1:02d}.05.2024;{i},0;1.{100 + i},5;{i} %;{i + 1}.002,50 €\r\n" for i in range(20))
    excel = f"sep=;\r\nday;x;pressure;share;price\r\n{rows}".encode("cp1252")
    made = load([("a.csv", excel)])
    assert made.features == ("x", "pressure", "share", "price")
    assert made.samples[4].tolist() == [4.0, 1104.5, 4.0, 5002.5]
    logger = b"# station 5\n# version, 2\ntime,x,y\n" + b"".join(b"%d:00,%d,%d\n" % (i, i, i * i) for i in range(9))
    made = load([("a.csv", logger)])
    assert made.features == ("x", "y")
    assert made.names[3] == "3:00"
    quoted = "a,b\n" + "".join(f'"{i},5","{i % 4},25"\n' for i in range(12))
    assert load([("a.csv", quoted.encode())]).samples[3].tolist() == [3.5, 3.25]
    grouped = "firm,a,b\n" + "".join(f'firm {i},"{i + 1},250",${i}.5\n' for i in range(12))
    assert load([("a.csv", grouped.encode())]).samples[3].tolist() == [4250.0, 3.5]


def test_a_word_among_numbers_with_a_decimal_comma_is_a_gap_and_not_the_end_of_the_column():
    rows = "a;b\n" + "".join(f"{i},5;{'broken' if i == 3 else f'{i},25'}\n" for i in range(12))
    with pytest.raises(MissingValues, match="1 cell with words"):
        load([("a.csv", rows.encode())])


def test_lists_in_a_parquet_file_become_columns():
    import pyarrow as pa
    import pyarrow.parquet as pq

    def parquet(**columns):
        out = io.BytesIO()
        pq.write_table(pa.table(columns), out)
        return out.getvalue()

    lists, label = [list(map(float, r)) for r in X], ["u", "v"] * 15
    for column in (pa.array(lists), pa.FixedSizeListArray.from_arrays(pa.array(X.ravel()), 4)):
        made = load([("a.parquet", parquet(embedding=column, label=label))])
        assert np.allclose(made.samples, X)
        assert made.features == tuple(f"embedding {i + 1}" for i in range(4))
        assert made.labels[1] == "v"
    with pytest.raises(InputError, match="no column of numbers"):
        load([("a.parquet", parquet(a=[[1.0], [1.0, 2.0]]))])


@pytest.mark.parametrize("missing", ["refuse", "drop rows", "fill mean"])
def test_where_no_number_is_finite_nothing_is_offered(missing):
    out = io.BytesIO()
    np.save(out, np.full((4, 3), np.nan))
    with pytest.raises(InputError, match="no number in it that is finite") as caught:
        load([("x.npy", out.getvalue())], "table", LoadOptions(missing=missing))
    assert not isinstance(caught.value, MissingValues)
