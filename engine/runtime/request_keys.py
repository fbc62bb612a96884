"""Requests with a key are carried out once: whoever delivers one again gets the answer of the first time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from engine.model.codes.commands import WRONG_USE
from engine.model.errors import Invalid, SkerryError
from engine.model.request_key import checked_key
from engine.store.encoding import content_hash, json_text

if TYPE_CHECKING:
    from engine.runtime.house import House

_SHELVES = 512  # settings among which the hashes of the keys divide them
_KEPT = 8  # of each, the latest


@dataclass(frozen=True, slots=True)
class Keyed:
    """A request's key, with a hash of what it asks for: values that may be secret are not part of that."""

    key: str
    asked: str

    @classmethod
    def of(cls, key: str | None, asked: Any) -> Keyed | None:
        """``asked`` is a JSON tree. None without a key; Invalid when it cannot be one."""
        return None if key is None else cls(checked_key(key), content_hash(json_text(asked)))

    @property
    def shelf(self) -> str:
        """The setting that has it."""
        return f"requests {int(content_hash(self.key)[:8], 16) % _SHELVES}"


class RequestKeys:
    """What was answered to the latest requests with a key, in the transactions that carried them out."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._shelves: dict[str, list[list[Any]]] = {}  # also what is not durable yet

    def delivered(self, keyed: Keyed | None, act: Callable[[], Any]) -> Any:
        """The answer of an earlier delivery, or what ``act`` gives, which calls ``once`` (never the loop)."""
        if keyed is None:
            return act()
        look = partial(self._house.loop.ask, partial(self._answer, keyed))
        if (known := look()) is not None:
            return known
        try:
            return act()
        except SkerryError:  # also when another delivery was quicker: what it began is in the way of this one
            if (known := look()) is None:
                raise
            return known

    def once(self, keyed: Keyed | None, act: Callable[[], Any]) -> Any:
        """``act``'s answer, a JSON tree, kept with what it changes; or that of before (loop thread)."""
        if keyed is None:
            return act()
        known = self._answer(keyed)
        if known is None:
            known = act()
            self._keep(keyed, known)
        return known

    def _answer(self, keyed: Keyed) -> Any:
        for key, asked, answer in self._on_shelf(keyed.shelf):
            if key == keyed.key and asked != keyed.asked:
                raise Invalid(WRONG_USE, f"the key {key!r} was given with another request", where="key")
            if key == keyed.key:
                return answer
        return None

    def _on_shelf(self, shelf: str) -> list[list[Any]]:
        if shelf not in self._shelves:
            self._shelves[shelf] = self._house.store.setting(shelf, [])
        return self._shelves[shelf]

    def _keep(self, keyed: Keyed, answer: Any) -> None:
        shelf = keyed.shelf
        kept = [*self._on_shelf(shelf), [keyed.key, keyed.asked, answer]][-_KEPT:]
        self._shelves[shelf] = kept
        self._house.changes.setting(shelf, kept)
