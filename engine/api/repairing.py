"""Reruns, pauses and outcomes settled by hand as a service; the same three ways as the rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from engine.api.documents import Document
from engine.api.no_engine import refuse
from engine.api.once import Once
from engine.model.states import JobState

if TYPE_CHECKING:
    from engine.planning.rerun import Mode
    from engine.runtime.engine import Engine
    from engine.runtime.library import Types
    from engine.runtime.reruns.rerun_request import RerunRequest
    from engine.runtime.workspace import Workspace
    from engine.store.port import Store


@dataclass(frozen=True, slots=True)
class Rerun:
    """Which part of an ended instance runs again.

    ``edits`` are (path, text): each text is read as the kind of the value that it replaces. ``current``:
    by the definition as it stands now, not as it was captured.
    """

    instance: int
    mode: Mode
    nodes: tuple[str, ...] = ()
    with_upstream: bool = False
    downstream: bool = False
    edits: tuple[tuple[str, str], ...] = ()
    reason: str = ""
    current: bool = False


class RepairService(Protocol):
    """What runs again, and what is settled by hand."""

    def rerun(self, wanted: Sequence[Rerun]) -> list[Document]:
        """Start further runs, all or none. Refused while one is at work.

        ``{"instance", "run"}`` each: those that are asked for, then with ``downstream`` those that follow,
        with ``after``: the instances that have to succeed first.
        """

    def preview(self, wanted: Rerun) -> Document:
        """``{"run", "keep", "skip"}`` node ids; with the current definition also ``diff``: its lines.

        With ``downstream`` also ``downstream``: the same of each that follows, with ``instance``, ``task``
        and ``after``.
        """

    def force(self, instance: int, node: str, state: str, reason: str) -> Document:
        """Settle a node as succeeded or failed: ``{"instance", "node", "status", "instance_status"}``."""

    def pause(self, instance: int, reason: str = "") -> Document:
        """Begin no further attempt of an instance's jobs (what runs goes on), also under later engines.

        Gives ``{"instance", "status", "reason"}``. Refused when it does not run.
        """

    def resume(self, instance: int, reason: str = "") -> Document:
        """Let a paused instance go on: as ``pause``. Refused when it is not paused."""


class LocalRepairs(Once):
    """Of an engine in this process."""

    _engine: Engine
    _actor: str

    def rerun(self, wanted: Sequence[Rerun]) -> list[Document]:
        """See ``RepairService``."""
        requests = [_request(each, self._actor) for each in wanted]
        asked = ["rerun", *map(_asked, wanted)]
        found = self._once(asked, lambda: self._engine.rerun_chain(requests))
        return [_begun(*each) for each in found]

    def preview(self, wanted: Rerun) -> Document:
        """See ``RepairService``."""
        return self._engine.preview(_request(wanted, self._actor))

    def force(self, instance: int, node: str, state: str, reason: str) -> Document:
        """See ``RepairService``."""
        asked = ["force", instance, node, state, reason]
        act = partial(self._engine.force, instance, node, JobState(state), reason, self._actor)
        return self._once(asked, act)

    def pause(self, instance: int, reason: str = "") -> Document:
        """See ``RepairService``."""
        return self._once(["pause", instance], lambda: self._engine.pause(instance, reason, self._actor))

    def resume(self, instance: int, reason: str = "") -> Document:
        """See ``RepairService``."""
        return self._once(["resume", instance], lambda: self._engine.resume(instance, reason, self._actor))


class RepairClient:
    """Of an engine in another process."""

    _ask: Callable[..., Document]
    _list: Callable[..., list[Any]]

    def rerun(self, wanted: Sequence[Rerun]) -> list[Document]:
        """See ``RepairService``."""
        body = {"reruns": [asdict(each) for each in wanted]}
        return list(self._ask("POST", "/v1/reruns", body=body, patience=None)["runs"])

    def preview(self, wanted: Rerun) -> Document:
        """See ``RepairService``."""
        return self._ask("POST", "/v1/reruns/preview", body=asdict(wanted), patience=None)

    def force(self, instance: int, node: str, state: str, reason: str) -> Document:
        """See ``RepairService``."""
        body = {"node": node, "state": state, "reason": reason}
        return self._ask("POST", f"/v1/instances/{instance}/force", body=body, patience=None)

    def pause(self, instance: int, reason: str = "") -> Document:
        """See ``RepairService``."""
        return self._ask("POST", f"/v1/instances/{instance}/pause", body={"reason": reason}, patience=None)

    def resume(self, instance: int, reason: str = "") -> Document:
        """See ``RepairService``."""
        return self._ask("POST", f"/v1/instances/{instance}/resume", body={"reason": reason}, patience=None)


class RepairReader:
    """While no engine runs: what a rerun would do, for whoever knows the installed types."""

    _store: Store
    _types: Types | None
    _workspace: Workspace

    def rerun(self, wanted: Sequence[Rerun]) -> list[Document]:
        """Refused."""
        refuse("rerun an instance")

    def preview(self, wanted: Rerun) -> Document:
        """See ``RepairService``; Refused without the types."""
        from engine.runtime.reruns.preparation import preview

        if self._types is None:
            refuse("preview a rerun")
        return preview(self._store, self._types, _request(wanted, "operator"), self._workspace.zone)

    def force(self, instance: int, node: str, state: str, reason: str) -> Document:
        """Refused."""
        refuse(f"settle {node!r}")

    def pause(self, instance: int, reason: str = "") -> Document:
        """Refused."""
        refuse(f"pause instance {instance}")

    def resume(self, instance: int, reason: str = "") -> Document:
        """Refused."""
        refuse(f"let instance {instance} go on")


def _request(wanted: Rerun, actor: str) -> RerunRequest:
    from engine.runtime.reruns.rerun_request import RerunRequest, Spoken

    edits = tuple((path, Spoken(text)) for path, text in wanted.edits)
    return RerunRequest(
        wanted.instance,
        wanted.mode,
        wanted.nodes,
        wanted.with_upstream,
        edits,
        wanted.reason,
        wanted.current,
        wanted.downstream,
        actor,
    )


def _asked(wanted: Rerun) -> Document:
    """What it asks for; of edits the paths, as their values may be secret."""
    return {**asdict(wanted), "edits": [path for path, _ in wanted.edits]}


def _begun(instance: int, run: int, after: Sequence[int] = ()) -> Document:
    told: Document = {"instance": instance, "run": run}
    return told | {"after": list(after)} if after else told
