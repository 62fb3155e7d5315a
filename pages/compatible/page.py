"""The page *Compatible spaces*: may one swap the model without computing every embedding again?"""

import streamlit as st

from core.errors import InputError
from core.ui.frame import device_line, header, steps
from core.ui.history import History
from core.ui.owner import remember_owner
from core.ui.text import say_error
from pages.compatible import centre, data, shown, tabs
from pages.compatible.shown import Shown
from pages.compatible.view import CompatibleView


def main() -> None:
    """The page, top to bottom."""
    history = History("compatible", CompatibleView)
    header(
        "Compatible spaces",
        "May you swap the model without re-indexing everything? Map new embeddings to old ones and read what it costs.",
        "Schönemann 1966 · Li et al. 2016 · Zhou et al. 2022 · Biondi et al. 2023 · Ricci et al. 2025",
    )
    with st.sidebar:
        steps(history)
        chosen = data.choose(history)
        below = st.container()
        device_line()
        remember_owner()
    given = data.get(history, chosen)
    if given is None:
        centre.waiting()
        return
    with below:
        data.options(history, given)
    try:
        key, study = shown.study_of(given, history.now)
    except InputError as error:
        say_error(error)
        return
    path = shown.path_of(key, study)
    centre.controls(history, study, path)
    view = history.now
    judge = lambda name, one: shown.judged(key, name, study, one)  # noqa: E731
    on = Shown(
        key=key,
        given=given,
        study=study,
        chosen=judge(shown.name_of(view, path), shown.chosen_map(key, study, view, path)),
        plain=judge("none", study.map("none")),
        rigid=judge("procrustes", study.map("procrustes")),
        path=path,
    )
    centre.draw(history, on)
    tabs.draw(history, on)


main()
