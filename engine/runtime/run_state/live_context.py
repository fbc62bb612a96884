"""The context that a run and its jobs write: each change is durable with its turn."""

from __future__ import annotations

from typing import Any

from engine.context import Line, Path, TaskContext
from engine.runtime.big_values import BigValues, is_big
from engine.runtime.instance_files import InstanceFiles
from engine.runtime.services import EngineServices

_HOLDERS = ("PARAMS", "RESULT")  # what is below them may be a reference to a file


class LiveContext:
    """Loop thread only."""

    def __init__(self, services: EngineServices, run: int, files: InstanceFiles) -> None:
        self._services = services
        self._run = run
        self._files = files
        self.values = files.context
        self.tree = self.values.tree
        self.big = BigValues(files.journal)

    def set(self, path: Path, new: Any, **more: Any) -> Line:
        """Write one value."""
        if len(path) > 2 and path[-2] in _HOLDERS:
            new = self.kept(new)
        return self._changed().set(path, new, run=self._run, **more)

    def kept(self, value: Any) -> Any:
        """A value as the context may have it: a reference when it is big."""
        return self.big.kept(self._services.mask(value)) if is_big(value) else value

    def note(self, path: Path, **more: Any) -> Line:
        """Write down what was read without changing anything."""
        if "value" in more:
            more["value"] = self.kept(more["value"])
        return self._changed().note(path, run=self._run, **more)

    def remove(self, path: Path, **more: Any) -> Line:
        """Take a value out of it."""
        return self._changed().remove(path, run=self._run, **more)

    def _changed(self) -> TaskContext:
        self._services.turn.dirty[self._files.id] = self._files
        return self.values
