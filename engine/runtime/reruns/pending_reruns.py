"""Instances that run again after others have succeeded; the wait survives the engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from engine.model.codes.recovery import NEIGHBOUR_AT_WORK
from engine.model.errors import SkerryError
from engine.model.reason import Kind, Reason, written
from engine.model.reason_words import brief, said
from engine.model.states import InstanceState
from engine.runtime.reruns.downstream import ChainLink
from engine.runtime.reruns.rerun_request import RerunRequest, Spoken
from engine.runtime.runs.ending import Ending
from engine.runtime.services import EngineServices
from engine.store.rows import InstanceRow


@dataclass
class PendingRerun:
    """What an instance waits for, and the state it had: it has that again when nothing comes of it."""

    link: ChainLink
    run: int
    status: str
    reason: Reason | None
    open: set[int]  # those that have not succeeded yet
    row_state: str  # of the instance, as its row has it

    def to_json(self) -> dict[str, Any]:
        """For the row of the run; edits as they may be shown."""
        request = asdict(self.link.request)
        request["edits"] = [
            [path, value.text if isinstance(value, Spoken) else value, isinstance(value, Spoken)]
            for path, value in self.link.request.edits
        ]
        payload = {"after": list(self.link.after), "open": sorted(self.open), "request": request}
        return payload | {"status": self.status, "reason": self.reason and self.reason.to_json()}

    @classmethod
    def from_json(cls, row: InstanceRow, payload: Mapping[str, Any]) -> PendingRerun:
        """As it was written down."""
        edits = [
            (path, Spoken(value) if said else value) for path, value, said in payload["request"]["edits"]
        ]
        link = ChainLink(RerunRequest(**{**payload["request"], "edits": edits}), tuple(payload["after"]))
        reason = payload["reason"]  # of an earlier version: in words
        why = written(reason) if isinstance(reason, str) else Reason.read(reason, None)
        return cls(link, row.run, payload["status"], why, set(payload["open"]), row.status)


class PendingReruns:
    """The instances that wait so; loop thread only."""

    def __init__(
        self, services: EngineServices, ending: Ending, begin: Callable[[ChainLink, frozenset[int]], None]
    ) -> None:
        self._services = services
        self._ending = ending
        self._begin_rerun = begin  # SkerryError when that cannot be
        self.waiting: dict[int, PendingRerun] = {}

    # -- beginning to wait -----------------------------------------------------------------------

    def add(self, link: ChainLink) -> PendingRerun:
        """Let an ended instance wait for its turn."""
        row = self._services.store.instance(link.request.instance)
        assert row is not None
        wait = PendingRerun(link, row.run, row.status, row.because, set(link.after), row.status)
        self.waiting[row.id] = wait
        self._write(row.id, wait)
        return wait

    def restore(self, row: InstanceRow) -> bool:
        """Whether it waited so under an earlier engine, and now does again; ``settle`` comes when all do."""
        recorded = self._services.store.run(row.id, row.run)
        if row.status != InstanceState.WAITING or recorded is None or recorded.follows is None:
            return False
        self.waiting[row.id] = PendingRerun.from_json(row, recorded.follows)
        return True

    def settle(self) -> None:
        """What ended while no engine was there to see it."""
        before = {id for wait in self.waiting.values() for id in wait.open}
        for id in sorted(before - self.waiting.keys() - self._services.runs.keys()):
            row = self._services.store.instance(id)
            state = InstanceState(row.status) if row else None
            if state is None or state.ended:  # else it could not be taken up: not known yet
                self.ended(id, state)
        for id, wait in list(self.waiting.items()):
            if not wait.open:
                self._begin(id)

    def _write(self, id: int, wait: PendingRerun) -> None:
        why = Reason.of(Kind.RUNS_AGAIN, instances=sorted(wait.open) or list(wait.link.after))
        follows = self._services.mask(wait.to_json())
        self._services.changes.update("run", (id, wait.run), {"follows": follows})
        self._stands(id, wait, InstanceState.WAITING, why)

    def _stands(self, id: int, wait: PendingRerun, state: InstanceState, reason: Reason) -> None:
        before, wait.row_state = wait.row_state, str(state)
        self._services.changes.move("instance", id, before, state, said(reason))
        self._services.events.publish({"kind": "instance", "instance": id, "status": str(state)})

    # -- the turn comes, or never ------------------------------------------------------------------

    def ended(self, instance: int, state: InstanceState | None) -> None:
        """An instance has come to its end: who waited for it begins, or will never; None: it is gone."""
        for id, wait in list(self.waiting.items()):
            is_dropped = id not in self.waiting  # with another one that it waits for
            if is_dropped or instance not in wait.open:
                continue
            if state is not InstanceState.SUCCEEDED:
                kind = Kind.NOT_RUN_AGAIN if state else Kind.NOT_RUN_GONE
                self.drop(id, Reason.of(kind, instance=instance, state=state and str(state)))
                continue
            wait.open.discard(instance)
            if wait.open:
                self._write(id, wait)
            else:
                self._begin(id)

    def _begin(self, id: int) -> None:
        wait = self.waiting.get(id)
        if wait is None or id in self._services.runs:
            return
        try:
            self._begin_rerun(wait.link, frozenset(self.waiting))
        except SkerryError as error:
            return self._not_now(id, error)
        del self.waiting[id]

    def _not_now(self, id: int, error: SkerryError) -> None:
        """A neighbour that was begun meanwhile comes first. Anything else is the end of it."""
        if error.entry is not NEIGHBOUR_AT_WORK:
            return self.drop(id, Reason.of(Kind.NOT_RUN_ERROR, message=error.message))
        self._services.say(f"instance {id} has to wait: {error.message}")
        again = partial(self._services.loop.soon, partial(self._begin, id))
        return self._ending.when_ended(int(error.where or 0), lambda _: again())

    def drop(self, id: int, why: Reason) -> None:
        """It does not run again, and has its earlier state; so do those that waited for it."""
        wait = self.waiting.pop(id)
        state = InstanceState(wait.status)
        self._stands(id, wait, state, why)
        self._services.say(f"instance {id} ({wait.status}): {brief(why)}")
        row = self._services.store.instance(id)
        self._ending.tell_listeners(id, (state, row and row.failure, row.results if row else {}))
        for other, later in list(self.waiting.items()):
            if id in later.open and other in self.waiting:
                self.drop(other, Reason.of(Kind.NOT_RUN_EITHER, instance=id))
