"""What a file really is: magic bytes first, its name second."""

import io
import json
import zipfile

from core.datasets.guard import accepted, base, extension
from core.datasets.options import ACCEPTED
from core.errors import InputError

_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "png"),
    (b"\xff\xd8\xff", "jpg"),
    (b"GIF87a", "gif"),
    (b"GIF89a", "gif"),
    (b"II*\0", "tif"),
    (b"MM\0*", "tif"),
    (b"fLaC", "flac"),
    (b"OggS", "ogg"),
    (b"ID3", "mp3"),
    (b"PAR1", "parquet"),
    (b"\x93NUMPY", "npy"),
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),
)
# What is recognised only to be refused by name.
_FOREIGN = (
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file"),
    (b"%PDF", "a PDF"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"Rar!", "a RAR archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ", "an xz archive"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive"),
    (b"SQLite format 3", "an SQLite database"),
    (b"MATLAB 5.0", "a MATLAB file"),
    (b"GGUF", "a GGUF model"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a program"),
    (b"\xd0\xcf\x11\xe0", "an old Office file"),
    (b"{\\rtf", "an RTF document"),
    (b"<!DOCTYPE", "a web page"),
    (b"<!doctype", "a web page"),
    (b"<html", "a web page"),
    (b"<?xml", "an XML file"),
    (b"<svg", "an SVG drawing"),
)
_SAME = {"jpeg": "jpg", "tiff": "tif"}
TEXTUAL = ("csv", "tsv", "txt", "jsonl")


def true_format(name: str, data: bytes) -> str:
    """The format of a file, one of the endings in `ACCEPTED`.

    Raises:
        InputError: empty, of a type that is not read here, or binary content under the name of a text file.
    """
    label = base(name)
    if not data:
        raise InputError(f"{label} is empty; {accepted()}.")
    ending = extension(name)
    ending = _SAME.get(ending, ending)
    for magic, form in _MAGIC:
        if data.startswith(magic):
            return _zip_format(label, data) if form == "zip" else form
    if data[:4] == b"RIFF" and data[8:12] == b"WAVE":
        return "wav"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "webp"
    if data[:2] == b"BM" and len(data) > 26 and ending == "bmp":
        return "bmp"
    if _is_safetensors(data):
        return "safetensors"
    if data[0] == 0x80 and len(data) > 1 and data[1] <= 5:
        raise InputError(f"{label} is a Python pickle, which can run code and is never opened; {accepted()}.")
    for magic, what in _FOREIGN:
        if data.startswith(magic):
            raise InputError(f"{label} is {what}, which is not read here; {accepted()}.")
    if ending == "mp3" and data[0] == 0xFF and data[1:2] and data[1] & 0xE0 == 0xE0:
        return "mp3"
    if ending in TEXTUAL:
        return ending
    if any(ending in endings for endings in ACCEPTED.values()):
        raise InputError(f"{label} is no {ending} file, or is damaged at its start; {accepted()}.")
    what = f"of the type {ending[:12]}" if ending.isalnum() else "without a known ending"
    raise InputError(f"{label} is a file {what}, which is not read here; {accepted()}.")


def _is_safetensors(data: bytes) -> bool:
    n = int.from_bytes(data[:8], "little")
    return len(data) > 9 and 2 <= n <= len(data) - 8 and data[8:9] == b"{"


def _zip_format(label: str, data: bytes) -> str:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = [i.filename for i in archive.infolist() if not i.is_dir()]
    except Exception as error:
        raise InputError(f"{label} is a zip or npz file that is cut off or damaged.") from error
    if any(n.startswith(("xl/", "word/", "ppt/")) for n in names):
        raise InputError(f"{label} is an Office document, which is not read here; save the sheet as csv.")
    if any(n.endswith("data.pkl") for n in names):
        raise InputError(f"{label} holds a Python pickle, which can run code and is never opened; {accepted()}.")
    return "npz" if names and all(extension(n) == "npy" for n in names) else "zip"


def looks_like_jsonl(data: bytes) -> bool:
    """Whether the first line of a text is a JSON object."""
    line = data.lstrip(b"\xef\xbb\xbf \r\n\t").split(b"\n", 1)[0][:100_000].strip()
    if not line.startswith(b"{"):
        return False
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False
