"""What a supporter saw against what the site has: names translated back, masked parts kept as they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.model.codes.desk import FIX_INVALID
from engine.model.errors import Refused
from export_import.desk.omission_marks import is_marked

Translate = Callable[[str], str]
_NOTHING = object()


def translated(tree: Any, translate: Translate) -> Any:
    """A JSON tree with the site's real names."""
    if isinstance(tree, str):
        return translate(tree)
    if isinstance(tree, dict):
        return {translate(key): translated(each, translate) for key, each in tree.items()}
    return [translated(each, translate) for each in tree] if isinstance(tree, (list, tuple)) else tree


def same(was: Any, now: Any) -> bool:
    """Whether two JSON values are the same; True is no number."""
    if isinstance(was, dict) and isinstance(now, dict):
        return was.keys() == now.keys() and all(same(was[key], now[key]) for key in was)
    if isinstance(was, list) and isinstance(now, list):
        return len(was) == len(now) and all(map(same, was, now))
    return type(was) is type(now) and bool(was == now)


def unmasked(new: Any, was: Any, now: Any) -> Any:
    """``new`` with every masked text as the site has it; Refused where nobody can know what it was."""
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
    try:
        return tree[step]
    except (KeyError, IndexError, TypeError):
        return _NOTHING
