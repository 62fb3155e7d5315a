"""`npy`, `npz` and `safetensors`: numbers with a header that is checked before anything is allocated."""

import io
import json
import math
import zipfile

import numpy as np

from core.datasets.guard import amount, base, check_size, counted, decoding, listed, shown
from core.datasets.options import LIMITS
from core.errors import InputError

_TYPES = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2",
    "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1",
    "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "u1", "BOOL": "?",
}  # fmt: skip
_HEAD = 20_000
_SAMPLES = ("X", "x", "samples", "data", "activations", "embeddings", "features", "images", "spectra")
_LABELS = ("y", "labels", "label", "target", "targets", "classes")
_NAMES = ("names", "ids", "sample_names")
_FEATURES = ("feature_names", "columns", "features", "axis", "wavelengths")


def read_npy(label: str, data: bytes) -> np.ndarray:
    """The array of an npy file, on the file's own memory where possible.

    Raises:
        InputError: no header, Python objects, too many numbers, or fewer bytes than the header promises.
    """
    shape, fortran, dtype, start, need = _header(label, data)
    _check_length(label, need, len(data) - start)
    with decoding(label):
        if need == 0:
            return np.empty(shape, dtype)
        flat = np.frombuffer(data, dtype, count=math.prod(shape), offset=start)
        return flat.reshape(shape, order="F" if fortran else "C")


def _header(label: str, data: bytes) -> tuple:
    """Shape, order, type, where the numbers begin, and how many bytes they take."""
    stream = io.BytesIO(data)
    with decoding(f"{label} has no readable npy header, so it"):
        version = np.lib.format.read_magic(stream)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, fortran, dtype = read(stream)
    check_header(label, shape, dtype)
    return shape, fortran, dtype, stream.tell(), math.prod(shape) * dtype.itemsize


def _check_length(label: str, need: int, there: int) -> None:
    if there < need:
        raise InputError(f"{label} is cut off: its header promises {amount(need)} bytes and {there:,} follow.")


def check_header(label: str, shape: tuple[int, ...], dtype: np.dtype) -> None:
    """Refuse what an array's header says before its numbers are touched.

    Raises:
        InputError: objects, records, complex numbers, no axis at all, nothing inside, or too much.
    """
    if dtype.hasobject:
        raise InputError(f"{label} holds Python objects, which can run code and are never opened; save plain numbers.")
    if dtype.kind not in "biufUS":
        raise InputError(f"{label} holds values of the type {shown(dtype, 20)}; accepted are real numbers.")
    if any(n < 0 for n in shape):
        raise InputError(f"{label} is damaged: its header has a negative length.")
    if dtype.itemsize < 1:
        raise InputError(f"{label} holds empty texts; accepted are real numbers.")
    if dtype.itemsize > 4096:
        raise InputError(f"{label} holds texts of {dtype.itemsize:,} bytes each; accepted are real numbers.")
    check_size(0, 0, label, math.prod(shape))


def read_npz(name: str, data: bytes) -> dict[str, np.ndarray]:
    """The arrays of an npz file by name.

    Raises:
        InputError: damaged, locked, too large unpacked, or holding Python objects.
    """
    label, arrays, spent = base(name), {}, 0
    with decoding(label), zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = archive.infolist()
        if len(entries) > 1000:
            raise InputError(f"{label} holds {len(entries):,} arrays; at most 1,000 are accepted.")
        for entry in entries:
            key = shown(entry.filename.removesuffix(".npy"))
            budget = LIMITS.unpacked - spent
            if entry.file_size > budget:
                raise InputError(f"{label} unpacks to more than {LIMITS.unpacked // 10**6} MB, which is refused.")
            what = f"The array {key} of {label}"
            with archive.open(entry) as member:
                head = member.read(_HEAD)  # the header first: a bomb is refused before it unpacks
                *_, start, need = _header(what, head)
                _check_length(what, need, entry.file_size - start)
                content = head + member.read(max(0, need + start - len(head)))
            spent += len(content)
            arrays[key] = read_npy(what, content)
    return arrays


