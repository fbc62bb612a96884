"""What a supporter was shown of this site, compared with what it has: names translated, masked parts kept."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from functools import cached_property
from typing import Any

from engine.context import MISSING, parse_path, target
from engine.context.tree import at_path, with_texts
from engine.model.clock import Clock
from engine.model.closing import Closing
from engine.model.codes.desk import FIX_INVALID
from engine.model.errors import Refused, SkerryError
from engine.model.names import sections_of
from engine.secrets.vault import Vault
from export_import.desk.omission_marks import is_marked
from export_import.export_source import InstanceChoice, site_at
from export_import.keys import Keys
from export_import.redaction.pseudonyms import Pseudonyms
from export_import.redaction.redactor import Redactor, redactor_for

Translate = Callable[[str], str]
_NOTHING = object()


class SiteSnapshot(Closing):
    """Compares what a supporter saw with what is here; a context manager.

    A masked part never matches just anything: the site masks its own content again, by its
    own rules, and compares that. Refused (the secrets are locked) where that cannot be done.
    """

    def __init__(self, keys: Keys, clock: Clock, instance: int | None, vault: Vault | None) -> None:
        self._keys, self._clock, self._instance, self._vault = keys, clock, instance, vault
        self._open = ExitStack()
        self.translate: Translate = Pseudonyms(keys).translate

    def close(self) -> None:
        self._open.close()

    def definition(self, kind: str, id: str, was: Any, now: Any) -> bool:
        """Whether ``was`` is how that definition was shown, which is ``now`` here; None: there is none."""
        return self._fits(was, now, lambda redacted: sections_of({(kind, id): redacted}), now)

    def value(self, was: Any, tree: Any, at: Callable[[Any], Any]) -> bool:
        """Whether ``was`` is how the value was shown that ``at`` finds in the context ``tree``."""
        return self._fits(was, at(tree), lambda _: tree, tree, at)

    def _fits(
        self,
        was: Any,
        now: Any,
        within: Callable[[Any], Any],
        whole: Any,
        at: Callable[[Any], Any] | None = None,
    ) -> bool:
        if same(with_texts(was, self.translate), now):
            return True
        if not is_marked(was) or now is None:
            return False
        redacted = self._redactor.tree(within(whole))
        shown = at(redacted) if at else _only(redacted)
        return same(with_texts(was, self.translate), with_texts(shown, self.translate))

    @cached_property
    def _redactor(self) -> Redactor:
        choices = () if self._instance is None else (InstanceChoice(self._instance),)
        site = self._open.enter_context(site_at(self._keys.folder.parent, choices, self._clock))
        return redactor_for(site, self._keys, self._vault, True)


def _only(tree: Any) -> Any:
    """The one definition in the sections of a file."""
    [section] = tree.values()
    return section[0] if isinstance(section, list) else next(iter(section.values()))


def same(was: Any, now: Any) -> bool:
    """Whether two JSON values are the same; True is no number."""
    if isinstance(was, dict) and isinstance(now, dict):
        return was.keys() == now.keys() and all(same(was[key], now[key]) for key in was)
    if isinstance(was, list) and isinstance(now, list):
        return len(was) == len(now) and all(map(same, was, now))
    return type(was) is type(now) and bool(was == now)


def unmasked(new: Any, was: Any, now: Any) -> Any:
    """``new`` with every masked text as the site has it; Refused where its original cannot be known."""
    if isinstance(new, str) and is_marked(new):
        if new != was or now is _NOTHING:
            message = "a text that was masked at the site is changed or moved by the fix"
            raise Refused(FIX_INVALID, message, where=new[:80])
        return now
    if isinstance(new, dict):
        return {key: unmasked(each, _below(was, key), _below(now, key)) for key, each in new.items()}
    if isinstance(new, list):
        return [unmasked(each, _below(was, at), _below(now, at)) for at, each in enumerate(new)]
    return new


def _below(tree: Any, step: str | int) -> Any:
    return at_path(tree, (step,), _NOTHING)


def value_at(tree: Any, path: str) -> Any:
    """The value at a path of a context; MISSING when there is none."""
    try:
        return at_path(tree, target(tree, parse_path(path)), MISSING)
    except SkerryError:
        return MISSING
