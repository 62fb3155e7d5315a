"""A training while one looks at it: curve, preview, time left, stop, keep, resume."""

from collections.abc import Callable, Mapping

import streamlit as st

from core.datasets import Dataset
from core.errors import InputError
from core.figures import chart
from core.models import family
from core.runs import RunView, Unreachable
from core.ui.owner import owner_key
from core.ui.server_runs import runs
from core.ui.text import escape, say_error

REFRESH_SECONDS = 1.0
SILENT_SECONDS = 10.0  # a worker that was killed is noticed after this or later
_STATES = {
    "waiting": ":orange-badge[waiting]",
    "running": ":blue-badge[training]",
    "stopped": ":gray-badge[stopped]",
    "failed": ":red-badge[failed]",
    "done": ":green-badge[done]",
    "lost": ":orange-badge[interrupted]",
}


def train_button(
    label: str, start: Callable[[bool], str], *, key: str, estimate: float, what: tuple[str, dict, Dataset]
) -> str | None:
    """A button that starts a run, and one that goes to the same run where this browser has it under way already.

    The second is for a page that was reloaded before the address held the run.

    Args:
        start: submits the run and returns its id; its argument is True to run on this machine although a cluster is
            configured.
        estimate: seconds that the training will take, roughly.
        what: is trained: family, settings and data.

    Returns:
        The id of the run to show, or None.
    """
    with st.container(horizontal=True, vertical_alignment="center"):
        pressed = st.button(label, type="primary", icon=":material/model_training:", key=key)
        st.caption(f"Takes {duration(estimate)} or so on one core, in the background; you can stop it at any time.")
    same = _under_way(*what)
    if same and not pressed:
        with st.container(horizontal=True, vertical_alignment="center"):
            show = st.button("Show it", icon=":material/visibility:", key=f"{key}:show")
            st.caption("The same training is under way already.")
        if show:
            return same
    here = False
    if st.session_state.get(f"{key}:unreachable"):
        st.warning(st.session_state[f"{key}:unreachable"], icon=":material/lan:")
        here = st.button("Train on this machine instead", key=f"{key}:here", icon=":material/computer:")
    if not (pressed or here):
        return None
    try:
        with st.spinner("Starting ..."):
            started = start(here)
    except Unreachable as error:
        st.session_state[f"{key}:unreachable"] = escape(str(error))
        st.rerun()
    st.session_state.pop(f"{key}:unreachable", None)
    return started


def _under_way(name: str, settings: dict, dataset: Dataset) -> str | None:
    """The newest of this browser's runs that trains the same right now."""
    for run in reversed(runs().under_way(owner_key())):
        if run.family == name and run.settings == settings and run.data["fingerprint"] == dataset.fingerprint:
            return run.id
    return None


def run_panel(run_id: str, *, key: str) -> RunView | None:
    """Draw a run, and have it drawn again every second until it ends; the page is then run once as a whole.

    Returns:
        The run as it is now, or None with a sentence on the page when there is no such run.
    """
    try:
        view = runs().follow(run_id)
    except InputError as error:
        say_error(error)
        return None
    st.fragment(_panel, run_every=REFRESH_SECONDS if view.active else None)(run_id, key, view.active)
    return view


def _panel(run_id: str, key: str, was_active: bool) -> None:
    view = runs().follow(run_id)
    if view.active != was_active:  # it has ended, or was resumed: the page draws other things, and follows it or not
        st.rerun()
    with st.container(border=True):
        _headline(view)
        if view.active:
            st.progress(min(view.step / view.total, 1.0) if view.total else 0.0)
        _buttons(view, key)
        training_curves(view, key)


