"""Help for tests of the page *Graph spectra*: open it at a view, use its controls, read what it shows."""

import json
import time

from streamlit.testing.v1 import AppTest

from pages.graphs.view import GraphsView
from tests.browser import ROOT


def open_at(**fields) -> AppTest:
    """The page in a session of its own, opened by the link of a view."""
    at = AppTest.from_file(ROOT / "pages/graphs/page.py", default_timeout=60)
    view = GraphsView(**fields)
    if view.changed():
        at.query_params["v"] = view.link()
    return settle(at.run())


def settle(at: AppTest) -> AppTest:
    """Run until no work is under way beside the page."""
    until = time.monotonic() + 50
    while any((b.key or "").endswith(":cancel") for b in at.button):
        assert time.monotonic() < until
        time.sleep(0.1)
        at = at.run()
    return at


def now(at: AppTest) -> GraphsView:
    """The present view."""
    return at.session_state["graphs:history"]["now"]


def clean(at: AppTest) -> AppTest:
    """Assert that nothing went wrong and that the address holds the view."""
    assert [e.message for e in at.exception] == [] and [e.value for e in at.error] == []
    link = at.query_params.get("v")
    assert (GraphsView() if link is None else GraphsView.from_link(link)) == now(at)
    return at


def by_key(at: AppTest, key: str):
    """The element with that key of ours."""
    (found,) = [n for n in at._tree if getattr(n, "key", None) == f"graphs:{key}"]
    return found


def choose(at: AppTest, key: str, value) -> AppTest:
    """Set the control with that key of ours."""
    return clean(settle(by_key(at, key).set_value(value).run()))


def press(at: AppTest, key: str) -> AppTest:
    """Press the button with that key of ours."""
    return settle(by_key(at, key).click().run())


def numbers(at: AppTest) -> dict[str, str]:
    """The three numbers of the polynomial."""
    return {m.label: m.value for m in at.metric}


def shown(at: AppTest, key: str) -> dict:
    """What a component in the browser is given to draw."""
    return json.loads(by_key(at, key).proto.json)


def notes(at: AppTest) -> list[str]:
    """Title and note of each drawing."""
    return [f"{p['title']}: {p['note']}" for p in shown(at, "drawing")["panels"]]
