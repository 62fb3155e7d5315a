"""Help for tests of the page *Frequency transport*."""

from page_app import PageApp
from streamlit.testing.v1 import AppTest

from pages.transport.view import TransportView

app = PageApp("transport", TransportView)
open_at, settle, now, clean, by_key, metrics = app.open_at, app.settle, app.now, app.clean, app.by_key, app.metrics


def captions(at: AppTest) -> str:
    """All captions."""
    return "\n".join(c.value for c in at.caption)
