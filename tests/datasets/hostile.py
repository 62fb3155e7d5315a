"""Broken and hostile uploads, made here: the loaders' tests and the page's tests use the same ones.

`HOSTILE[name]` is a function that gives `(files, kind, expected)`: `expected` is `error` when the loader must refuse,
or `note` when it must cope and say so.
"""

import io
import json
import struct
import zipfile
import zlib
from functools import cache

import numpy as np

HOSTILE = {}


def _case(expected, kind=None):
    def wrap(make):
        name = make.__name__.strip("_").replace("_", " ")

        @cache
        def built():
            files = make()
            return (files if isinstance(files, list) else [files]), kind, expected

        HOSTILE[name] = built
        return make

    return wrap


def png(array=None, size=(12, 10)):
    """A small PNG: an array, or seeded noise."""
    from PIL import Image

    if array is None:
        array = np.random.default_rng(0).integers(0, 255, (*size, 3), dtype=np.uint8)
    out = io.BytesIO()
    Image.fromarray(array).save(out, "PNG")
    return out.getvalue()


def npy(array, **kw):
    """The bytes of an npy file."""
    out = io.BytesIO()
    np.save(out, array, **kw)
    return out.getvalue()


def npy_header(shape, descr="'<f4'"):
    """An npy header that promises what does not follow."""
    text = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}".encode()
    text += b" " * (-(len(text) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text


def png_header(width, height):
    """A PNG whose header promises a size; its pixel data is a few zeros."""

    def chunk(tag, body):
        return struct.pack(">I", len(body)) + tag + body + struct.pack(">I", zlib.crc32(tag + body))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0" * 100)) + chunk(b"IEND", b"")
    )


def zipped(entries, method=zipfile.ZIP_DEFLATED):
    """A zip of `(name, bytes)`."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method, compresslevel=1) as archive:
        for name, data in entries:
            archive.writestr(name, data)
    return out.getvalue()


def wav(samples=None, rate=8000, channels=1):
    """A small WAV: an array of int16 or float32, or seeded noise."""
    import soundfile

    if samples is None:
        samples = (np.random.default_rng(0).standard_normal(4000) * 3000).astype(np.int16)
    out = io.BytesIO()
    subtype = "FLOAT" if samples.dtype == np.float32 else "PCM_16"
    soundfile.write(out, samples, rate, format="WAV", subtype=subtype)
    return out.getvalue()


def csv(rows=6, columns=3, head=True):
    """A small table as csv."""
    x = np.random.default_rng(0).standard_normal((rows, columns))
    lines = [",".join(f"x{i}" for i in range(columns))] if head else []
    return "\n".join(lines + [",".join(f"{v:.4f}" for v in r) for r in x]).encode() + b"\n"


def safetensors(header, body=b""):
    """A safetensors file from a header as it is."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + body


def parquet(columns):
    """The bytes of a parquet file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    out = io.BytesIO()
    pq.write_table(pa.table(columns), out)
    return out.getvalue()


# Names that lie.


@_case("note")
def _png_named_csv():
    return "table.csv", png()


@_case("error")
def _text_named_png():
    return "picture.png", b"this is no picture\n" * 20


@_case("error", "images")
def _csv_as_images():
    return "table.csv", csv()


@_case("error", "audio")
def _png_as_audio():
    return "song.wav", png()


@_case("error")
def _pickle_named_npy():
    import pickle

    return "data.npy", pickle.dumps({"a": [1, 2, 3]})


@_case("error")
def _torch_file():
    return "model.pt", zipped([("archive/data.pkl", b"\x80\x02}q\0."), ("archive/data/0", b"\0" * 64)])


@_case("error")
def _excel_sheet():
    return "table.xlsx", zipped([("xl/workbook.xml", b"<a/>"), ("[Content_Types].xml", b"<a/>")])


@_case("error")
def _binary_named_csv():
    return "table.csv", bytes(np.random.default_rng(0).integers(0, 256, 4000, dtype=np.uint8))


@_case("error")
def _program():
    return "tool.exe", b"MZ" + b"\0" * 200


@_case("error")
def _web_page_named_csv():
    return "table.csv", b"<!DOCTYPE html><html><body>Sign in</body></html>"


@_case("error")
def _svg_with_entities():
    return "drawing.svg", b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "bbbb">]><svg>&b;</svg>'


# Empty, cut off, too small.


@_case("error")
def _no_file():
    return []


@_case("error")
def _empty_csv():
    return "table.csv", b""


@_case("error")
def _blank_csv():
    return "table.csv", b"\n\n   \n"


@_case("error")
def _header_only():
    return "table.csv", b"a,b,c\n"


@_case("error")
def _one_row():
    return "table.csv", b"a,b,c\n1,2,3\n"


@_case("error")
def _one_constant_column():
    return "table.csv", b"a\n" + b"5\n" * 20


@_case("note")
def _a_constant_column():
    return "table.csv", b"a,b\n" + b"".join(b"%d,7\n" % i for i in range(20))


@_case("error")
def _png_cut_off():
    data = png(size=(80, 80))
    return "picture.png", data[: len(data) // 2]


@_case("error")
def _npy_cut_off():
    return "x.npy", npy(np.random.default_rng(0).standard_normal((50, 8)))[:-100]


@_case("error")
def _npz_cut_off():
    out = io.BytesIO()
    np.savez(out, X=np.random.default_rng(0).standard_normal((50, 8)))
    return "x.npz", out.getvalue()[:-200]


@_case("error")
def _wav_header_only():
    return "sound.wav", wav()[:44]


@_case("error")
def _silent_wav():
    return "sound.wav", wav(np.zeros(4000, np.int16))


@_case("error")
def _parquet_cut_off():
    return "x.parquet", parquet({"a": list(range(50)), "b": [i * 0.5 for i in range(50)]})[:-30]


@_case("error")
def _image_without_pixels():
    return "picture.png", png_header(0, 0)


@_case("error")
def _one_pixel():
    return "picture.png", png(np.zeros((1, 1, 3), np.uint8))


@_case("error")
def _one_plain_colour():
    return "picture.png", png(np.full((64, 64, 3), 90, np.uint8))


@_case("error")
def _empty_npy():
    return "x.npy", npy(np.zeros((0, 5)))


@_case("error")
def _zip_without_files():
    return "pictures.zip", zipped([])


@_case("error")
def _blank_text():
    return "notes.txt", b"   \n \n\t\n"


@_case("error")
def _one_passage():
    return "notes.txt", b"only one line of text"


@_case("error")
def _text_of_words_that_do_not_count():
    return "notes.txt", b"the\nand\nof\n"


# Numbers that are none, or too large.


@_case("error")
def _nan_and_infinity():
    return "table.csv", b"a,b\n1,2\nnan,3\ninf,4\n2,1\n5,\n"


@_case("error")
def _npy_with_nan():
    x = np.ones((10, 4), np.float32)
    x[3, 2], x[5, 1] = np.nan, np.inf
    return "x.npy", npy(x)


@_case("error")
def _all_nan():
    return "x.npy", npy(np.full((10, 4), np.nan))


@_case("note")
def _huge_integers():
    return "table.csv", b"a,b\n" + b"".join(b"%d%s,%d\n" % (i + 1, b"0" * 40, i * i) for i in range(8))


@_case("error")
def _beyond_float32():
    return "x.npy", npy(np.array([[1e300, 1.0], [2.0, 3.0], [4.0, -1e300]]))


@_case("error")
def _wav_with_nan():
    x = np.random.default_rng(0).standard_normal(4000).astype(np.float32)
    x[100] = np.nan
    return "sound.wav", wav(x)


@_case("error")
def _complex_numbers():
    return "x.npy", npy(np.ones((5, 3), np.complex64))


# Too much, or a promise of too much.


@_case("error")
def _npy_that_promises_a_billion():
    return "x.npy", npy_header("(1000000000, 1000)")


@_case("error")
def _npy_that_promises_more_than_counting():
    return "x.npy", npy_header("(" + ", ".join(["9" * 300] * 20) + ")")


@_case("error")
def _npy_with_negative_length():
    return "x.npy", npy_header("(-5, 3)") + b"\0" * 400


@_case("error")
def _safetensors_header_of_a_billion():
    return "x.safetensors", safetensors(
        {"x": {"dtype": "F32", "shape": [10**9, 4], "data_offsets": [0, 64]}}, b"\0" * 64
    )


@_case("error")
def _safetensors_out_of_the_file():
    return "x.safetensors", safetensors(
        {"x": {"dtype": "F32", "shape": [4, 4], "data_offsets": [900, 964]}}, b"\0" * 64
    )


@_case("error")
def _safetensors_nested_deep():
    return "x.safetensors", safetensors(b'{"a":' * 5000 + b"1" + b"}" * 5000)


@_case("error")
def _decompression_bomb_png():
    return "picture.png", png_header(60_000, 60_000)


@_case("error")
def _zip_bomb():
    return "pictures.zip", zipped([(f"{i}.png", b"\0" * 60_000_000) for i in range(10)])


@_case("error")
def _zip_that_lies_about_its_size():
    data = bytearray(zipped([("a.png", b"\0" * 2_000_000)]))
    for magic, at in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        where = data.index(magic) + at
        data[where : where + 4] = struct.pack("<I", 100)
    return "pictures.zip", bytes(data)


@_case("error")
def _npz_bomb():
    return "x.npz", zipped([("X.npy", npy_header("(200000, 1000)") + b"\0" * 50_000_000)])


@_case("error")
def _million_columns():
    return "table.csv", b",".join([b"1"] * 1_000_000) + b"\n" + b",".join([b"2"] * 1_000_000) + b"\n"


@_case("error")
def _zip_of_too_many_files():
    return "pictures.zip", zipped([(f"{i}.png", b"") for i in range(20_001)], zipfile.ZIP_STORED)


@_case("error")
def _tall_parquet():
    import pyarrow as pa

    long = pa.DictionaryArray.from_arrays(pa.array(np.zeros(600_000, np.int32)), pa.array(["x" * 10_000]))
    return "x.parquet", parquet({"a": long})


# Code and paths.


@_case("error")
def _object_array():
    return "x.npy", npy(np.array([{"a": 1}, [2]], dtype=object), allow_pickle=True)


@_case("error")
def _npz_with_a_pickle():
    out = io.BytesIO()
    np.savez(out, X=np.array([[1, "a"], [None, 2]], dtype=object))
    return "x.npz", out.getvalue()


@_case("error")
def _record_array():
    return "x.npy", npy(np.zeros(5, dtype=[("a", "f4"), ("b", "i4")]))


@_case("error")
def _zip_that_climbs():
    return "pictures.zip", zipped([("../../etc/a.png", png()), ("/abs/b.png", png()), ("C:\\c.png", png())])


@_case("note")
def _zip_with_one_that_climbs():
    good = [
        (f"good{i}.png", png(np.random.default_rng(i).integers(0, 255, (12, 12), dtype=np.uint8))) for i in range(3)
    ]
    return "pictures.zip", zipped([*good, ("../bad.png", png())])


@_case("note")
def _cells_that_begin_with_equals():
    return "table.csv", b"a,b,formula\n" + b"".join(b'%d,%d,"=1+%d"\n' % (i, i * i, i % 2) for i in range(10))


@_case("error")
def _formulas_only():
    return "table.csv", b'=cmd|"/c calc"!A1\n=2+3\n=4+5\n'


@_case("note")
def _path_as_a_name():
    return "../../../etc/passwd.csv", b"\xef\xbb\xbf" + b"a,b,b\n1,2,3\n4,5,6\n7,8,1\n"


# Rows, names and letters.


@_case("note")
def _mixed_types():
    return "table.csv", b"name,a,b\nx1,1,red\nx2,2,blue\nx3,3,red\nx4,4,blue\nx5,5,red\n"


@_case("error")
def _numbers_with_words_between():
    return "table.csv", b"a,b\n1,2\ntwo,3\n3,4\n4,5\n5,x\n"


@_case("note")
def _not_utf8():
    return "table.csv", "größe;länge\n1,5;2\n2,5;3\n3,5;9\n".encode("cp1252")


@_case("note")
def _utf16():
    return "table.csv", "a,b\n1,2\n3,4\n5,9\n".encode("utf-16")


@_case("error")
def _ragged_rows():
    return "table.csv", b"a,b,c\n1,2,3\n4,5\n6,7,8,9\n1,1,1\n"


@_case("note")
def _duplicate_names():
    return "table.csv", b"a,a,a\n1,2,3\n4,5,7\n6,7,9\n"


@_case("note")
def _emoji_names():
    return "\U0001f600.csv", "\U0001f600,\U0001f4a5,\U0001f600\n1,2,3\n4,5,7\n6,7,9\n".encode()


@_case("note")
def _blank_names():
    return "table.csv", b"id,,,\na,1,2,3\nb,4,5,7\nc,6,7,7\n"


@_case("error")
def _no_numbers():
    return "table.csv", b"a,b\nx,y\ny,x\nx,y\ny,y\n"


@_case("error")
def _unclosed_quote():
    return "table.csv", b'a,b\n1,"2\n3,4\n5,6\n'


@_case("error")
def _npz_of_vectors():
    out = io.BytesIO()
    np.savez(out, a=np.arange(5.0), b=np.arange(7.0))
    return "x.npz", out.getvalue()


@_case("error")
def _labels_of_another_length():
    out = io.BytesIO()
    np.savez(out, X=np.random.default_rng(0).standard_normal((6, 3)), y=np.arange(5))
    return "x.npz", out.getvalue()


@_case("error")
def _jsonl_that_is_none():
    return "notes.jsonl", b"hello\nworld\n" * 20


@_case("error")
def _json_nested_deep():
    return "notes.jsonl", b"[" * 100_000 + b"]" * 100_000 + b"\n"


@_case("error")
def _several_tables():
    return [("a.csv", csv()), ("b.csv", csv())]


@_case("note")
def _one_broken_picture_among_good():
    good = [(f"{i}.png", png(np.random.default_rng(i).integers(0, 255, (12, 12), dtype=np.uint8))) for i in range(3)]
    return [*good, ("bad.png", png()[:40])]


@_case("note")
def _pictures_of_every_kind():
    from PIL import Image

    rng, files = np.random.default_rng(0), []
    for i, (mode, kind) in enumerate((("RGBA", "PNG"), ("P", "PNG"), ("CMYK", "JPEG"), ("L", "WEBP"), ("1", "TIFF"))):
        out = io.BytesIO()
        Image.fromarray(rng.integers(0, 255, (20 + i, 30, 4), dtype=np.uint8), "RGBA").convert("RGB").convert(
            mode
        ).save(out, kind)
        files.append((f"{i}.{kind.lower()}", out.getvalue()))
    return files


@_case("error")
def _unknown_kind_of_wav():
    data = bytearray(wav())
    data[20:22] = b"\x77\x77"
    return "sound.wav", bytes(data)
