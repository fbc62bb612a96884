"""What an operation of the service is: its route, what it does to a workspace, what it takes and gives.

An operation is a method of :class:`engine.api.service.Service` without a body. To call it is to ask the
service to ``perform`` it, which is all that the kinds of services differ in.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from enum import StrEnum
from functools import cached_property, wraps
from typing import Any, Protocol, TypeVar, cast, get_type_hints

Arguments = Mapping[str, Any]
Method = TypeVar("Method", bound=Callable[..., Any])


class Effect(StrEnum):
    """What carrying an operation out does."""

    READS = "reads"
    REVEALS = "reveals"  # gives away what jobs were given and what they wrote
    CHANGES = "changes"


@dataclass(frozen=True, eq=False)
class Operation:
    """One row of the table.

    ``needs`` completes "no engine runs, so nothing can …"; empty: the store is enough. Over HTTP the answer
    is an object with it under ``wrapped``, if that is given. ``keyed``: delivered twice with a key it is done
    once; what is ``private`` among the arguments may hold secrets, so its values are not remembered with the
    key. ``slow``: the answer may take longer than an engine is usually waited for. ``role``: who may ask for
    it; None: whoever reaches the engine.
    """

    signature: Callable[..., Any]
    route: str
    effect: Effect
    needs: str = ""
    wrapped: str = ""
    private: tuple[str, ...] = ()
    keyed: bool = False
    slow: bool = False
    role: str | None = None

    @property
    def name(self) -> str:
        return self.signature.__name__

    @property
    def method(self) -> str:
        return self.route.split()[0]

    @property
    def path(self) -> str:
        """Of HTTP, with ``{names}`` of arguments."""
        return self.route.split()[1]

    @cached_property
    def parameters(self) -> Mapping[str, inspect.Parameter]:
        """Its parameters by name, annotations as texts."""
        return dict(list(self._signature.parameters.items())[1:])

    @cached_property
    def hints(self) -> Mapping[str, Any]:
        """The types of its parameters by name, and what it gives under ``return``."""
        return get_type_hints(self.signature, include_extras=True)

    @cached_property
    def _signature(self) -> inspect.Signature:
        return inspect.signature(self.signature)

    def arguments(self, given: Sequence[Any], named: Arguments) -> Arguments:
        """All arguments of a call by name, defaults included."""
        bound = self._signature.bind(None, *given, **named)
        bound.apply_defaults()
        return dict(list(bound.arguments.items())[1:])

    def request(self, arguments: Arguments) -> dict[str, Any]:
        """The same as they travel, a JSON tree: requests that are values lie open among the others."""
        found: dict[str, Any] = {}
        for name, value in arguments.items():
            found |= _plain(value) if is_dataclass(value) else {name: _plain(value)}
        return found

    def fingerprint(self, arguments: Arguments) -> list[Any]:
        """What distinguishes it from other requests, a JSON tree without any value that may be secret."""
        return [self.name, _without(self.private, self.request(arguments))]


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, Mapping):
        return dict(value)
    return [_plain(each) for each in value] if isinstance(value, (list, tuple)) else value


def _without(private: Sequence[str], tree: Any) -> Any:
    """``tree`` with the names alone of what is private."""
    if isinstance(tree, Mapping):
        return {
            key: _names(each) if key in private else _without(private, each) for key, each in tree.items()
        }
    return [_without(private, each) for each in tree] if isinstance(tree, list) else tree


def _names(value: Any) -> list[str] | None:
    """Of a map its keys, of pairs their first halves."""
    if isinstance(value, Mapping):
        return sorted(value)
    return [each[0] for each in value] if isinstance(value, (list, tuple)) else None


class _Performing(Protocol):
    def perform(self, operation: Operation, arguments: Arguments) -> Any: ...


def reads(route: str, **options: Any) -> Callable[[Method], Method]:
    """An operation that changes nothing; see ``Operation``."""
    return _operation(route, Effect.READS, options)


def reveals(route: str, **options: Any) -> Callable[[Method], Method]:
    """One that gives away values of jobs."""
    return _operation(route, Effect.REVEALS, options)


def changes(route: str, needs: str, *, keyed: bool = True, **options: Any) -> Callable[[Method], Method]:
    """One that changes something, which takes an engine."""
    return _operation(route, Effect.CHANGES, {"needs": needs, "keyed": keyed, **options})


def _operation(route: str, effect: Effect, options: Mapping[str, Any]) -> Callable[[Method], Method]:
    def made(method: Method) -> Method:
        operation = Operation(method, route, effect, **options)

        @wraps(method)
        def asked(service: _Performing, *given: Any, **named: Any) -> Any:
            return service.perform(operation, operation.arguments(given, named))

        asked.operation = operation  # type: ignore[attr-defined]
        return cast(Method, asked)

    return made


def operations(service: type) -> Iterator[Operation]:
    """The table that a class of a service declares."""
    return (each.operation for each in vars(service).values() if hasattr(each, "operation"))
