"""What somebody has to decide about the task in front: a conflict, or unsaved work that was found again."""

from __future__ import annotations

from collections.abc import Callable

from app.desktop.design.document import Document
from app.desktop.design.notice_bar import Notice
from app.desktop.design.open_tasks import OpenTasks
from app.desktop.design.recovery import Unsaved
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr


class Decisions:
    """Fills the bar above the canvas."""

    def __init__(
        self, console: Console, tasks: OpenTasks, notice: Notice, look: Callable[[], object]
    ) -> None:
        self._console, self._tasks, self._notice, self._look = console, tasks, notice, look
        self._about: Document | None = None
        tasks.state_changed.connect(self._follow)
        tasks.current_changed.connect(lambda _: self._follow())
        tasks.recovered.connect(self._recovered)

    def _follow(self) -> None:
        current = self._tasks.current
        if current is not None and current.conflict is not None:
            self._ask(current)
        elif self._about is not None:
            self._about = None
            self._notice.hide()

    def _ask(self, document: Document) -> None:
        names = document.conflict.names() if document.conflict else ""
        self._about = document
        self._notice.say(
            tr("Changed elsewhere while you were editing: {names}. Nothing was overwritten.", names=names),
            (
                (tr("Keep mine"), lambda: self._tasks.keep_mine(document)),
                (tr("Take theirs"), lambda: self._tasks.take_theirs(document)),
            ),
            (tr("Show the differences"), self._look),
        )

    def _recovered(self, document: Document, found: Unsaved) -> None:
        if document.conflict is not None:
            return
        time = found.time[:16].replace("T", " ")
        text = tr("Unsaved work of {time} on {id} was found again.", time=time, id=document.task_id)
        self._notice.say(text, ((tr("Keep the work"), _nothing), (tr("Throw it away"), document.undo.undo)))
        self._console.navigator.notify(text)


def _nothing() -> None:
    """It is there already."""
