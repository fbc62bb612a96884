"""Requests with a key are carried out once: a repeated one gets the answer of the first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from threading import Lock
from typing import Any, TypeVar, cast
from weakref import WeakValueDictionary

from engine.model.codes.commands import WRONG_USE
from engine.model.errors import Invalid
from engine.model.request_key import current_key
from engine.runtime.loop import Loop
from engine.store.changes import Changes
from engine.store.encoding import content_hash, json_text
from engine.store.sql_store import Store

T = TypeVar("T")
_SHELVES = 512  # settings among which the hashes of the keys divide them
_KEPT = 8  # of each, the latest


@dataclass(frozen=True, slots=True)
class Keyed:
    """A request's key, with a hash of what it asks for: values that may be secret are not part of that."""

    key: str
    asked: str

    @property
    def shelf(self) -> str:
        return f"requests {int(content_hash(self.key)[:8], 16) % _SHELVES}"


_under_way: ContextVar[Keyed | None] = ContextVar("request that is carried out", default=None)


def under_way() -> Keyed | None:
    """The request with a key that this thread carries out."""
    return _under_way.get()


class RequestKeys:
    """What was answered to the latest requests with a key, in the transactions that carried them out."""

    def __init__(self, loop: Loop, store: Store, changes: Callable[[], Changes]) -> None:
        self._loop = loop
        self._store = store
        self._changes = changes  # those of the turn
        self._shelves: dict[str, list[list[Any]]] = {}  # also what is not durable yet
        self._guard = Lock()
        self._locks: WeakValueDictionary[str, AbstractContextManager[Any]] = WeakValueDictionary()

    def delivered(self, asked: Any, act: Callable[[], T]) -> T:
        """The answer of an earlier delivery, or what ``act`` gives: a JSON tree, never null.

        ``asked`` is a JSON tree that says what is asked for. What ``act`` changes by ``in_turn`` is durable
        together with the key, what it changes otherwise right before. Not to be called on the loop's thread.
        """
        key = current_key()
        if key is None:
            return act()
        keyed = Keyed(key, content_hash(json_text(asked)))
        with self._alone(keyed):
            known: Any = self._loop.ask(lambda: self._answer(keyed), durable=False)
            if known is None:
                known = act()
                self._loop.ask(lambda: self.once(keyed, lambda: known))
            return cast("T", known)

    def once(self, keyed: Keyed | None, act: Callable[[], Any]) -> Any:
        """``act``'s answer, kept with what it changes; or that of before (loop thread)."""
        if keyed is None:
            return act()
        known = self._answer(keyed)
        if known is None:
            known = act()
            self._keep(keyed, known)
        return known

    @contextmanager
    def _alone(self, keyed: Keyed) -> Iterator[None]:
        """A further delivery waits until the one before it is answered."""
        with self._guard:
            lock = self._locks.setdefault(keyed.key, self._loop.threads.lock())
        with lock:
            before = _under_way.set(keyed)
            try:
                yield
            finally:
                _under_way.reset(before)

    def _answer(self, keyed: Keyed) -> Any:
        for key, asked, answer in self._on_shelf(keyed.shelf):
            if key == keyed.key and asked != keyed.asked:
                message = "the key {key!r} was given with another request"
                raise Invalid(WRONG_USE, message, where="key", key=key)
            if key == keyed.key:
                return answer
        return None

    def _on_shelf(self, shelf: str) -> list[list[Any]]:
        if shelf not in self._shelves:
            self._shelves[shelf] = self._store.setting(shelf, [])
        return self._shelves[shelf]

    def _keep(self, keyed: Keyed, answer: Any) -> None:
        shelf = keyed.shelf
        kept = [*self._on_shelf(shelf), [keyed.key, keyed.asked, answer]][-_KEPT:]
        self._shelves[shelf] = kept
        self._changes().setting(shelf, kept)
