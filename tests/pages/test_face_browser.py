"""*Facial motion* in Chromium: a jaw slider, undo, the mouth of another face, the copied link, uploads, a clip."""

import io

import av
import numpy as np
import pytest
import soundfile
from browser_pages import opened, served, until_view, view_of
from face_app import png

from pages.face.view import FaceView
from tests.browser import chromium, settled

pytestmark = pytest.mark.browser
EDITOR = (
    "[...document.querySelectorAll('[data-testid=stBidiComponentIsolated]')]"
    ".map((e) => e.shadowRoot.querySelector('.editor')).find(Boolean).editor"
)
JAW = "mouth: jaw open"


def until(page, test) -> FaceView:
    until_view(page, test, 90_000, FaceView)
    settled(page, 90_000)
    return view_of(page, FaceView)


def drawn(page) -> None:
    """Wait until all pictures are there and nothing is asked for."""
    page.wait_for_function(
        f"() => {{ try {{ const e = {EDITOR}; return e.panels.length === 3 && e.link.waiting.length === 0 && "
        "e.panels.every((p) => p.image.complete && p.image.naturalWidth > 0); } catch { return false; } }",
        timeout=120_000,
    )


def picture(page) -> str:
    """What the edited picture looks like on the screen."""
    drawn(page)
    return page.evaluate(
        f"() => {{ const image = {EDITOR}.panels[0].image, canvas = document.createElement('canvas');"
        "canvas.width = image.naturalWidth; canvas.height = image.naturalHeight;"
        "canvas.getContext('2d').drawImage(image, 0, 0); return canvas.toDataURL(); }"
    )


def slider(page, name: str):
    return page.get_by_role("slider", name=name, exact=True)


def test_a_jaw_slider_undo_the_mouth_of_another_a_link_and_an_upload():
    with served() as (address, _), chromium() as browser:
        page = opened(browser, f"{address}/face")
        page.set_default_timeout(90_000)
        own = picture(page)
        at = slider(page, "jaw open")
        box, share = at.bounding_box(), float(at.evaluate("e => (e.value - e.min) / (e.max - e.min)"))
        y = box["y"] + box["height"] / 2
        page.mouse.move(box["x"] + 8 + share * (box["width"] - 16), y)
        page.mouse.down()
        for step in range(1, 6):
            page.mouse.move(box["x"] + 8 + (share + 0.05 * step) * (box["width"] - 16), y)
            page.wait_for_timeout(80)
        page.mouse.up()
        moved = until(page, lambda v: v.weights)
        assert list(moved.weights) == [JAW] and moved.weights[JAW] > 1.5
        jaw = picture(page)
        assert jaw != own

        other = opened(browser, page.url)  # the copied link, in another browser
        assert picture(other) == jaw and view_of(other, FaceView) == moved
        other.context.close()

        page.get_by_role("toolbar").get_by_role("button", name="Undo").click()
        assert until(page, lambda v: not v.weights) == FaceView() and picture(page) == own

        page.get_by_title("Take from Drawn, mouth open").click()
        until(page, lambda v: v.other.get("data") == "sample:drawn, mouth open")
        page.get_by_role("button", name="Take its mouth").click()
        taken = until(page, lambda v: v.other.get("shares"))
        assert taken.other["shares"] == {"mouth": 1.0}
        laughing = picture(page)
        assert laughing not in (own, jaw)
        assert float(slider(page, "jaw open").input_value()) > 2
        page.reload()
        assert picture(page) == laughing and view_of(page, FaceView) == taken

        zone = page.locator("details", has_text="Your own photograph")
        zone.locator("summary").click()
        files = [{"name": "<b>me</b>.png", "mimeType": "image/png", "buffer": png()}]
        zone.locator("input[type=file]").set_input_files(files)
        mine = until(page, lambda v: v.data.startswith("upload:"))
        assert mine.title == "<b>me</b>.png" and picture(page) != laughing
        page.get_by_text("Left and right, percent").wait_for()  # no face there: marked by hand
        assert page.problems == []


def test_half_a_second_of_speech_is_rendered_and_downloaded():
    wave = io.BytesIO()
    t = np.arange(8000) / 16_000
    soundfile.write(wave, 0.3 * np.sin(2 * np.pi * 180 * t), 16_000, format="WAV")
    start = FaceView(tab="Drive", drive={"voice": "file", "side": 320})
    with served() as (address, _), chromium() as browser:
        page = opened(browser, f"{address}/face?v={start.link()}")
        page.set_default_timeout(120_000)
        drawn(page)
        zone = page.locator("[class*='st-key-face-sound'] input[type=file]")
        zone.wait_for(state="attached")
        zone.set_input_files([{"name": "a.wav", "mimeType": "audio/wav", "buffer": wave.getvalue()}])
        page.get_by_role("button", name="Render 13 frames").click()
        page.locator("video").wait_for(state="attached")
        with page.expect_download() as waiting:
            page.get_by_role("button", name="Clip as mp4").click()
        with av.open(waiting.value.path()) as clip:
            assert sum(1 for _ in clip.decode(video=0)) == 13 and len(clip.streams.audio) == 1
        assert view_of(page, FaceView) == start and page.problems == []
