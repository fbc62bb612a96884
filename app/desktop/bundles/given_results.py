"""What a job that cannot run here would give: asked by name and kind, for a trial at the desk."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtWidgets import QWidget

from app.desktop.kernel.language import tr
from app.desktop.kernel.reasons import error_line
from app.desktop.kernel.visible_text import visible
from app.desktop.widgets.questions import Asking
from engine.model.errors import SkerryError
from engine.model.expression import as_kind, as_text
from engine.model.quantities import Kind
from engine.plugins.job_type import JobType

Results = Mapping[str, Any]


def result_kinds(
    tree: Mapping[str, Any], task: str, node: str, types: Mapping[str, JobType]
) -> dict[str, Kind | None]:
    """By name the results that a node's job leaves: its type's own and those defined without a value."""
    raw = tree.get("tasks", {}).get(task, {}).get("nodes", {}).get(node) or {}
    keys = {**((tree.get("jobs") or {}).get(str(raw.get("job"))) or {}), **raw}
    kind = types.get(str(keys.get("type")))
    own = {each.name: each.kind for each in kind.results} if kind is not None else {}
    own.pop("exit_code", None)  # it is what "it succeeds" says
    defined = {
        name: spec.get("kind")
        for name, spec in (keys.get("results") or {}).items()
        if isinstance(spec, Mapping) and "value" not in spec
    }
    return own | defined


class GivenResults(Asking):
    """``results`` are the values that were typed, each of its kind; what was left empty is not among them."""

    def __init__(self, node: str, kinds: Mapping[str, Kind | None], given: Results, parent: QWidget) -> None:
        text = tr(
            "It is taken to succeed. What follows reads what it gives; leave empty what it does not give."
        )
        super().__init__(
            parent, tr("What {node} gives", node=visible(node)), text, tr("Take it and try again")
        )
        self.results: Results = {}
        self.fields = {
            name: self.line(f"{name} ({tr(kind)})" if kind else name, as_text(given.get(name, "")))
            for name, kind in kinds.items()
        }
        self._kinds = kinds
        self.attempt = self._take

    def _take(self) -> None:
        """Close it, or say at the first value that is not of its kind what is wrong with it."""
        found = {}
        for name, field in self.fields.items():
            if not field.text():
                continue
            try:
                found[name] = as_kind(field.text(), self._kinds[name])
            except SkerryError as error:
                return self.refuse(error_line(error), field)
        self.results = found
        self.done(self.DialogCode.Accepted)
        return None
