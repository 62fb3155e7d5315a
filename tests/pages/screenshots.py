"""`python -m tests.pages.screenshots` takes the pictures of the README anew, from the running app, into `assets/`."""

import argparse
import io
from pathlib import Path

from PIL import Image

from core.ui.view import View
from pages import PAGES
from pages.compatible.view import CompatibleView
from pages.directions.view import DirectionsView
from pages.face.view import FaceView
from pages.graphs.view import GraphsView
from pages.steering.view import SteeringView
from pages.transforms.view import TransformsView
from pages.transport.view import TransportView
from tests.browser import ROOT, chromium, settled
from tests.pages.browser_pages import opened, served

FOLDER = ROOT / "assets/screenshots"
SCENES: dict[str, View | None] = {
    "directions": DirectionsView(),
    "compatible": CompatibleView(),
    "graphs": GraphsView(),
    "transforms": TransformsView(),
    "steering": SteeringView(),
    "face": FaceView(weights={"mouth: jaw open": 2.0, "pose: yaw": 1.0}),
    "transport": TransportView(),
    "library": None,
}
_COLOURS = 128  # of the palette; a picture takes about 60 kB


def take(address: str, name: str, folder: Path, *, theme: str = "light") -> Path:
    """One page as it opens at its scene, 1440 x 900."""
    view = SCENES[name]
    link = f"?v={view.link()}" if view is not None and view.changed() else ""
    with chromium() as browser:
        page = opened(browser, f"{address}/{name}{link}", color_scheme=theme)
        page.wait_for_selector("[data-testid=stMain] [data-testid=stHeading]", timeout=60_000)
        for _ in range(3):  # what draws itself again, settles in turns
            settled(page, 180_000)
            page.wait_for_function("!document.querySelector('[data-testid=stProgress]')", timeout=180_000)
            page.wait_for_timeout(2000)
        if name == "steering":
            page.get_by_text("Written:").first.wait_for(timeout=180_000)
        shot = Image.open(io.BytesIO(page.screenshot()))
    path = folder / f"{name}.png"
    shot.convert("RGB").quantize(_COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)
    return path


def main() -> None:
    """Take the named pages, or all."""
    names = [p.name for p in PAGES]
    parser = argparse.ArgumentParser(prog="python -m tests.pages.screenshots", description=__doc__)
    parser.add_argument("pages", nargs="*", choices=[*names, []], help="all when none is named")
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--theme", choices=["light", "dark"], default="light")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    with served() as (address, _):
        for name in arguments.pages or names:
            print(take(address, name, arguments.folder, theme=arguments.theme), flush=True)


if __name__ == "__main__":
    main()
