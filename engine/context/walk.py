"""A plain path (names, indices, members of a batch) walked through the context."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from engine.context.fields import LOGS, ORDERED, missing
from engine.context.files import is_reference
from engine.context.tree import MISSING
from engine.context.views import JobViews, plain
from engine.context.visible import VisibleContext
from engine.model.codes.expressions import BATCH_INDEX
from engine.model.errors import SkerryError
from engine.model.expression import MAX_INLINE, FoundValue, Members, ParsedPath, compact_json
from engine.model.expression.path import Step
from engine.model.message import Message
from engine.model.plain_words import quoted


class Walk:
    """One path on its way through the tree."""

    __slots__ = ("_file", "_job", "_node", "_rest", "_scope", "_steps", "_text")

    def __init__(self, scope: VisibleContext, path: ParsedPath) -> None:
        self._scope = scope
        self._text = path.text
        self._steps = path.steps
        self._rest = path.rest
        self._job: str | None = None  # the key that the path uses for the job
        self._node = ""
        self._file: Any = None  # the reference or log that was read on the way

    def found(self) -> FoundValue:
        """Where the path leads."""
        steps = self._steps
        root = self._scope.root(steps[0])
        if steps[0] == "JOB" and len(steps) > 1:
            value = self._job_value(str(steps[1]))
        elif steps[0] == "ROUNDS" and len(steps) > 1:
            value = self._round_value(str(steps[1]))
        elif root is MISSING:
            self._no_root(str(steps[0]))
        else:
            value = self._down(self._checked_root(root), 1)
        return FoundValue(value, value if self._file is None else self._recorded(value))

    def _no_root(self, name: str) -> NoReturn:
        of_each = name in ("ITEM", "INDEX")
        raise missing(self._text, "only the params of a for_each have it" if of_each else "there is nothing")

    def _checked_root(self, root: Any) -> Any:
        """All of ``$.JOB`` can be used only when every job has ended."""
        if self._steps == ("JOB",):
            return plain(JobViews(self._scope, self._text).jobs())
        return root

    def _recorded(self, value: Any) -> Any:
        """What was read of a file: the value when it is small, else the file."""
        size = len(value) if isinstance(value, str) else len(compact_json(value))
        return value if size <= MAX_INLINE else self._file

    def _job_value(self, key: str) -> Any:
        self._job, self._node = key, self._scope.node(key, self._text)
        entry = self._scope.tree.get("JOB", {}).get(self._node, MISSING)
        if entry is MISSING:
            self._scope.check_ended(None, key, self._text)
        member = self._scope.running_member(key)
        chosen = self._steps[2] if len(self._steps) > 2 else None
        if member is not None and isinstance(entry, list) and (chosen is None or isinstance(chosen, str)):
            return self._entry(entry[member], 2)
        return self._members(entry, 2)

    def _round_value(self, key: str) -> Any:
        self._job, self._node = key, self._scope.node(key, self._text)
        rounds = self._scope.rounds(self._node)
        if len(self._steps) > 2 and isinstance(self._steps[2], str):
            self._needs_index("{where}: job {job!r} has rounds: write [0] or [*] after it")
        if len(self._steps) == 2:
            return [self._members(each, 2) for each in rounds]
        return self._choose(rounds, 2, self._members)

    def _members(self, entry: Any, at: int) -> Any:
        """A job's entry, or what the next step chooses of a batch."""
        if not isinstance(entry, list):
            return self._entry(entry, at)
        queried = self._rest.startswith("[")  # a filter chooses among the members
        if at == len(self._steps) and (queried or self._steps[0] == "ROUNDS"):
            return [self._entry(each, at) for each in entry]
        if at == len(self._steps) or isinstance(self._steps[at], str):
            self._needs_index("{where}: job {job!r} is a batch: write [0] or [*] after it")
        return self._choose(entry, at, self._entry)

    def _choose(self, items: list[Any], at: int, below: Any) -> Any:
        step = self._steps[at]
        if isinstance(step, Members):
            return [below(each, at + 1) for each in step.of(items)]
        if not isinstance(step, int) or not -len(items) <= step < len(items):
            message = "job {job!r} has {count} of them, not [{step}]"
            raise missing(self._text, message, self._job, job=self._job, count=len(items), step=step)
        return below(items[step], at + 1)

    def _needs_index(self, message: str) -> NoReturn:
        raise SkerryError.at(BATCH_INDEX, message, self._text, details={"job": self._job}, job=self._job)

    def _entry(self, entry: Any, at: int) -> Any:
        """A job's value from its entry on."""
        given = at < len(self._steps) and self._steps[at] == "PARAMS"
        if not (given and self._scope.holds_running(self._node)):
            self._scope.check_ended(entry, str(self._job), self._text)
        if at == len(self._steps):
            return self._whole(entry, 2)
        field = self._steps[at]
        if field in LOGS:
            log = self._scope.log(entry, str(field), str(self._job), self._text)
            self._file = log.recorded if log.recorded is not log.value else self._file
            return self._below(log.value, at + 1)
        return self._down(entry, at)

    def _down(self, value: Any, at: int) -> Any:
        value = self._below(value, at)
        return self._whole(value, 1) if self._steps[-1] in ORDERED else value

    def _below(self, value: Any, at: int) -> Any:
        for position in range(at, len(self._steps)):
            value = self._step(value, self._steps[position], position)
            if self._steps[position - 1] in ORDERED:
                value = self._loaded(value)
        return value

    def _step(self, value: Any, step: Step, position: int) -> Any:
        if value.__class__ is dict:
            name = self._name_at(value, step, position) if step.__class__ is int else step
            if name in value:
                return value[name]
            message = "there is no {step}; there are {names}"
            raise self._missing(message, step=quoted(step), names=_listed(value))
        if value.__class__ is list and isinstance(step, int):
            if -len(value) <= step < len(value):
                return value[step]
            raise self._missing("the list has {count} values, not [{step}]", count=len(value), step=step)
        kind = "a list" if isinstance(value, list) else "null" if value is None else "a plain value"
        raise self._missing("{step} cannot be taken from {kind}", step=quoted(step), kind=Message.of(kind))

    def _name_at(self, value: dict[str, Any], step: Any, position: int) -> str | None:
        """``RESULT[0]``: the name at a position, for parameters and results only."""
        field = self._steps[position - 1]
        return self._scope.name_at(self._node, field, value, step) if field in ORDERED else None

    def _missing(self, template: str, **facts: object) -> SkerryError:
        """What is not there, of the job that the path names if it names one."""
        why = Message.of(template, **facts)
        if self._job:
            why = Message.of("job {name!r}: {message}", name=self._job, message=why)
        return missing(self._text, why, self._job)

    def _whole(self, value: Any, depth: int) -> Any:
        """A map with the big values in it read from their files."""
        if value.__class__ is not dict or not depth:
            return value
        loaded = {key: self._whole(self._loaded(each), depth - 1) for key, each in value.items()}
        return value if all(loaded[key] is value[key] for key in value) else loaded

    def _loaded(self, value: Any) -> Any:
        if value.__class__ is not dict or not is_reference(value):
            return value
        self._file = value
        return self._scope.loaded(value, self._text)


def _listed(value: Mapping[str, Any]) -> str:
    names = [repr(name) for name in value][:12]
    more = ", …" if len(value) > len(names) else ""
    return (", ".join(names) or "none") + more
