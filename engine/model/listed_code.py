"""Error codes whose texts are in a data file, which is read when one of them is shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from engine.model.errors import ErrorCode, Text


class ListedCode(ErrorCode):
    """An entry in the ``.yaml`` file beside ``module``, the ``__file__`` of the module that has its number.

    The file maps a name to ``{code, retryable, en: {title, cause, remedy}, zh: …}``.
    """

    def __init__(self, module: str, number: int, *, retryable: bool = True, below: int = 0) -> None:
        """``below``: the number of whoever has these entries too, under which ``number`` counts."""
        # the fields are frozen, and those for the texts stay empty
        vars(self).update(module=module, listed=number, number=below + number, retryable=retryable)

    @property
    def en(self) -> Text:
        return _texts(vars(self)["module"])[vars(self)["listed"]]["en"]

    @property
    def zh(self) -> Text:
        return _texts(vars(self)["module"])[vars(self)["listed"]]["zh"]


class CodeFamily:
    """Entries that several users have, each under a number of its own; made by ``app.regenerate_codes``."""

    def __iter__(self) -> Iterator[ErrorCode]:
        return iter(vars(self).values())


@cache
def _texts(module: str) -> Mapping[int, Mapping[str, Text]]:
    """The texts of a data file by number and language."""
    import yaml

    entries = yaml.load(Path(module).with_suffix(".yaml").read_bytes(), yaml.CSafeLoader)
    return {
        entry["code"]: {language: Text(**entry[language]) for language in ("en", "zh")}
        for entry in entries.values()
    }
