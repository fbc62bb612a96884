"""What becomes of instances and dependants, said before a task goes online, offline or is deleted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from app.desktop.design.questions import QuestionDialog
from app.desktop.kernel.language import tr, trn
from app.desktop.kernel.reasons import failure_line
from app.desktop.kernel.times import local
from engine.api.documents import Document, FireQuery
from engine.model.errors import SkerryError
from engine.model.message import Message

if TYPE_CHECKING:
    from engine.api.service import Service

_SHOWN = 10  # instances and tasks that are named; the rest is counted
_TIMES = 3
WORDS = {"online": "Put online", "offline": "Take offline", "deleted": "Delete"}
_ASKED = {"online": "Put the task {id} online?", "offline": "Take the task {id} offline?",
          "deleted": "Delete the task {id}?"}  # fmt: skip
_REFUSED = {"online": "The task {id} cannot go online.", "offline": "The task {id} cannot go offline.",
            "deleted": "The task {id} cannot be deleted."}  # fmt: skip
_WAITING = {
    "online": "Tasks that depend on it, and wait for its times: {tasks}",
    "offline": "Tasks that depend on it wait for the times that do not run, unless they are let go: {tasks}",
    "deleted": "Tasks that depend on it, and can no longer go online: {tasks}",
}


@dataclass(frozen=True, slots=True)
class Foreseen:
    """The dry run of one move, as the service gives it, and when the task starts next (ISO 8601)."""

    move: Document
    times: tuple[str, ...] = ()

    @property
    def changes(self) -> bool:
        """Whether there is anything to ask."""
        return not self.move["refused"] and self.move["from"] != self.move["to"]


def foreseen(service: Service, id: str, state: str) -> Foreseen:
    """Of one task; ``state``: online, offline or deleted. Changes nothing."""
    [move] = service.move_tasks([id], state, dry_run=True)["tasks"]
    found = Foreseen(move)
    return Foreseen(move, _next_times(service, id)) if state == "online" and found.changes else found


def _next_times(service: Service, id: str) -> tuple[str, ...]:
    try:
        fires = service.fire_times(FireQuery(task=id, count=_TIMES))["times"]
    except SkerryError:  # a schedule that fires by hand or by a condition has none
        return ()
    return tuple(each["time"] for each in fires if each["time"])


def consequences(found: Foreseen, state: str, unsaved: bool = False) -> Iterator[str]:
    """Sentences, the question first; ``unsaved``: the window has changes of the task that are not saved."""
    move, id = found.move, found.move["task"]
    if move["refused"]:
        yield tr(_REFUSED[state], id=id)
        yield failure_line(None, Message.read(move.get("refused_facts"), move["refused"]))
        return
    if not found.changes:
        yield tr("The task {id} is {state} already: nothing changes.", id=id, state=tr(state))
        return
    yield tr(_ASKED[state], id=id)
    if found.times:
        yield tr("It starts next: {times}", times=", ".join(local(each) for each in found.times))
    yield from _instances(move, state)
    if move["dependants"]:
        yield tr(_WAITING[state], tasks=_some(move["dependants"]))
    if state == "deleted":
        yield tr("Its runs and revisions stay; it can no longer be run.")
    if unsaved and state == "online":
        yield tr("What is not saved takes no part: the saved revision goes online.")


def _instances(move: Document, state: str) -> Iterator[str]:
    numbers: Sequence[int] = move["instances"]
    if numbers:
        named = _some([f"#{each}" for each in numbers])
        one, many = "1 instance will not begin: {numbers}", "{n} instances will not begin: {numbers}"
        yield trn(len(numbers), one, many, numbers=named)
    elif state == "offline":
        yield tr("No instance of it waits to begin.")
    if state == "offline":
        yield tr("What runs goes on.")


def _some(names: Sequence[str]) -> str:
    rest = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (tr(" and {n} more", n=rest) if rest > 0 else "")


def ask_state(found: Foreseen, state: str, do: Callable[[], object], owner: QWidget, unsaved: bool) -> None:
    """Show what would become of it; ``do`` is called when the person wants it."""
    text = "\n\n".join(consequences(found, state, unsaved))
    answers = ((tr(WORDS[state]), do),) if found.changes else ()
    QuestionDialog(tr(WORDS[state]), text, answers, owner).open()