def _headline(view: RunView) -> None:
    parts = [f"**{escape(view.name or family(view.family).title)}** {_STATES[view.state]}"]
    if view.queue:
        parts.append(f"number {view.queue} in the queue")
    if view.total:
        parts.append(f"step {view.step:,} of {view.total:,}")
    if view.seconds:
        parts.append(f"{duration(view.seconds)} so far")
    if view.seconds_left is not None:
        parts.append(f"{duration(view.seconds_left)} left")
    if view.silent > SILENT_SECONDS and view.step:
        parts.append(f"no news for {duration(view.silent)}; if its worker was lost, it goes on by itself")
    if view.device:
        parts.append(f"on {escape(view.device)}" + (f" of {escape(view.where)}" if view.where else ""))
    st.markdown(" · ".join(parts))
    if view.kept and not view.active and (view.kept_step or view.step) < view.step:
        st.caption(f"The model is that of step {view.kept_step:,}; it was not kept since.")
    if view.error:
        st.warning(escape(view.error), icon=":material/error:")
    trouble = runs().trouble()
    if trouble and trouble != view.error:
        st.warning(escape(trouble), icon=":material/lan:")


def _buttons(view: RunView, key: str) -> None:
    def act(what: Callable[..., None], **more) -> Callable[[], None]:
        def pressed():
            try:
                what(view.id, **more)
            except InputError as error:
                st.session_state[f"{key}:said"] = str(error)
                st.session_state[f"{key}:far"] = isinstance(error, Unreachable)

        return pressed

    said = st.session_state.pop(f"{key}:said", "")
    if said:
        say_error(said)
    if not runs().owns(view.id, owner_key()):
        if view.active:
            st.caption("This training was started in another browser, which alone can stop it; here you watch it.")
        return
    with st.container(horizontal=True):
        if view.active:
            st.button(
                "Stop and keep", icon=":material/stop_circle:", key=f"{key}:keep", on_click=act(runs().stop),
                help="End now and show the basis as far as it has learned. It can be resumed.",
            )  # fmt: skip
            st.button(
                "Stop", icon=":material/cancel:", key=f"{key}:stop", on_click=act(runs().kill),
                help="End now without a model. It can be resumed from its last checkpoint.",
            )  # fmt: skip
        elif view.resumable:
            st.button(
                "Resume", icon=":material/play_arrow:", key=f"{key}:resume", on_click=act(runs().resume),
                help="Go on from the last checkpoint, with the numbers that an uninterrupted training would give.",
            )  # fmt: skip
            if st.session_state.pop(f"{key}:far", False):
                st.button(
                    "Resume on this machine instead", icon=":material/computer:", key=f"{key}:here",
                    on_click=act(runs().resume, here=True),
                )  # fmt: skip


def training_curves(view: RunView, key: str) -> None:
    """The loss over the steps, the other measures behind a choice, and the preview."""
    names = sorted({n for point in view.history for n in point} - {"step", "seconds"})
    if not names and view.preview is None:
        return
    curve, picture = st.columns([3, 1]) if view.preview is not None else (st.container(), None)
    if names and len({p["step"] for p in view.history}) == 1:  # a curve of one point is none
        curve.caption(measures(view.metrics))
    elif names:
        first = names.index("loss") if "loss" in names else 0
        with curve:
            name = st.selectbox("Measure", names, index=first, key=f"{key}:measure") if len(names) > 1 else names[0]
            points = [(p["step"], p[name]) for p in view.history if p.get(name) is not None]
            if len(dict(points)) == 1:  # measured once, at the end
                st.caption(measures({name: points[-1][1]}))
            else:
                steps, values = zip(*points, strict=True) if points else ((), ())
                figure = chart.lines(
                    {name: (steps, values)}, x="Step", y=name.replace("_", " "), height=240, legend=False
                )
                st.plotly_chart(figure, key=f"{key}:curve", alt=f"{name} over the training steps")
    if picture is not None:
        picture.image(view.preview, caption="As it is now", alt="What the model draws or has learned at this step")


def measures(metrics: Mapping[str, float | None], most: int | None = None) -> str:
    """The first measures in one line."""
    known = [(n.replace("_", " "), v) for n, v in metrics.items() if v is not None][:most]
    return ", ".join(f"{n} {v:.3g}" for n, v in known)


def duration(seconds: float) -> str:
    """A time as people say it: `12 s`, `3 min`, `1 h 20 min`."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"
