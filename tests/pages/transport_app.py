"""Help for tests of the page *Frequency transport*."""

from streamlit.testing.v1 import AppTest

from pages.transport.view import TransportView
from tests.browser import ROOT


def open_at(view: TransportView | None = None, **fields) -> AppTest:
    """The page alone in a session of its own, opened by the link of a view."""
    at = AppTest.from_file(ROOT / "pages" / "transport" / "page.py", default_timeout=60)
    view = view or TransportView(**fields)
    if view.changed():
        at.query_params["v"] = view.link()
    return at.run()


def now(at: AppTest) -> TransportView:
    """The present view of the session."""
    return at.session_state["transport:history"]["now"]


def clean(at: AppTest) -> AppTest:
    """Assert that nothing went wrong and that the address holds the view."""
    said = [e.value for e in at.error] + [e.message for e in at.exception]
    assert said == [], said
    link = at.query_params.get("v")
    link = link[0] if isinstance(link, list) else link
    assert (TransportView() if link is None else TransportView.from_link(link)) == now(at)
    return at


def by_key(at: AppTest, key: str):
    """The element with that key of ours."""
    found = [node for node in at._tree if getattr(node, "key", None) == f"transport:{key}"]
    assert len(found) == 1, f"{len(found)} elements have the key transport:{key}"
    return found[0]


def metrics(at: AppTest) -> dict[str, str]:
    """Figures by label."""
    return {m.label: m.value for m in at.metric}


def captions(at: AppTest) -> str:
    """All captions."""
    return "\n".join(c.value for c in at.caption)


def waited(at: AppTest, name: str) -> AppTest:
    """Run again until what is computed in the background is there."""
    import time

    for _ in range(120):
        if not any(getattr(n, "key", None) == f"transport:{name}:cancel" for n in at._tree):
            return at
        time.sleep(0.2)
        at.run()
    raise AssertionError("the computation never ended")
