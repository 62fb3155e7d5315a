"""Tab *Simplex heads*: fixed class directions against learned ones, trained here."""

import streamlit as st

from core.compatible.pairs import pairs
from core.compatible.places import Places, places
from core.compatible.retrieval import retrieval
from core.compatible.study import rigid_chain
from core.compatible.versions import VersionSettings
from core.figures.spaces import around_corners
from core.ui.history import History
from pages.compatible.shown import Shown
from pages.compatible.tabs.training import Trained, trained, version_settings
from pages.compatible.view import CompatibleView

# in three dimensions a lower scale: with more, three classes are told apart long before they reach their corners
SPACE = VersionSettings(room=4, steps=250, scale=6.0)
NUMBERS = VersionSettings(steps=250)
HEADS = {"simplex": "Fixed at a simplex", "learned": "Learned"}


def draw(history: History[CompatibleView], on: Shown) -> None:
    """Four classes in space, then ten classes in numbers."""
    _space(history)
    st.divider()
    _numbers(history)


def _space(history: History[CompatibleView]) -> None:
    st.subheader("A class that comes later, in three dimensions", anchor=False)
    head = history.now.one_of("heads", "space", HEADS, "simplex")
    history.bind(
        "heads.space", st.segmented_control, "Head", list(HEADS), value=head, format_func=HEADS.get, required=True
    )
    done = trained("heads-space", (3, 4), _with(SPACE, head), history.now.seed, classes=4)
    if done is None:
        return
    found = places(*done.versions, done.test_y)
    names = [str(i) for i in range(4)]
    for column, version, when in zip(
        st.columns(2), done.versions, ("Old: digits 0 to 2", "New: digits 0 to 3"), strict=True
    ):
        with column:
            st.markdown(f"**{when}** · {version.accuracy:.1%} of held-out digits right")
            known = len(version.classes)
            fig = around_corners(version.features, done.test_y, version.directions, names, known)
            st.plotly_chart(
                fig, key=f"compatible:space:{known}",
                alt=f"Four digits on a sphere around the class directions of the network of {known} classes",
            )  # fmt: skip
    st.caption(
        "Each dot is one held-out digit on the sphere of unit features; each spoke is a class direction. Dotted: the "
        "direction of the class that comes later, here the digit 3, whose room a simplex head keeps free. Drag to turn."
    )
    _places(found)


def _places(found: Places) -> None:
    columns = st.columns(3)
    for place, name, value, help in zip(
        columns,
        ("Directions moved", "Class means moved", "Digit 3 to its direction"),
        (found.directions, found.means, found.after),
        (
            "Mean angle between the old and the new directions of the digits 0 to 2.",
            "Mean angle between the old and the new mean features of the digits 0 to 2.",
            "Angle between the mean feature of the class added later and its direction, once it is trained.",
        ),
        strict=True,
    ):
        place.metric(name, f"{value:.1f}°", help=help, border=True)
    st.caption(f"Before it was trained on, the mean feature of digit 3 was {found.before:.1f}° from that direction.")


def _numbers(history: History[CompatibleView]) -> None:
    st.subheader("Ten classes: what the head alone brings", anchor=False)
    left, right = st.columns([1, 3], gap="large")
    with left:
        first = history.now.heads.get("first", 5)
        first = first if isinstance(first, int) and 2 <= first <= 9 else 5
        history.bind(
            "heads.first", st.slider, "Classes of the old network", 2, 9, value=first,
            help="The new one knows all ten digits.",
        )  # fmt: skip
        mine = version_settings(history, "heads", ("align", "weight", "room", "steps"), NUMBERS)
    ways = {
        "learned head": _with(NUMBERS, "learned", mine.steps),
        "simplex head": _with(NUMBERS, "simplex", mine.steps),
    }
    own = f"simplex head, {mine.align}" if mine.align != "none" else f"simplex head, room for {mine.room}"
    if mine not in ways.values():
        ways[own] = mine
    rows = []
    with right:
        for i, (name, settings) in enumerate(ways.items()):
            done = trained(f"heads-{i}", (first, 10), settings, history.now.seed)
            if done is None:
                st.caption(f"{name} is in training; the others follow.")
                break
            rows.append({"Way": name, **_row(done)})
        if rows:
            share = st.column_config.NumberColumn(format="percent")
            st.dataframe(
                rows, hide_index=True, alt="Retrieval of each way",
                column_config={c: share for c in rows[0] if c not in ("Way", "Directions moved")},
            )  # fmt: skip
            st.caption(
                "Recall@1 by label on held-out digits. *+ rigid map*: after Procrustes, fitted on the training digits. "
                "*distill* (CL2R) copies the old features of the classes the old network knew; *contrast* (HOC) tells "
                "the old feature of the same item from those of other classes. One seed is a direction, not a law: "
                "change the seed on the left to see the spread."
            )


def _with(base: VersionSettings, head: str, steps: int | None = None) -> VersionSettings:
    return VersionSettings.of({**base.as_dict(), "head": head, "steps": steps or base.steps})


def _row(done: Trained) -> dict:
    old, new = done.versions
    both = pairs(new.features, old.features)
    mapped = rigid_chain([old.train_features, new.train_features], [old.features, new.features])[1]

    def recall(queries, gallery) -> float:
        return retrieval(queries, gallery, done.test_y, mean_ap=False).recall

    return {
        "old/old": recall(both.old, both.old),
        "new/old": recall(both.new, both.old),
        "+ rigid map": recall(mapped, both.old),
        "new/new": recall(both.new, both.new),
        "Accuracy, new": new.accuracy,
        "Directions moved": f"{places(old, new, done.test_y).directions:.1f}°",
    }
