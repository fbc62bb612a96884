"""The service when no engine runs: it reads the store; everything else needs an engine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from engine.api.amending import ClosedAmending
from engine.api.cleaning import CleaningReader
from engine.api.documents import Document, Kind, Loaded, Source
from engine.api.no_engine import refuse
from engine.api.queueing import QueueReader
from engine.api.reading import StoreReader
from engine.api.repairing import RepairReader
from engine.api.service import RunRequest
from engine.api.troubles import ClosedTroubles
from engine.api.unlocking import ClosedSecrets

if TYPE_CHECKING:
    from engine.api.probing import Probe
    from engine.runtime.library import Types
    from engine.runtime.workspace import Workspace
    from engine.store.port import Store


class NothingHappens:
    """A stream in which nothing comes: without an engine nothing changes."""

    def __iter__(self) -> Iterator[Document]:
        return iter(())

    def close(self) -> None:
        """See ``EventStream``."""


class ReadOnlyService(
    ClosedAmending, CleaningReader, QueueReader, RepairReader, ClosedTroubles, ClosedSecrets, StoreReader
):
    """See ``engine.api.service.Service``.

    With a ``probe`` it can check resources too, with ``types`` preview reruns.
    """

    def __init__(
        self, store: Store, workspace: Workspace, probe: Probe | None = None, types: Types | None = None
    ) -> None:
        super().__init__(store, workspace)
        self._probe = probe
        self._types = types

    def about(self) -> Document:
        """``pid`` None: nobody works."""
        return {**super().about(), "pid": None}

    def load(self, sources: Sequence[Source]) -> list[Loaded]:
        """Refused."""
        refuse("load definitions")

    def warnings(self, sources: Sequence[Source]) -> list[Document]:
        """Refused."""
        refuse("look at definitions")

    def delete(self, kind: Kind, id: str) -> Document:
        """Refused."""
        refuse(f"delete {kind} {id!r}")

    def set_state(self, task: str, state: str) -> Document:
        """Refused."""
        refuse(f"make task {task!r} {state}")

    def run(self, request: RunRequest) -> int:
        """Refused."""
        refuse("run a task")

    def set_value(self, instance: int, path: str, text: str, reason: str) -> Document:
        """Refused."""
        refuse(f"change {path}")

    def cancel(self, instance: int, node: str | None = None) -> Document:
        """Refused."""
        refuse(f"cancel instance {instance}")

    def check_resource(self, id: str, params: Mapping[str, str]) -> Document:
        """See ``Service``; Refused without a probe."""
        if self._probe is None:
            refuse(f"check resource {id!r}")
        return self._probe.check(id, self._definition("resource", id).content, params)

    def events(self, instance: int | None = None) -> NothingHappens:
        """Nothing."""
        return NothingHappens()