def read_safetensors(name: str, data: bytes) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """The tensors of a safetensors file by name, and its metadata.

    Raises:
        InputError: damaged, too large, or of a number type that is not read here.
    """
    label, arrays = base(name), {}
    with decoding(label):
        n = int.from_bytes(data[:8], "little")
        header = json.loads(data[8 : 8 + n])
        metadata = {str(k): str(v) for k, v in header.pop("__metadata__", {}).items()}
        tensors = [(k, v["dtype"], tuple(v["shape"]), v["data_offsets"]) for k, v in header.items()]
        if not all(type(i) is int and i >= 0 for _, _, shape, ends in tensors for i in (*shape, *ends)):
            raise ValueError("lengths are whole numbers")
    for key, kind, shape, (start, stop) in tensors:
        what = f"The tensor {shown(key)} of {label}"
        if kind not in _TYPES:
            raise InputError(f"{what} has the type {shown(kind, 12)}, which is not read here.")
        dtype = np.dtype(_TYPES[kind])
        check_size(0, 0, what, math.prod(shape))
        if stop - start != math.prod(shape) * dtype.itemsize or 8 + n + stop > len(data):
            raise InputError(f"{label} is cut off or damaged: the tensor {shown(key)} is not all there.")
        with decoding(label):
            if start == stop:
                arrays[shown(key)] = np.empty(shape, dtype)
                continue
            array = np.frombuffer(data, dtype, count=math.prod(shape), offset=8 + n + start).reshape(shape)
        if kind == "BF16":  # the upper half of a float32
            array = (array.astype(np.uint32) << 16).view(np.float32)
        arrays[shown(key)] = array
    return arrays, metadata


def choose(name: str, arrays: dict[str, np.ndarray], wanted: str, axes: tuple[int, ...]) -> dict:
    """Pick the samples, and what belongs to them, out of named arrays.

    Args:
        wanted: the name of the array of samples, or empty.
        axes: how many axes samples may have, such as `(2,)` for a matrix.

    Returns:
        `samples`, and `labels`, `names`, `features` where there are arrays of those names and lengths; `picked`,
        the name of the samples; `rest`, names of arrays that are not used.

    Raises:
        InputError: none or several could be meant; the sentence lists them.
    """
    label = base(name)
    if not arrays:
        raise InputError(f"{label} holds no arrays; accepted is a matrix of numbers, one sample a row.")
    sizes = [f"{k} {' x '.join(map(str, v.shape)) or 'a single number'}" for k, v in arrays.items()]
    fits = {k: v for k, v in arrays.items() if v.ndim in axes and v.dtype.kind in "biuf" and v.size}
    if wanted:
        if wanted not in fits:
            raise InputError(f"{label} has no matrix of numbers called {shown(wanted)}; it holds {listed(sizes)}.")
        picked = wanted
    else:
        picked = next((k for k in _SAMPLES if k in fits), None) or (next(iter(fits)) if len(fits) == 1 else None)
    if picked is None:
        if not fits:
            only = "an array of " + sizes[0].partition(" ")[2] if len(arrays) == 1 else listed(sizes)
            raise InputError(f"{label} holds no matrix of numbers with one sample a row, only {only}.")
        raise InputError(f"{label} holds several matrices ({listed(sizes)}); call the one to use X.")
    samples = fits[picked]
    found = dict(samples=samples, picked=picked)
    for role, keys, length, kinds in (
        ("labels", _LABELS, len(samples), "biufUS"),
        ("names", _NAMES, len(samples), "iuUS"),
        ("features", _FEATURES, math.prod(samples.shape[1:]), "biufUS"),
    ):
        key = next((k for k in keys if k in arrays and k != picked and arrays[k].dtype.kind in kinds), None)
        if key is None:
            continue
        values = arrays[key]
        if values.ndim == 2 and 1 in values.shape:
            values = values.reshape(-1)
        if values.shape != (length,):
            if role != "labels":
                continue
            raise InputError(
                f"{label} has {counted(len(samples), 'sample')} in {picked} but {key} has the shape "
                f"{' x '.join(map(str, values.shape)) or 'of a single number'}."
            )
        found[role] = as_text(values) if role != "labels" else _labels(values)
        found.setdefault("used", []).append(key)
    found["rest"] = [k for k in arrays if k != picked and k not in found.get("used", [])]
    return found


def as_text(values: np.ndarray) -> list[str]:
    """Names out of an array of numbers or texts, each safe to show."""
    if values.dtype.kind == "S":
        return [shown(v.decode("utf-8", "replace"), 80) for v in values.tolist()]
    if values.dtype.kind == "f":
        return [f"{v:g}" for v in values.tolist()]
    with decoding("A list of names"):  # texts may hold code points that do not exist
        return [shown(v, 80) for v in values.tolist()]


def _labels(values: np.ndarray) -> np.ndarray:
    if values.dtype.kind in "US":
        return np.array(as_text(values))
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise InputError("Some labels are not finite numbers; every sample needs one.")
    return np.array(values)
