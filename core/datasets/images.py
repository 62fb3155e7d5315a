"""Images, one or many, loose or in a zip, as float32 in 0..1 of one common size."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.datasets.dataset import Dataset
from core.datasets.guard import base, check_size, counted, listed
from core.datasets.options import LIMITS, LoadOptions
from core.datasets.pixels import header, luma, pixels, resized
from core.errors import InputError


@dataclass
class _Source:
    """Where the images come from; `files[i]` reads one, so that they need not all be in memory."""

    names: list[str]
    files: Sequence[bytes]
    labels: list[str] | None
    notes: list[str]


def load_images(files: list[tuple[str, bytes]], forms: list[str], options: LoadOptions) -> Dataset:
    """Images of one size `(N, H, W)` or `(N, H, W, 3)`, or patches when there is a single image.

    Images of different sizes are cropped to a square in the middle and resized. One broken image among
    others is left out with a note.

    Raises:
        InputError: no image can be read, too many or too large, or smaller than the patches asked for.
    """
    source = _source(files, forms)
    if len(source.names) > LIMITS.files:
        raise InputError(f"There are {len(source.names):,} images; at most {LIMITS.files:,} are accepted.")
    sizes, good, errors = [], [], []
    for i, name in enumerate(source.names):
        try:
            sizes.append(header(name, source.files[i]))
            good.append(i)
        except InputError as error:
            errors.append((name, error))
    if not good:
        raise errors[0][1]
    cut = options.patch or len(good) == 1
    grey = options.colour == "grey" or (options.colour == "auto" and all(s.grey for s in sizes))
    channels = 1 if grey else 3
    notes, target = list(source.notes), None
    if not cut:
        target = _common_size([(s.height, s.width) for s in sizes], channels, options.side, notes)

    arrays, names, labels, said = [], [], [], {}
    for i in good:
        try:
            array = pixels(source.names[i], source.files[i], grey=grey, remarks=said)
        except InputError as error:
            errors.append((source.names[i], error))
            continue
        if target is not None:
            array = resized(array, *target)
        arrays.append(array)
        names.append(source.names[i])
        labels.append(source.labels[i] if source.labels else None)
        if cut and sum(a.size for a in arrays) > 4 * LIMITS.elements:
            raise InputError(f"These images have too many pixels together; at most {4 * LIMITS.elements:,} are cut.")
    if not arrays:
        raise errors[0][1]
    if errors:
        bad = [n for n, _ in errors]
        notes.append(f"Left out {counted(len(bad), 'file')} that could not be read: {listed(bad)}.")
    notes += [f"{what[0].upper() + what[1:]}: {counted(n, 'image')}." for what, n in said.items()]
    if not grey and options.colour == "auto" and all(a.ndim == 3 and _is_grey(a) for a in arrays):
        arrays = [a[..., 0] for a in arrays]  # colour files whose three channels agree
        notes.append("All pixels are shades of grey, so one channel was kept.")
    if cut:
        return _patches(arrays, names, labels, options, notes, base(files[0][0]))
    samples = np.stack(arrays)
    found = np.array(labels) if source.labels and len(set(labels)) > 1 else None
    if found is not None:
        notes.append("The folders of the zip label the images.")
    title = base(files[0][0]) if len(files) == 1 else counted(len(samples), "image")
    return Dataset(samples, "images", title=title, names=names, labels=found, notes=tuple(notes))


def _is_grey(array: np.ndarray) -> bool:
    """Whether the three channels agree; a peek at a few rows spares most photographs the long way."""
    return all((a[..., :1] == a[..., 1:]).all() for a in (array[:: max(1, len(array) // 8)], array))


def _source(files: list[tuple[str, bytes]], forms: list[str]) -> _Source:
    if "zip" not in forms:
        return _Source([base(n) for n, _ in files], [d for _, d in files], None, [])
    if len(files) > 1:
        raise InputError("Give one zip of images, or several images without a zip, not both.")
    from core.datasets.zips import ImageZip

    archive = ImageZip(*files[0])
    return _Source([base(p) for p in archive.paths], archive, archive.labels(), archive.notes)


def _common_size(sizes: list[tuple[int, int]], channels: int, side: int, notes: list[str]) -> tuple[int, int]:
    """Height and width for all, within what a sample and the dataset may hold; says so when anything changes."""
    budget = min(LIMITS.features, LIMITS.elements // len(sizes)) // channels
    if side or len(set(sizes)) > 1:
        edge = side or max(16, min(128, *(min(s) for s in sizes)))
        edge = min(edge, math.isqrt(budget))
        if set(sizes) != {(edge, edge)}:
            notes.append(f"The images were cropped to a square in the middle and resized to {edge} x {edge} pixels.")
        return edge, edge
    height, width = sizes[0]
    if height * width > budget:
        shrink = math.sqrt(budget / (height * width))
        height, width = max(1, int(height * shrink)), max(1, int(width * shrink))
        height, width = min(height, budget), min(width, budget // height)
        notes.append(f"The images were made smaller, to {width} x {height} pixels, to stay within the limits.")
    return height, width


def _patches(arrays, names, labels, options: LoadOptions, notes, title) -> Dataset:
    from core.datasets.cutting import cut_patches

    shortest = min(min(a.shape[:2]) for a in arrays)
    size = options.patch or max(2, min(16, shortest // 2))
    samples, where, few = cut_patches(arrays, size, options.patches, options.seed)
    check_size(len(samples), samples[0].size, title)
    one = len(arrays) == 1
    what = "One image was given, so it" if one else "The images"
    verb = "was" if one else "were"
    notes.append(f"{what} {verb} cut into {len(samples):,} patches of {size} x {size} pixels at random places.")
    if few:
        notes.append(few)
    origin = np.array([labels[i] or names[i] for i in where[:, 0]])
    found = origin if len(set(origin.tolist())) > 1 else None
    places = [f"{names[i]} {x},{y}" for i, y, x in where]
    return Dataset(samples, "images", title=title, names=places, labels=found, notes=tuple(notes))


def images_of_arrays(name: str, content: tuple, options: LoadOptions) -> Dataset:
    """Images from an array `(N, H, W)` or `(N, H, W, 3)`; whole numbers are divided by the largest of their type.

    Raises:
        InputError: no such array, not finite, or too large.
    """
    from core.datasets.arrays import choose

    arrays, _ = content
    label = base(name)
    found = choose(name, arrays, options.array, (3, 4))
    samples, notes = found["samples"], []
    if samples.ndim == 4 and samples.shape[1] in (1, 3) and samples.shape[-1] not in (1, 3, 4):
        samples = np.moveaxis(samples, 1, -1)
        notes.append("The channels were moved from the second place to the last.")
    if samples.ndim == 4 and samples.shape[-1] == 4:
        samples = samples[..., :3]
        notes.append("The fourth channel was left out.")
    if samples.ndim == 4 and samples.shape[-1] == 1:
        samples = samples[..., 0]
    if samples.ndim == 4 and samples.shape[-1] != 3:
        raise InputError(f"{label} holds images with {samples.shape[-1]} channels; accepted are 1, 3 and 4.")
    check_size(len(samples), math.prod(samples.shape[1:]), label)
    if samples.dtype.kind == "f":
        low, high = float(np.min(samples)), float(np.max(samples))
        if not (math.isfinite(low) and math.isfinite(high)):
            raise InputError(f"{label} has pixels that are not finite numbers; all must be.")
        samples = samples.astype(np.float64 if samples.dtype.itemsize > 4 else np.float32)
        if low < 0 or high > 1:
            samples = samples / 255 if low >= 0 and 1.5 < high <= 255 else _span(samples, low, high)
            notes.append(f"Pixel values from {low:g} to {high:g} were brought to 0 to 1.")
    elif samples.dtype.kind in "iu":
        low, high = int(samples.min()), int(samples.max())
        full = next((f for f in (1, 16, 255, 65535) if high <= f), None) if low >= 0 else None
        samples = samples.astype(np.float64) / full if full else _span(samples.astype(np.float64), low, high)
        notes.append(f"Pixel values from {low:,} to {high:,} were brought to 0 to 1.")
    if options.colour == "grey" and samples.ndim == 4:
        samples = luma(samples)
    return Dataset(
        samples,
        "images",
        title=label,
        labels=found.get("labels"),
        names=found.get("names", ()),
        notes=tuple(notes),
    )


def _span(samples: np.ndarray, low: float, high: float) -> np.ndarray:
    samples = samples / 2  # halves, so that the difference of two very large numbers stays finite
    return (samples - low / 2) / max(high / 2 - low / 2, 1e-30)
