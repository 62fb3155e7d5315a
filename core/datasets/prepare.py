"""Preparations: each gives a new dataset and adds a sentence to its notes."""

from dataclasses import replace

import numpy as np

from core.datasets.cutting import cut_patches, normalise_contrast
from core.datasets.dataset import Dataset
from core.datasets.guard import counted
from core.datasets.options import LIMITS
from core.datasets.pixels import luma, resized
from core.errors import InputError


def standardise(dataset: Dataset) -> Dataset:
    """Every entry with mean zero and standard deviation one over the samples.

    Entries that never change become zero (they are divided by one). `extra` gets `mean` and `deviation`, both `(D,)`,
    for `unstandardise`.

    Raises:
        InputError: text.
    """
    _numbers(dataset, "standardised")
    x = dataset.matrix.astype(np.float64)
    mean, deviation = x.mean(0), x.std(0)
    # rounding leaves a trace of deviation in a constant column of large numbers
    flat = deviation <= 1e-7 * np.maximum(np.abs(mean), 1e-30)
    deviation = np.where(flat, 1.0, deviation)
    done = np.where(flat, 0.0, (x - mean) / deviation)
    extra = dict(dataset.extra, mean=mean.astype(np.float32), deviation=deviation.astype(np.float32))
    notes = ["Every column was brought to mean 0 and standard deviation 1."]
    if flat.any():
        notes.append(f"The same value in every sample, so left at zero: {counted(int(flat.sum()), 'column')}.")
    return dataset.noted(*notes, samples=done.reshape(dataset.samples.shape), extra=extra)


def unstandardise(dataset: Dataset, samples: np.ndarray) -> np.ndarray:
    """Samples `(N, ...)` of a standardised dataset in their own units; unchanged when it is not standardised."""
    samples = np.asarray(samples, dtype=np.float32)
    if "deviation" not in dataset.extra or "mean" not in dataset.extra:
        return samples
    flat = samples.reshape(len(samples), -1)
    return (flat * dataset.extra["deviation"] + dataset.extra["mean"]).reshape(samples.shape)


def resize(images: Dataset, side: int) -> Dataset:
    """Images cropped to a square in the middle and resized to `side` x `side` pixels.

    Raises:
        InputError: not images, or a side outside 2 to 1024.
    """
    _images(images, "resized")
    if not 2 <= side <= 1024:
        raise InputError(f"The side of an image must be 2 to 1024 pixels, not {side}.")
    if len(images) * side * side * (images.d // int(np.prod(images.shape[:2]))) > LIMITS.elements:
        raise InputError(f"{len(images):,} images of {side} x {side} pixels are too many; use a smaller side.")
    samples = np.stack([resized(s, side, side) for s in images.samples])
    note = f"The images were cropped to a square in the middle and resized to {side} x {side} pixels."
    return images.noted(note, samples=samples, features=None, extra=_per_sample(images))


def grey(images: Dataset) -> Dataset:
    """Colour images as grey ones (Rec. 601 luma); grey ones stay as they are.

    Raises:
        InputError: not images.
    """
    _images(images, "turned grey")
    if images.samples.ndim == 3:
        return images
    note = "The images were turned grey."
    return images.noted(note, samples=luma(images.samples), features=None, extra=_per_sample(images))


def patches(
    images: Dataset, size: int = 12, count: int = 5000, seed: int = 0, *, contrast: str = "none", least: float = 0.0
) -> Dataset:
    """Square patches cut at random places out of all images.

    Args:
        images: `(N, H, W[, 3])`.
        size: side of a patch in pixels.
        count: how many.
        seed: of the places.
        contrast: `none`, `centre` (each patch's mean is subtracted) or `unit` (and its contrast divided out).
        least: patches whose standard deviation is below this are left out; about 0.02 drops empty sky.

    Returns:
        labels are those of the images, or their names when there are at most 50; `extra["place"]` is
        `(count, 3)`: image, row, column.

    Raises:
        InputError: not images, or smaller than a patch.
    """
    _images(images, "cut into patches")
    if not 2 <= size <= 256 or not 2 <= count <= 200_000:
        raise InputError("Patches have a side of 2 to 256 pixels, and there are 2 to 200,000 of them.")
    samples, where, few = cut_patches(list(images.samples), size, count, seed, least=least)
    return patched(images, samples, where, few, contrast)


def patched(images: Dataset, samples: np.ndarray, where: np.ndarray, few: str, contrast: str) -> Dataset:
    """The dataset of patches that were cut out of `images`, with its notes."""
    size = samples.shape[1]
    notes = [f"{len(samples):,} patches of {size} x {size} pixels were cut at random places."]
    if few:
        notes.append(few)
    if contrast != "none":
        how = {"centre": "The mean of each patch was subtracted.", "unit": "Each patch has mean 0 and contrast 1."}
        samples = normalise_contrast(samples, contrast)
        notes.append(how[contrast])
    labels = images.labels
    if labels is None and 2 <= len(images) <= 50:
        labels = np.array(images.names)
    return replace(
        images,
        samples=samples,
        names=[f"{images.names[i]} {x},{y}" for i, y, x in where.tolist()],
        labels=None if labels is None else labels[where[:, 0]],
        features=None,
        notes=images.notes + tuple(notes),
        extra={"place": where},
    )


def fill_missing(dataset: Dataset, how: str = "fill mean") -> Dataset:
    """Gaps (not-a-number or infinity) of a dataset made in code filled or dropped; loaders offer the same.

    Args:
        how: `fill mean`, `fill median` or `drop rows`.

    Raises:
        InputError: text, another `how`, or nothing left.
    """
    from core.datasets.columns import fill

    _numbers(dataset, "filled")
    if how not in ("fill mean", "fill median", "drop rows"):
        raise InputError("Gaps can be dealt with by fill mean, fill median or drop rows.")
    notes: list[str] = []
    matrix, kept = fill(dataset.title, dataset.matrix.astype(np.float64), how, notes)
    part = dataset if kept.all() else dataset.take(kept)
    return part.noted(*notes, samples=matrix.reshape(len(matrix), *dataset.shape))


def limit(dataset: Dataset, n: int, seed: int = 0) -> Dataset:
    """At most `n` samples, drawn at random without replacement and kept in their order.

    Raises:
        InputError: `n` below two.
    """
    if n < 2:
        raise InputError("At least two samples must stay.")
    if len(dataset) <= n:
        return dataset
    chosen = np.sort(np.random.default_rng(seed).choice(len(dataset), n, replace=False))
    return dataset.take(chosen).noted(f"{n:,} of {len(dataset):,} samples were drawn at random.")


def _numbers(dataset: Dataset, what: str) -> None:
    if dataset.kind == "text":
        raise InputError(f"Text cannot be {what}; turn it into word weights first.")


def _images(dataset: Dataset, what: str) -> None:
    if dataset.kind != "images":
        raise InputError(f"Only images can be {what}; this data is of the kind {dataset.kind}.")


def _per_sample(dataset: Dataset) -> dict[str, np.ndarray]:
    return {k: v for k, v in dataset.extra.items() if k.startswith("column ") and len(v) == len(dataset)}
