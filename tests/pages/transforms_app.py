"""Help for tests of the page *Learned transforms*."""

from streamlit.testing.v1 import AppTest

from pages.transforms.view import TransformsView
from tests.browser import ROOT


def open_at(view: TransformsView | None = None, **fields) -> AppTest:
    """The page alone in a session of its own, opened by the link of a view."""
    at = AppTest.from_file(ROOT / "pages" / "transforms" / "page.py", default_timeout=60)
    view = view or TransformsView(**fields)
    if view.changed():
        at.query_params["v"] = view.link()
    return at.run()


def now(at: AppTest) -> TransformsView:
    """The present view of the session."""
    return at.session_state["transforms:history"]["now"]


def said(at: AppTest) -> list[str]:
    """What the page complains about."""
    return [e.value for e in at.error] + [e.message for e in at.exception]


def clean(at: AppTest) -> AppTest:
    """Assert that nothing went wrong and that the address holds the view."""
    assert said(at) == [], said(at)
    link = at.query_params.get("v")
    link = link[0] if isinstance(link, list) else link
    assert (TransformsView() if link is None else TransformsView.from_link(link)) == now(at)
    return at


def by_key(at: AppTest, key: str):
    """The element with that key of ours."""
    found = [node for node in at._tree if getattr(node, "key", None) == f"transforms:{key}"]
    assert len(found) == 1, f"{len(found)} elements have the key transforms:{key}"
    return found[0]


def metrics(at: AppTest) -> dict[str, str]:
    """Figures by label."""
    return {m.label: m.value for m in at.metric}
