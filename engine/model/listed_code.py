"""Error codes whose texts are in a data file, which is read when one of them is shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from engine.model.errors import ErrorCode, Text


class ListedCode(ErrorCode):
    """An entry in the ``.yaml`` file beside ``module``, the ``__file__`` of the module that has its number.

    The file maps a name to ``{code, retryable, en: {title, cause, remedy, window}, zh: …}``; ``window`` is
    what to do with what the window has, where the remedy names commands.
    """

    def __init__(self, module: str, number: int, *, retryable: bool = True, below: int = 0) -> None:
        """``below``: the number of whoever has these entries too, under which ``number`` counts."""
        # the fields are frozen, and those for the texts stay empty
        vars(self).update(module=module, listed=number, number=below + number, retryable=retryable)

    @property
    def en(self) -> Text:
        return self._text("en")

    @property
    def zh(self) -> Text:
        return self._text("zh")

    def in_window(self, language: str) -> str:
        words = self._words("zh" if language.startswith("zh") else "en")
        return words.get("window") or super().in_window(language)

    def _text(self, language: str) -> Text:
        return Text(*(self._words(language)[field] for field in Text._fields))

    def _words(self, language: str) -> Mapping[str, str]:
        found: Mapping[str, str] = _entries(vars(self)["module"])[vars(self)["listed"]][language]
        return found


class CodeFamily:
    """Entries that several users have, each under a number of its own; made by ``app.regenerate_codes``."""

    def __iter__(self) -> Iterator[ErrorCode]:
        return iter(vars(self).values())


@cache
def _entries(module: str) -> Mapping[int, Mapping[str, Any]]:
    """Those of a data file by number."""
    import yaml

    entries = yaml.load(Path(module).with_suffix(".yaml").read_bytes(), yaml.CSafeLoader)
    return {entry["code"]: entry for entry in entries.values()}
