"""A scope for tests: values by the text of their path."""

from __future__ import annotations

from typing import Any

from engine.model.codes.expressions import MISSING_VALUE
from engine.model.errors import SkerryError
from engine.model.expression import (
    AT_ONCE,
    FoundValue,
    ParsedPath,
    compile_condition,
    compile_value,
    decide,
    render,
)


class Values:
    """Gives ``$.ITEM['name']`` from keyword arguments."""

    def __init__(self, zone: str = "UTC", **values: Any) -> None:
        self.zone = zone
        self.patience = AT_ONCE
        self._values = values

    def lookup(self, path: ParsedPath) -> FoundValue:
        name = str(path.steps[1])
        if name not in self._values:
            raise SkerryError(MISSING_VALUE, f"{path.text}: there is nothing", where=path.text)
        return FoundValue(self._values[name], self._values[name])


def value_of(tree: Any, zone: str = "UTC", **values: Any) -> Any:
    """The rendered value of a tree; ``$.ITEM.name`` is each keyword."""
    return render(compile_value(tree), Values(zone, **values)).value


def holds(condition: str, **values: Any) -> bool:
    """Whether a condition holds; ``$.ITEM.name`` is each keyword."""
    return decide(compile_condition(condition), Values(**values))[0]
