"""Make `assets/samples/graphs.npz` out of the PyGSP wheel: `python -m core.graphs.build_assets DOWNLOADS`."""

import io
import sys
import zipfile
from pathlib import Path

import numpy as np
import scipy.io
import scipy.sparse as sp

from core.graphs.samples import ASSETS

WHEEL = "pygsp-0.6.1-py3-none-any.whl"


def main(argv: list[str]) -> int:
    """Read the wheel in the folder given and write the asset."""
    arrays = {}
    with zipfile.ZipFile(Path(argv[0]) / WHEEL) as wheel:

        def load(name: str) -> dict:
            return scipy.io.loadmat(io.BytesIO(wheel.read(f"pygsp/data/pointclouds/{name}.mat")))

        roads, sensors = load("minnesota"), load("david500")
        arrays["minnesota_coordinates"] = roads["xy"].astype(np.float32)
        upper = sp.triu(sp.csr_array(roads["A"]) != 0, k=1).tocoo()
        arrays["minnesota_edges"] = np.stack([upper.row, upper.col], axis=1).astype(np.uint16)
        arrays["sensors_coordinates"] = sensors["coords"].astype(np.float32)
        upper = sp.triu(sp.csr_array(sensors["W"]), k=1).tocoo()
        arrays["sensors_edges"] = np.stack([upper.row, upper.col], axis=1).astype(np.uint16)
        arrays["sensors_weights"] = upper.data.astype(np.float32)
        arrays["bunny_coordinates"] = load("bunny")["bunny"].astype(np.float32)
    np.savez_compressed(ASSETS / "graphs.npz", **arrays)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
