"""Help for tests of the page *Basis directions*: open it at a view, use its controls, read what it shows."""

import json

from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest

from pages.directions.view import DirectionsView
from tests.browser import ROOT

SECONDS = 60


def open_at(view: DirectionsView | None = None, **fields) -> AppTest:
    """The page in a session of its own, opened by the link of a view."""
    at = AppTest.from_file(ROOT / "app.py", default_timeout=SECONDS)
    view = view or DirectionsView(**fields)
    if view.changed():
        at.query_params["v"] = view.link()
    return at.run()


def now(at: AppTest) -> DirectionsView:
    """The present view of the session."""
    return at.session_state["directions:history"]["now"]


def linked(at: AppTest) -> DirectionsView:
    """The view that the address holds."""
    link = at.query_params.get("v")
    return DirectionsView() if link is None else DirectionsView.from_link(link)


def said(at: AppTest) -> list[str]:
    """What the page complains about."""
    return [e.value for e in at.error] + [e.message for e in at.exception]


def clean(at: AppTest) -> AppTest:
    """Assert that nothing went wrong and that the address holds the view."""
    assert said(at) == []
    assert linked(at) == now(at)
    return at


def by_key(at: AppTest, key: str):
    """The element with that key of ours."""
    found = [node for node in at._tree if getattr(node, "key", None) == f"directions:{key}"]
    assert len(found) == 1, f"{len(found)} elements have the key directions:{key}"
    return found[0]


def keys(at: AppTest) -> set[str]:
    """The keys of all elements, without the name of the page."""
    return {node.key.removeprefix("directions:") for node in at._tree if getattr(node, "key", None)}


def shown(at: AppTest, key: str) -> dict:
    """What a component in the browser is given to draw."""
    return json.loads(by_key(at, key).proto.json)


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


def choose(at: AppTest, key: str, value) -> AppTest:
    """Set the control with that key of ours, and run."""
    return by_key(at, key).set_value(value).run()


def press(at: AppTest, key: str) -> AppTest:
    """Press the button with that key of ours."""
    return by_key(at, key).click().run()
