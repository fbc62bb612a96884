"""What an expression can see, and the record of what it read."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

from engine.model.errors import SkerryError
from engine.model.expression.limits import Patience, StepMeter
from engine.model.expression.path import ParsedPath, Path


class FoundValue(NamedTuple):
    """A value that a path led to. ``recorded`` represents it in the context log: the value
    itself, or a reference to its file when it is big."""

    value: Any
    recorded: Any


class Scope(Protocol):
    """The values that the expressions of a task or a running job can see."""

    @property
    def zone(self) -> str:
        """The IANA name of the time zone in which times are shifted and formatted."""

    @property
    def patience(self) -> Patience:
        """How long one expression may take."""

    def lookup(self, path: ParsedPath) -> FoundValue:
        """The value at ``path``; SkerryError naming the path and the job when it is not there."""


class UsedText(NamedTuple):
    """One evaluated text: its path in the tree, the text, and what each of its paths read."""

    path: Path
    expression: str
    inputs: dict[str, Any]


class PathReader:
    """Reads paths for one text and remembers what they gave."""

    __slots__ = ("_meter", "inputs", "scope")

    def __init__(self, scope: Scope, meter: StepMeter) -> None:
        self.scope = scope
        self._meter = meter
        self.inputs: dict[str, Any] = {}

    def value(self, path: ParsedPath) -> Any:
        found = self.scope.lookup(path)
        self._meter.look()
        self.inputs[path.text] = found.recorded
        return found.value


def named(error: SkerryError, expression: str) -> None:
    """Make the whole text that could not be evaluated the ``where`` of an error."""
    if error.where != expression and expression not in error.message and len(expression) <= 300:
        error.reword("{message}, in {expression}", expression=expression)
    error.where = expression
