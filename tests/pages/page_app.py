"""Help for tests of a page without a browser: open it at a view, use its controls, read what it shows."""

import json
import time
from dataclasses import dataclass
from typing import Any

from streamlit.testing.v1 import AppTest

from core.ui.view import View
from tests.browser import ROOT

SECONDS = 60


@dataclass(frozen=True)
class PageApp:
    """One page.

    Attributes:
        name: of its folder and of its widgets' keys.
        view: the class of its views.
        patient: whether every use of it waits for the work beside the page.
    """

    name: str
    view: type[View]
    patient: bool = False

    def open_at(self, view: View | None = None, **fields: Any) -> AppTest:
        """The page in a session of its own, opened by the link of a view."""
        at = AppTest.from_file(ROOT / f"pages/{self.name}/page.py", default_timeout=SECONDS)
        view = view or self.view(**fields)
        if view.changed():
            at.query_params["v"] = view.link()
        return self._ran(at)

    def _ran(self, at: AppTest) -> AppTest:
        return self.settle(at.run()) if self.patient else at.run()

    def settle(self, at: AppTest) -> AppTest:
        """Run until no work is under way beside the page."""
        until = time.monotonic() + SECONDS
        while any((b.key or "").endswith(":cancel") for b in at.button):
            assert time.monotonic() < until, "the work never ended"
            time.sleep(0.1)
            at = at.run()
        return at

    def now(self, at: AppTest) -> Any:
        """The present view of the session."""
        return at.session_state[f"{self.name}:history"]["now"]

    def linked(self, at: AppTest) -> View:
        """The view that the address holds."""
        link = at.query_params.get("v")
        link = link[0] if isinstance(link, list) else link
        return self.view() if link is None else self.view.from_link(link)

    def said(self, at: AppTest) -> list[str]:
        """What the page complains about."""
        return [e.value for e in at.error] + [e.message for e in at.exception]

    def clean(self, at: AppTest) -> AppTest:
        """Assert that nothing went wrong and that the address holds the view."""
        assert self.said(at) == []
        assert self.linked(at) == self.now(at)
        return at

    def by_key(self, at: AppTest, key: str) -> Any:
        """The element with that key of ours."""
        found = [node for node in at._tree if getattr(node, "key", None) == f"{self.name}:{key}"]
        assert len(found) == 1, f"{len(found)} elements have the key {self.name}:{key}"
        return found[0]

    def keys(self, at: AppTest) -> set[str]:
        """The keys of all elements, without the name of the page."""
        return {node.key.removeprefix(f"{self.name}:") for node in at._tree if getattr(node, "key", None)}

    def shown(self, at: AppTest, key: str) -> dict[str, Any]:
        """What a component in the browser is given to draw."""
        return json.loads(self.by_key(at, key).proto.json)

    def choose(self, at: AppTest, key: str, value: Any) -> AppTest:
        """Set the control with that key of ours, and run."""
        return self._ran(self.by_key(at, key).set_value(value))

    def press(self, at: AppTest, key: str) -> AppTest:
        """Press the button with that key of ours."""
        return self._ran(self.by_key(at, key).click())

    def metrics(self, at: AppTest) -> dict[str, str]:
        """Figures by label."""
        return {m.label: m.value for m in at.metric}
