"""Help for tests of the page *Facial motion*."""

import io
import json

import numpy as np
from directions_app import _events
from page_app import PageApp
from PIL import Image
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest

from pages.face.view import FaceView

app = PageApp("face", FaceView)
open_at, now, clean, by_key, shown, said = app.open_at, app.now, app.clean, app.by_key, app.shown, app.said


def tell(at: AppTest, **event) -> AppTest:
    """What the sliders in the browser tell Python."""
    node = by_key(at, "editor")
    seq = shown(at, "editor")["answer"]["ack"] + 1
    states = at._tree.get_widget_states()
    value = [{"event": "event", "value": [{**event, "seq": seq}]}]
    states.widgets.append(WidgetState(id=f"{node.proto.id}", json_value="{}"))
    states.widgets.append(WidgetState(id=_events(node.proto.id), json_trigger_value=json.dumps(value)))
    return at._run(states)


def sliders(at: AppTest) -> dict[str, dict]:
    """The sliders by key, as the browser is told to draw them."""
    return {s["key"]: s for bank in shown(at, "editor")["banks"] for s in bank["sliders"]}


def note(at: AppTest) -> str:
    """What stands beside the edited picture."""
    return shown(at, "editor")["pictures"][0]["note"]


def png(height: int = 90, width: int = 120, seed: int = 0) -> bytes:
    """A picture without a face."""
    out = io.BytesIO()
    noise = np.random.default_rng(seed).integers(0, 255, (height, width, 3), dtype=np.uint8)
    Image.fromarray(noise).save(out, "PNG")
    return out.getvalue()
