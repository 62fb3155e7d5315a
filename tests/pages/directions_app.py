"""Help for tests of the page *Basis directions*."""

import json

from page_app import PageApp
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest

from pages.directions.view import DirectionsView

app = PageApp("directions", DirectionsView)
open_at, now, linked, said, clean = app.open_at, app.now, app.linked, app.said, app.clean
by_key, keys, shown, choose, press = app.by_key, app.keys, app.shown, app.choose, app.press


def tell(at: AppTest, key: str, **event) -> AppTest:
    """What a component in the browser tells Python: the next event of its kind, as `link.js` numbers them."""
    node = by_key(at, key)
    seq = shown(at, key)["answer"]["ack"] + 1
    states = at._tree.get_widget_states()
    value = [{"event": "event", "value": [{**event, "seq": seq}]}]
    states.widgets.append(WidgetState(id=f"{node.proto.id}", json_value="{}"))
    states.widgets.append(WidgetState(id=_events(node.proto.id), json_trigger_value=json.dumps(value)))
    return at._run(states)


def _events(identity: str) -> str:
    from streamlit.components.v2.bidi_component.main import _make_trigger_id

    return _make_trigger_id(identity, "events")
