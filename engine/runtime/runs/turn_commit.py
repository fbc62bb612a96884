"""The end of a turn: one transaction with every decision and context line, then the files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from engine.context import Line
from engine.model.codes.store import DAMAGED
from engine.model.errors import SkerryError
from engine.runtime.instance_files import InstanceFiles
from engine.runtime.services import EngineServices
from engine.store.changes import Changes
from engine.store.opening import mark_suspect

_RETRY_SECONDS = 1.0
_BIG = 1000  # rows: a tenth of a second
_BEHIND_SECONDS = 1.0  # how far ctx.json may be behind


class Committer:
    """Takes what a turn decided and makes a batch of it."""

    def __init__(self, services: EngineServices, moved: Callable[[Sequence[int]], None]) -> None:
        self._services = services
        self._moved = moved  # gets the instances that have another state, as soon as it is durable

    def prepare(self) -> TurnBatch | None:
        """Everything decided since the last batch; None when that is nothing."""
        services = self._services
        if not services.changes and not services.turn.dirty:
            return None
        changes, dirty = services.turn.take()
        drained = [(files, files.context.drain()) for files in dirty.values()]
        for files, lines in drained:
            for line in lines:
                changes.line(files.id, line.seq, line.text)
        return TurnBatch(services, changes, drained, self._moved)


class TurnBatch:
    """One transaction. While the disk is full it waits and tries again: nothing is forgotten."""

    def __init__(
        self,
        services: EngineServices,
        changes: Changes,
        drained: list[tuple[InstanceFiles, list[Line]]],
        moved: Callable[[Sequence[int]], None],
    ) -> None:
        self._services = services
        self._changes = changes
        self._drained = drained
        self._moved = moved

    @property
    def is_big(self) -> bool:
        """Whether writing it takes so long that the loop has other things to do meanwhile."""
        return len(self._changes) > _BIG

    def write(self) -> None:
        """Make it durable; returns when it is. SkerryError when it can never be, or the engine ends."""
        while not self.try_write():
            if self._services.loop.ending and self._services.writes.trouble is not None:
                raise self._services.writes.trouble
            self._services.threads.sleep(_RETRY_SECONDS)

    def try_write(self) -> bool:
        """The same once; False when it cannot be done right now."""
        try:
            self._services.store.commit(self._changes)
        except SkerryError as error:
            if not error.entry.retryable:
                if error.entry is DAMAGED:  # the next engine checks it, and makes it again
                    mark_suspect(self._services.workspace.database_url, error.message)
                raise
            self._services.writes.cannot_write(error)
            return False
        self._services.writes.has_written()
        return True

    def follow(self) -> None:
        """Bring the files of the contexts up to date; tell which instances have another state."""
        self._services.turn.is_writing = False
        for files, lines in self._drained:
            self._file(files, lines)
        if moved := [id for id in self._changes.moved("instance") if isinstance(id, int)]:
            self._moved(moved)

    def _file(self, files: InstanceFiles, lines: list[Line]) -> None:
        loop = self._services.loop
        files.unfiled.extend(lines)
        if not files.has_directory:  # made after this very batch
            return loop.after_commit(files.write_lines)
        self._services.writes.when_disk_has_room(files.write_lines)
        if files.snapshot_due is None:
            files.snapshot_due = loop.later(
                _BEHIND_SECONDS, partial(self._services.writes.when_disk_has_room, files.write)
            )
        return None
