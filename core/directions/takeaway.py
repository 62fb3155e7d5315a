"""A fitted basis as files of the usual formats, and as a snippet that computes it again."""

import io
from collections.abc import Sequence

import numpy as np
from safetensors.numpy import save as to_safetensors

from core.basis import Basis
from core.datasets.dataset import Dataset
from core.models import Model
from core.tables import to_csv


def basis_npz(basis: Basis, codes: np.ndarray, dataset: Dataset, names: Sequence[str]) -> bytes:
    """Directions, mean, scale, dual, codes and all names as `npz` (no pickle: names are fixed-width text)."""
    out = io.BytesIO()
    texts = dict(direction_names=np.array(names, dtype=str), sample_names=np.array(dataset.names, dtype=str))
    if dataset.labels is not None:
        texts["labels"] = np.asarray(dataset.labels)
    if dataset.features is not None:
        texts["features"] = np.array(dataset.features, dtype=str)
    np.savez_compressed(out, **_arrays(basis, codes), **{k: _plain(v) for k, v in texts.items()})
    return out.getvalue()


def basis_safetensors(basis: Basis, codes: np.ndarray, names: Sequence[str]) -> bytes:
    """Directions, mean, scale, dual and codes as `safetensors`, the names of the directions in its metadata."""
    arrays = {k: np.ascontiguousarray(v) for k, v in _arrays(basis, codes).items()}
    return to_safetensors(arrays, metadata={f"direction {i + 1}": str(n) for i, n in enumerate(names)})


def directions_csv(basis: Basis, dataset: Dataset, names: Sequence[str]) -> bytes:
    """One row a direction, one column an entry of the sample, and first a row with the mean."""
    header = ["direction", "scale", *(dataset.features or [str(i + 1) for i in range(basis.d)])]
    rows = [["mean", "", *basis.mean]]
    rows += [[n, s, *row] for n, s, row in zip(names, basis.scale, basis.directions, strict=True)]
    return to_csv(header, rows)


def codes_csv(codes: np.ndarray, dataset: Dataset, names: Sequence[str]) -> bytes:
    """One row a sample: its name, its label if there is one, and its weights."""
    labels = dataset.labels if dataset.labels is not None else [None] * len(codes)
    header = ["sample", *(["label"] if dataset.labels is not None else []), *names]
    lead = ([n] if dataset.labels is None else [n, v] for n, v in zip(dataset.names, labels, strict=True))
    return to_csv(header, ([*a, *code] for a, code in zip(lead, codes, strict=True)))


def snippet(
    model: Model,
    *,
    source: str | Sequence[str],
    kind: str,
    preparation: dict,
    options: dict | None = None,
    exported: str = "",
) -> str:
    """Python that reproduces the basis with the core package.

    Args:
        source: `sample:<name>`, or the names of the files of an upload.
        kind: kind of the data before its preparation.
        preparation: settings of the preparation.
        options: of the loader, where they are not the usual ones (`{"missing": "drop rows"}`).
        exported: name of the exported model, which is then read and not fitted: it may have seen other data, or have
            been stopped before its end.
    """
    if isinstance(source, str):
        imports, read = "from core.datasets import sample\n", f"sample({source.partition(':')[2]!r})"
    else:
        given = "" if not options else f", LoadOptions(**{options!r})"
        imports = f"from pathlib import Path\n\nfrom core.datasets import {'LoadOptions, ' if options else ''}load\n"
        read = f"load([(name, Path(name).read_bytes()) for name in {list(source)!r}], {kind!r}{given})"
    if exported:
        uses = "from core.store import load as load_model\n"
        made = f"model, card = load_model({exported!r})\n"
    else:
        uses = "from core.models import family\n"
        made = f"model = family({model.family!r})(**{model.get_params()!r})\nmodel.fit(data, seed={model.seed_})\n"
    return (
        f"{imports}"
        f"from core.datasets.preparation import PREPARATIONS, prepare\n{uses}"
        "\n"
        f"raw = {read}\n"
        f"data = prepare(raw, PREPARATIONS[{kind!r}].of({preparation!r}))\n"
        f"{made}"
        "codes = model.encode(data.samples)  # (N, K)\n"
        "(basis,) = model.bases().values()  # directions (K, D), mean (D,), scale (K,)\n"
        "print(basis, codes.shape)\n"
    )


def _arrays(basis: Basis, codes: np.ndarray) -> dict[str, np.ndarray]:
    return dict(
        directions=basis.directions,
        mean=basis.mean,
        scale=basis.scale,
        dual=basis.dual,
        codes=np.asarray(codes, dtype=np.float32),
    )


def _plain(values: np.ndarray) -> np.ndarray:
    return values.astype(str) if values.dtype == object else values
