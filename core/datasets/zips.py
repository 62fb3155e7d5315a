"""The images inside a zip, read in memory: sizes are checked before and while unpacking, nothing touches the disk."""

import io
import re
import zipfile
from collections.abc import Iterator

from core.datasets.guard import base, counted, decoding, extension, listed, shown
from core.datasets.options import ACCEPTED, LIMITS
from core.errors import InputError

_PICTURES = tuple(e for e in ACCEPTED["images"] if e not in ("zip", "npy", "npz", "safetensors"))


def _natural(name: str) -> list:
    """A sort key that puts `img2` before `img10`, for digits of any number and script."""
    parts = re.split(r"(\d+)", name)
    return [(len(p.lstrip("0")), p) if i % 2 else (0, p) for i, p in enumerate(parts)]


class ImageZip:
    """A zip of images.

    Attributes:
        paths: the entries that are images, in natural order.
        folders: for each the folder that it lies in, or an empty string.
        notes: what was skipped.

    Raises:
        InputError: damaged, locked, too many files, too large unpacked, or no image inside.
    """

    def __init__(self, name: str, data: bytes):
        self.label = base(name)
        with decoding(self.label):
            self._archive = zipfile.ZipFile(io.BytesIO(data))
            entries = [e for e in self._archive.infolist() if not e.is_dir()]
        if len(entries) > LIMITS.files:
            raise InputError(f"{self.label} holds {len(entries):,} files; at most {LIMITS.files:,} are accepted.")
        total = sum(e.file_size for e in entries)
        if total > LIMITS.unpacked:
            raise InputError(
                f"{self.label} unpacks to {total // 10**6:,} MB; at most {LIMITS.unpacked // 10**6} MB is accepted."
            )
        self.notes: list[str] = []
        self._entries, unsafe, other = [], [], []
        for e in entries:
            parts = re.split(r"[/\\]", e.filename)
            if e.filename.startswith(("/", "\\")) or ".." in parts or ":" in parts[0]:
                unsafe.append(e.filename)
            elif any(p.startswith((".", "__MACOSX")) for p in parts) or parts[-1] in ("Thumbs.db", "desktop.ini"):
                continue
            elif extension(e.filename) in _PICTURES:
                self._entries.append(e)
            else:
                other.append(parts[-1])
        if unsafe:
            self.notes.append(f"Skipped {counted(len(unsafe), 'file')} with a path that leads out of the zip.")
        if other:
            self.notes.append(f"Skipped {counted(len(other), 'file')} of other types than images: {listed(other)}.")
        if not self._entries:
            raise InputError(f"{self.label} holds no images that can be used; accepted are {', '.join(_PICTURES)}.")
        if any(e.flag_bits & 1 for e in self._entries):
            raise InputError(f"{self.label} is locked with a password; give a zip without one.")
        self._entries.sort(key=lambda e: _natural(e.filename))
        self.paths = [shown(e.filename, 80) for e in self._entries]
        self.folders = [(re.split(r"[/\\]", e.filename)[:-1] or [""])[-1] for e in self._entries]
        self._left = LIMITS.unpacked

    def __len__(self) -> int:
        return len(self._entries)

    def __getitem__(self, index: int) -> bytes:
        """The bytes of one image.

        Raises:
            InputError: damaged, or larger than the zip says.
        """
        entry = self._entries[index]
        with decoding(self.label), self._archive.open(entry) as member:
            data = member.read(entry.file_size + 1)
        if len(data) > entry.file_size:
            raise InputError(f"{self.label} unpacks to more than it says, which is refused.")
        return data

    def __iter__(self) -> Iterator[bytes]:
        return (self[i] for i in range(len(self)))

    def labels(self) -> list[str] | None:
        """Folder names as labels when there are at least two different ones."""
        return [shown(f, 60) for f in self.folders] if len(set(self.folders)) > 1 else None
