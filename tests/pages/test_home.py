"""The start page: its picture, its cards and its path, whose links open what they say."""

from streamlit.testing.v1 import AppTest

from core.store import new_key
from pages import PAGES
from pages.directions.view import TABS, DirectionsView
from pages.home.path import PATH
from tests.browser import ROOT


def test_every_page_has_a_card_and_what_is_new_is_listed():
    at = AppTest.from_file(ROOT / "app.py", default_timeout=60)
    at.session_state["owner"] = new_key()
    at.run()
    assert not at.exception and at.title[0].value == "Basis Explorer"
    words = [m.value for m in at.markdown]
    assert all(p.sentence in words and p.needs for p in PAGES)
    links = [n for n in at._tree if n.type == "page_link"]
    assert len(links) == len(PAGES) + len(PATH) + 1
    assert any("Sparse autoencoder of Handwritten digits" in w for w in words)  # shipped with the project


def test_the_path_leads_through_views_that_open():
    for _, name, view in PATH:
        assert DirectionsView.from_link(view.link()) == view and view.tab in TABS
        at = AppTest.from_file(ROOT / "pages/directions/page.py", default_timeout=60)
        at.query_params["v"] = view.link()
        at.run()
        assert not at.exception and not at.error, name
