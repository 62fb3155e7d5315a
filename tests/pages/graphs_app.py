"""Help for tests of the page *Graph spectra*."""

from page_app import PageApp
from streamlit.testing.v1 import AppTest

from pages.graphs.view import GraphsView

app = PageApp("graphs", GraphsView, patient=True)
open_at, settle, now, clean = app.open_at, app.settle, app.now, app.clean
by_key, press, shown, numbers = app.by_key, app.press, app.shown, app.metrics


def choose(at: AppTest, key: str, value) -> AppTest:
    """Set the control with that key of ours; nothing goes wrong."""
    return clean(app.choose(at, key, value))


def notes(at: AppTest) -> list[str]:
    """Title and note of each drawing."""
    return [f"{p['title']}: {p['note']}" for p in shown(at, "drawing")["panels"]]
