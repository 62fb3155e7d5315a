"""What the table of the library shows of a model or a run."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from core.models import families
from core.runs import RunView
from core.store import Card, Entry
from core.ui.run_panel import duration, measures

_STATE = {"running": "training", "lost": "interrupted"}
_MEASURES = 3  # that the column has room for
_PLACE = {"own": "yours", "shared": "shared", "pretrained": "pretrained"}


@dataclass(frozen=True)
class Row:
    """One line of the library: a model on disk, or a run.

    Attributes:
        ref: `model:<place>/<name>` or `run:<id>`, as the views of pages name it.
        name: what a person calls it.
        cells: the columns of the table.
        entry, run: where it came from; one of them is None.
    """

    ref: str
    name: str
    cells: dict[str, Any]
    entry: Entry | None = None
    run: RunView | None = None


def row_of_entry(entry: Entry) -> Row:
    """The line of a model on disk; a broken one says what is wrong."""
    card = entry.card
    if card is None:
        name = entry.folder.name
        return Row(f"model:{entry.id}", name, {"Name": name, "Where": "broken", "Size / KB": entry.bytes / 1e3}, entry)
    cells = {
        "Name": card.name,
        "Where": _PLACE[entry.place],
        "Family": title_of(card.family),
        "Data": f"{card.data} ({card.samples:,})",
        "Directions": size_of(card),
        "Measures": measures(card.metrics, _MEASURES),
        "Made": card.date[:16].replace("T", " "),
        "Size / KB": entry.bytes / 1e3,
        "Licence of the data": card.licence,
    }
    return Row(f"model:{entry.id}", card.name, cells, entry)


def row_of_run(run: RunView, size: int) -> Row:
    """The line of a run, which takes `size` bytes on disk."""
    name = run.name or title_of(run.family)
    state = _STATE.get(run.state, run.state)
    if run.active and run.total:
        state += f" {run.step / run.total:.0%}"
    if run.seconds_left is not None:
        state += f", {duration(run.seconds_left)} left"
    cells = {
        "Name": name,
        "Where": state,
        "Family": title_of(run.family),
        "Data": f"{run.data['title']} ({run.data['samples']:,})",
        "Directions": "",
        "Measures": measures(run.metrics, _MEASURES),
        "Made": datetime.fromtimestamp(run.created, UTC).isoformat(sep=" ", timespec="minutes")[:16],
        "Size / KB": size / 1e3,
        "Licence of the data": "",
    }
    return Row(f"run:{run.id}", name, cells, run=run)


def title_of(family: str) -> str:
    """A family's title; its plain name when this version does not know it."""
    known = families(family.partition(".")[0])
    return known[family].title if family in known else family


def size_of(card: Card) -> str:
    """The sizes of all bases inside, such as `16 x 64`."""
    return ", ".join(f"{k} x {d}" for k, d in card.sizes.values())
