"""Every recorded expression of an instance computed again: what it gave at the site, it must give here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.context import MISSING
from engine.context.line import json_text, read_line
from engine.context.timeline import LineCause, Timeline
from engine.model.codes.expressions import UNREADABLE
from engine.model.errors import SkerryError
from engine.model.plain_words import wording
from engine.model.states import InstanceState
from export_import.desk.evidence import Evidence
from export_import.desk.omission_marks import is_marked, is_renamed
from export_import.desk.recorded_expression import RecordedScope, computed, same


@dataclass(frozen=True, slots=True)
class Difference:
    """An expression that gives something else here; ``error`` when it gives nothing."""

    seq: int
    path: str
    expression: str
    recorded: Any
    computed: Any = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Reevaluation:
    """Of one instance; ``redacted`` counts those whose inputs are not (or not wholly) here."""

    instance: int
    status: str
    lines: int
    expressions: int
    differences: tuple[Difference, ...] = ()
    redacted: int = 0


def reevaluate(evidence: Evidence, instance: int) -> Reevaluation:
    """Compute every expression of an instance again; a line that is not what was written is a difference."""
    row = evidence.instance(instance)
    found = Tally(evidence.redacted)
    timeline = _whole_timeline(evidence, instance, found)
    folder, zone = evidence.folder(row), evidence.zone(instance)
    if InstanceState(row.status).ended and not evidence.redacted:
        found.differences += _of_snapshot(timeline, folder)
    for cause in timeline.causes():
        if cause.expression is not None:
            found.add(cause, folder, zone)
    status = timeline.at(timeline.last).status or row.status  # as the log says
    return Reevaluation(
        instance, status, timeline.last, found.expressions, tuple(found.differences), found.redacted
    )


def _whole_timeline(evidence: Evidence, instance: int, found: Tally) -> Timeline:
    """The log up to the first line that is missing; altered ones are differences."""
    timeline = Timeline(verify=False)
    for line in evidence.store.lines(instance):
        seq = timeline.last + 1
        try:
            read_line(line)
        except (SkerryError, ValueError) as error:
            found.differences.append(
                Difference(seq, "$", "", None, error=wording(error, "it is no line of a log"))
            )
        try:
            timeline.extend([line])
        except (SkerryError, ValueError, KeyError, TypeError) as error:
            found.differences.append(
                Difference(seq, "$", "", None, error=wording(error, "it is no line of a log"))
            )
            break
    return timeline


def _of_snapshot(timeline: Timeline, folder: Path) -> Iterator[Difference]:
    """``ctx.json`` of an ended instance, where it is here, must be what the log gives."""
    file = folder / "ctx.json"
    if not file.is_file():
        return
    given = f"{json_text(timeline.at(timeline.last).tree)}\n".encode()
    if file.read_bytes() != given:
        yield Difference(timeline.last, "$", "", None, error="ctx.json is not what the log gives")


class Tally:
    """Counts while lines come; ``renamed``: names in them stand for others, a part of one for nothing."""

    def __init__(self, renamed: bool = False) -> None:
        self._renamed = renamed
        self.expressions = 0
        self.redacted = 0
        self.differences: list[Difference] = []

    def add(self, cause: LineCause, folder: Path, zone: str) -> None:
        self.expressions += 1
        recorded = recorded_value(cause)
        if is_marked(dict(cause.inputs)) or is_marked(recorded) or is_marked(cause.expression):
            self.redacted += 1
            return
        try:
            difference = compared(cause, recorded, RecordedScope(cause.inputs, folder, zone))
        except SkerryError as error:
            if error.entry is UNREADABLE:  # a file that the bundle does not hold
                self.redacted += 1
                return
            difference = _difference(cause, recorded, error=error.message)
        if difference is None:
            return
        if self._renamed and is_renamed([dict(cause.inputs), recorded, cause.expression]):
            self.redacted += 1
        else:
            self.differences.append(difference)


def compared(cause: LineCause, recorded: Any, scope: RecordedScope) -> Difference | None:
    """None when a line's expression gives what it gave; SkerryError when it gives nothing."""
    value = computed(cause.expression or "", scope, recorded)
    if recorded is MISSING or same(value, recorded):
        return None
    return _difference(cause, recorded, value)


def _difference(cause: LineCause, recorded: Any, value: Any = None, error: str | None = None) -> Difference:
    shown = None if recorded is MISSING else recorded
    return Difference(cause.seq, cause.path, cause.expression or "", shown, value, error)


def recorded_value(cause: LineCause) -> Any:
    """What a line says that its expression gave; MISSING when it says nothing."""
    return cause.new if cause.new is not MISSING else cause.value


def instances_of(evidence: Evidence, chosen: Iterable[int] = ()) -> list[int]:
    """The numbers to look at: those that were chosen, else all that have a log."""
    return list(chosen) or sorted(row.id for row in evidence.instances() if evidence.store.last_seq(row.id))
