"""Which logs the log dock shows: those of the selected job and attempt, at the moment that is replayed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject

from app.desktop.kernel.times import shown
from app.desktop.log.model import LogStream
from app.desktop.log.pane import LogPane
from app.desktop.run.session import Session
from app.desktop.run.throttle import Throttle
from engine.api.documents import JobDocument, LogFile
from engine.context.timeline import Moment
from engine.model.errors import Invalid, SkerryError
from engine.model.states import JOB_ENDED


class LogFeed(QObject):
    """Keeps a log pane with the selection."""

    def __init__(self, session: Session, pane: LogPane, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._pane = session, pane
        self._asked: object = None
        self._opened = False
        self._again = Throttle(self._show, 60, self)
        session.selection.follow(lambda now, before: self._again.ask())
        session.looked.connect(lambda _: self._again.ask())
        session.moment.connect(self._moment)

    def _show(self) -> None:
        now, job, replaying = self._session.selection.now, self._session.job(), self._session.replaying
        ended = job is not None and job["status"] in map(str, JOB_ENDED)
        wanted = (
            None
            if job is None
            else (job["instance"], job["attempt"], now.attempt, ended, job["directory"], replaying)
        )
        if wanted == self._asked:
            return
        self._asked = wanted
        if job is not None and replaying and job["directory"] is not None:
            self._pane.open([_file_then(job, now.attempt or job["attempt"])], self._first_stream())
            return
        if job is None or (job["directory"] is None and job["attempt"] == 0):
            self._pane.open(())
            return
        instance, node, attempt = now.instance, now.node, now.attempt
        assert instance is not None

        def done(files: Sequence[LogFile]) -> None:
            if self._asked == wanted:
                self._pane.open(_chosen(files, job), self._first_stream())

        def failed(error: SkerryError) -> None:
            if self._asked == wanted:
                self._pane.open(())
            if not isinstance(error, Invalid):
                self._session.failed.emit(error)

        self._session.link.ask(
            lambda service: service.logs(instance, node, attempt), done, owner=self, failed=failed
        )

    def _first_stream(self) -> LogStream | None:
        """Both streams at first: nobody should miss what went wrong because it is in the other one."""
        stream = None if self._opened else LogStream.BOTH
        self._opened = True
        return stream

    def _moment(self, moment: Moment | None) -> None:
        self._again.ask()
        time = moment.time if moment is not None else None
        self._pane.seek_time(None if time is None else shown(time))


def _file_then(job: JobDocument, attempt: int) -> LogFile:
    """The log of the attempt that a replay is in; what ran again since has moved it aside."""
    folder = Path(job["directory"] or "")
    aside = folder / "attempts" / str(attempt)
    path = str((aside if aside.is_dir() else folder) / "job.log")
    return {
        "node": job["node"],
        "instance": job["instance"] or 0,
        "attempt": attempt,
        "path": path,
        "ended": True,
    }


def _chosen(files: Sequence[LogFile], job: JobDocument) -> list[LogFile]:
    """The log of this very job first; a group's members, a batch's others after it."""
    folder = job["directory"]
    own = [file for file in files if folder is not None and file["path"].startswith(f"{folder}/")]
    return own + [file for file in files if file not in own]
