"""The instance that the run mode shows: read, kept current by events, and followed through its log.

Every pane follows this; panes do not know one another.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from PySide6.QtCore import QObject, Signal

from app.desktop.kernel.link import Link, Request
from app.desktop.kernel.reasons import message_then
from app.desktop.run import reading
from app.desktop.run.context_feed import ContextFeed
from app.desktop.run.live_states import LiveStates, concerns
from app.desktop.run.node_states import NodeState, by_node, first_in_trouble, first_needing
from app.desktop.run.reading import RunLook
from app.desktop.run.reason_then import reason_then
from app.desktop.run.selection import RunSelection, Selected
from app.desktop.run.throttle import Throttle
from engine.api.documents import JobDocument
from engine.api.trouble_views import node_of
from engine.context.timeline import JobKey, Moment
from engine.model.errors import SkerryError
from engine.model.message import facts_of
from engine.model.reason import Reason
from engine.model.reason_words import said

_SOONEST = 250  # milliseconds between two readings; a slow reading waits longer
_SHARE = 6  # of the time at most one part in so many is spent on reading
_FEED = 500


class Session(QObject):
    """What is shown of one instance.

    ``looked`` brings a RunLook after every reading, ``states`` a mapping node -> NodeState of what
    changed since, ``fed`` the number of the last line of the context log that is known, ``moment``
    the Moment that a replay is at (None: it shows the present), ``failed`` a SkerryError.
    """

    looked = Signal(object)
    states = Signal(object)
    fed = Signal(int)
    moment = Signal(object)
    failed = Signal(object)

    def __init__(self, link: Link, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.link = link
        self.selection = RunSelection()
        self.look: RunLook | None = None
        self.live: LiveStates | None = None
        self.feed: ContextFeed | None = None
        self.at: Moment | None = None
        self.unread: SkerryError | None = None  # why nothing of the chosen instance is shown
        self._led_to: Selected | None = None  # what no person has selected
        self._again = Throttle(self._ask, _SOONEST, self, _SHARE)
        self._feed_again = Throttle(self._feed, _FEED, self)
        self.selection.follow(self._selected)
        link.changed.connect(self._heard)

    # -- what panes ask ------------------------------------------------------------------------

    @property
    def replaying(self) -> bool:
        """Whether a moment of the past is shown."""
        return self.at is not None

    def node_states(self) -> dict[str, NodeState]:
        if self.at is not None:
            return by_node(self.at.statuses)
        return self.live.states() if self.live is not None else {}

    def job(self) -> JobDocument | None:
        """The selected job in what is shown; None when none is, or it has not begun."""
        now = self.selection.now
        if self.look is None or now.node is None:
            return None
        job = self.look.job(now.node, now.round, now.index)
        return job if self.at is None or job is None else self._job_then(job, self.at)

    def _job_then(self, job: JobDocument, moment: Moment) -> JobDocument:
        """The same job as it was at a moment: of a loop the round that was latest then."""
        rounds = [key.round for key in moment.statuses if key.node == job["node"]]
        chosen = self.selection.now.round
        round = chosen if chosen is not None else max(rounds, default=1)
        entry = moment.entry(JobKey(job["node"], round, job["index"]))
        own = self.look.job(job["node"], round, job["index"]) if self.look is not None else None
        parents = self.look.outline.parents if self.look is not None else {}
        keys = self.look.keys(job["node"]) if self.look is not None else {}
        return job_at(own or job, entry, reason_then(own or job, moment, parents, keys))

    def jobs(self) -> Iterator[JobDocument]:
        """All jobs in what is shown, each as it was then."""
        if self.look is None:
            return
        at, parents = self.at, self.look.outline.parents
        for job in self.look.run["jobs"]:
            if at is None:
                yield job
            else:
                entry = at.entry(JobKey(job["node"], job["round"], job["index"]))
                yield job_at(job, entry, reason_then(job, at, parents, self.look.keys(job["node"])))

    # -- reading -------------------------------------------------------------------------------

    def open(self, instance: int, node: str | None = None) -> None:
        """Show an instance; without a node the job that needs a person most."""
        same = self.selection.now.instance == instance
        if same and node is None:
            node = self.selection.now.node
        self.selection.choose(instance=instance, node=node)
        if same:
            self.refresh()

    def refresh(self) -> None:
        """Read the instance again; one reading at a time."""
        self._again.now()

    def _ask(self) -> Request | None:
        instance, known = self.selection.now.instance, self.look
        if instance is None:
            return None
        return self.link.ask(
            lambda service: reading.look(service, instance, known),
            self._read,
            owner=self,
            failed=lambda error: self._not_read(instance, error),
        )

    def _not_read(self, instance: int, error: SkerryError) -> None:
        if self.look is None and instance == self.selection.now.instance:
            self.unread = error
        self.failed.emit(error)

    def _read(self, look: RunLook) -> None:
        if look.run["instance"] != self.selection.now.instance:
            self.refresh()
            return
        first = self.look is None or self.look.run["instance"] != look.run["instance"]
        self.look, self.live, self.unread = look, LiveStates(look.run), None
        if first or self.feed is None:
            folder = look.run["directory"]
            self.feed = None if folder is None else ContextFeed(Path(folder, "ctx.log"))
        if first and self.selection.now.node is None:
            self._lead_to(first_needing(look.run["jobs"]))
        elif self._led_to is not None and self.selection.now == self._led_to:
            self._lead_to(first_in_trouble(look.run["jobs"]))
        self.looked.emit(look)
        self._feed_again.now()

    def _lead_to(self, job: JobDocument | None) -> None:
        """Select a job, as long as no person has selected another one."""
        if job is not None:
            self.selection.choose(node=node_of(job["node"]))
            self._led_to = self.selection.now

    def _heard(self, events: Sequence[Mapping[str, Any]]) -> None:
        if self.live is None:
            if self._again.busy and concerns(events, self.selection.now.instance):
                self._again.ask()  # what is being read may be from before
            return
        changed = self.live.apply(events)
        if changed and self.at is None:
            self.states.emit(self.live.states(changed))
        if self.live.stale:
            self.live.stale = False
            self._again.ask()

    def _selected(self, now: Selected, before: Selected) -> None:
        if now.instance == before.instance:
            return
        self.look = self.live = self.feed = self.unread = None
        self._again.forget()
        self._feed_again.forget()
        self.show_moment(None)
        self.refresh()

    # -- the context log -----------------------------------------------------------------------

    def _feed(self) -> Request | None:
        feed = self.feed
        if feed is None:
            return None
        return self.link.ask(lambda _: feed.read(), self._fed, owner=self, failed=self.failed.emit)

    def _fed(self, last: int) -> None:
        if self.feed is not None:
            self.fed.emit(self.feed.last)

    def show_moment(self, moment: Moment | None) -> None:
        """Show a moment of the past in every pane; None: the present."""
        if moment is None and self.at is None:
            return
        self.at = moment
        self.moment.emit(moment)


def _directory_then(now: str | None, entry: Mapping[str, Any]) -> str | None:
    """The folder of the job that was there then: beside that of the latest one, wherever that is now."""
    then = entry.get("DIRECTORY")
    return str(Path(now).with_name(Path(then).name)) if now is not None and isinstance(then, str) else None


def job_at(job: JobDocument, entry: Mapping[str, Any] | None, reason: Reason | None = None) -> JobDocument:
    """A job's document as its entry in the context said at a moment; pending when it had none."""
    entry = entry or {"STATUS": "pending"}
    return cast(JobDocument, {
        **job,
        "instance": entry.get("INSTANCE", job["instance"]),
        "directory": _directory_then(job["directory"], entry),
        "status": str(entry.get("STATUS")),
        "attempt": entry.get("ATTEMPT", 0),
        "exit_code": entry.get("EXIT_CODE"),
        "error_code": entry.get("ERROR_CODE"),
        "error_message": entry.get("ERROR_MESSAGE"),
        "error_facts": facts_of(message_then(job, entry)),
        "started_at": entry.get("START_TIME"),
        "ended_at": entry.get("END_TIME"),
        "worker": entry.get("WORKER"),
        "params": entry.get("PARAMS", {}),
        "results": entry.get("RESULT", {}),
        **said(reason),
        "pid": None,
    })  # fmt: skip
