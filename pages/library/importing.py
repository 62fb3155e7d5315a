"""Bring a model into the library, and bring one's library to another browser."""

import streamlit as st

from core.errors import InputError
from core.store import add_file, places
from core.ui.owner import owner_key
from core.ui.text import escape

_TURN, _SAID = "library:import-turn", "library:import-said"


def draw() -> None:
    """An uploader for exported models. A bad file is one sentence and changes nothing."""
    st.subheader("Import a model", anchor=False)
    turn = st.session_state.setdefault(_TURN, 0)
    shared = st.toggle("For everyone on this server", key="library:import-shared")
    given = st.file_uploader("An exported model", type=["zip"], key=f"library:import:{turn}", max_upload_size=1100)
    if given is not None:
        place = places(owner_key())["shared" if shared else "own"]
        try:
            entry = add_file(given.getvalue(), place)
            st.session_state[_SAID] = ("success", f"{entry.card.name} is in the library now.")
            st.session_state["library:pick"] = f"model:{entry.id}"
        except InputError as error:
            st.session_state[_SAID] = ("error", str(error))
        st.session_state[_TURN] += 1
        st.rerun()
    if _SAID in st.session_state:
        how, sentence = st.session_state.pop(_SAID)
        getattr(st, how)(escape(sentence))


def private_link() -> None:
    """The link that opens one's own models in another browser."""
    with st.expander("Your models elsewhere", icon=":material/key:"):
        st.caption(
            "Your own models and runs belong to this browser. This address opens them in another one; whoever has it "
            "can read and change them, so keep it to yourself."
        )
        base = (st.context.url or "").split("?")[0]
        st.code(f"{base}?key={owner_key()}", language=None, wrap_lines=True)
