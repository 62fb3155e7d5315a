"""Tab *Take away*: control vectors, the texts, the recipe, and a snippet that writes the same again."""

import hashlib
import json

import numpy as np
import streamlit as st

from core.errors import InputError
from core.steering.loading import DEFAULT
from core.steering.shared import shared
from core.steering.steer import RED
from core.steering.vectors import from_gguf, mixed, to_gguf
from core.ui.brought import Brought
from core.ui.history import History
from core.ui.takeaway import download, recipe
from core.ui.text import escape, say_error
from pages.steering.asked import (
    Vector,
    capped,
    described,
    desk,
    key_of,
    ratio_of,
    rows_of,
    steers_of,
    vector_of,
    weights_of,
    writing_of,
)
from pages.steering.opened import Opened, Ready
from pages.steering.tabs.common import needs_model
from pages.steering.view import SHIPPED, SteeringView


def draw(history: History[SteeringView], opened: Opened, ready: Ready | None) -> None:
    """Files and the recipe on the left, code on the right."""
    if ready is None:
        needs_model()
        recipe(history)
        return
    files, code = st.columns([2, 3], gap="large")
    with files:
        _vector_out(history, opened, ready)
        _vector_in(history, opened, ready)
        _texts(history, ready)
        recipe(history)
    with code:
        st.subheader("The same in Python", anchor=False)
        st.caption("Run it from the project's folder; it writes both texts with the same seed.")
        st.code(_snippet(opened, ready, history.now), language="python")


def _vector_out(history: History[SteeringView], opened: Opened, ready: Ready) -> None:
    st.subheader("Control vector", anchor=False)
    try:
        vectors = mixed(capped(ready, steers_of(ready, history.now)))
    except InputError as error:
        st.caption(escape(str(error)))
        return
    if not vectors:
        st.caption("All weights are 0: move a slider, and the sum can be taken away as a control-vector file.")
        return
    st.caption(
        f"The sum of the sliders ({escape(described(ready, history.now))}) as GGUF, which repeng and llama.cpp read."
    )
    download(history.page, "Control vector as GGUF", lambda: to_gguf(vectors, shared(opened.source)), "steer.gguf")


def _vector_in(history: History[SteeringView], opened: Opened, ready: Ready) -> None:
    own = Brought[Vector].of("steering")
    file = st.file_uploader(
        "Steer with a control vector (GGUF)", key=f"steering:vector:{own.generation}", max_upload_size=64,
        help="It becomes one more slider. Nothing leaves this server, and nobody else sees it.",
    )  # fmt: skip
    if file is not None:
        own.generation, own.error = own.generation + 1, ""
        content = file.getvalue()
        try:
            with st.spinner("Reading ..."):
                vectors = from_gguf(content, shared(opened.source))
            ratio = max(float(np.linalg.norm(v)) / ready.norms[b] for b, v in vectors.items())
        except (InputError, ValueError) as error:
            own.error = str(error) if isinstance(error, InputError) else "This control vector holds no direction."
        else:
            print_ = own.keep(hashlib.sha256(content).hexdigest()[:24], Vector(file.name[:60], vectors, ratio))
            history.change(vector=print_, file=1.0)
        st.rerun()
    if own.error:
        say_error(own.error)
    if history.now.file and vector_of(history.now) is None:
        st.info("This link uses a control vector that stayed with the session that brought it.", icon=":material/info:")


def _texts(history: History[SteeringView], ready: Ready) -> None:
    piece = desk().find(key_of(ready, history.now))
    if piece is None or piece.active or not piece.length:
        return
    st.subheader("Texts", anchor=False)
    view, rows = history.now, rows_of(ready, history.now)

    def made() -> str:
        plain = {
            "prompt": view.prompt,
            "model": ready.opened.model.about_.get("model", ready.opened.source),
            "directions": ready.opened.title,
            "writing": writing_of(view).as_dict(),
            "columns": [
                {
                    "title": title,
                    "note": note,
                    "text": piece.text(i),
                    "perplexity": piece.perplexity(i),
                    "kl": piece.kl(i),
                    "tokens": [
                        {"text": t.text, "id": t.id, "kl": t.kl, "probability": t.chance} for t in piece.rows[i]
                    ],
                }
                for i, (title, note, _) in enumerate(rows)
            ],
        }
        return json.dumps(plain, indent=1, ensure_ascii=False)

    download(history.page, "Texts with numbers as JSON", made, "texts.json")


def _snippet(opened: Opened, ready: Ready, view: SteeringView) -> str:
    """Code that writes both texts again: what `steers_of` and `capped` do, without the page."""
    writing, given, names = writing_of(view), vector_of(view), opened.names
    if opened.ref == SHIPPED:
        load = f'skills, card = load("assets/models/{SHIPPED.partition("/")[2]}")'
    else:
        load = 'skills, card = load("skills.basis.zip")  # exported on the page Library'
    weights = weights_of(ready, view)
    moved = {int(i): round(float(weights[i]), 2) for i in np.flatnonzero(weights)}  # by number: two names may be alike
    called = ", ".join(names[i] for i in moved) or "none"
    source = "" if opened.source == DEFAULT else repr(opened.source)
    settings = {k: v for k, v in writing.as_dict().items() if v != getattr(type(writing)(), k)}
    options, more = f"where={view.where!r}", []
    if len(opened.blocks) == 1:
        options = f"method={view.method!r}, {options}"
        if view.against in names:
            options += f", against=basis.directions[{opened.number(view.against)}]"
        if ready.block(view) != opened.blocks[0]:
            more.append(f"steers = [replace(s, block={ready.block(view)}) for s in steers]")
    if given is not None and view.file:
        more += [
            f"vectors = from_gguf(Path({given.name!r}).read_bytes(), model)",
            f"steers += [Steer.of_vector(b, {view.file!r} * v, where={view.where!r}) for b, v in vectors.items()]",
        ]
    if (ratio := ratio_of(ready, steers_of(ready, view))) > RED:
        more.append(f"steers = [s.scaled({RED / ratio!r}) for s in steers]  # to r = {RED} in all")
    lines = "".join(f"{line}\n" for line in more)
    standard = ("from dataclasses import replace\n" if "replace(" in lines else "") + (
        "from pathlib import Path\n" if "Path(" in lines else ""
    )
    own = ("from core.steering.steer import Steer\nfrom core.steering.vectors import from_gguf\n") * ("Steer." in lines)
    return f"""{standard}{chr(10) if standard else ""}import numpy as np

from core.steering import families
from core.steering.generate import Row, Writing, write
from core.steering.language_model import LanguageModel
{own}from core.store import load

model = LanguageModel.load({source})
{load}
skills.check(model)  # the directions belong to this model's weights
basis = skills.bases()["directions"]
weights = {moved!r}  # in sigma, by number; {" ".join(called.split())}
code = np.array([weights.get(i, 0.0) for i in range(basis.k)])
steers = skills.steers(code, {options})
{lines}rows = [Row({view.prompt!r}), Row({view.prompt!r}, [s for s in steers if s.active] or None)]
for text in write(model, rows, settings=Writing(**{settings!r})):
    print(text.text, "| perplexity", round(text.perplexity, 2))
"""
