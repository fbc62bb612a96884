"""The help of commands in the reader's language; click writes it, in English."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from inspect import cleandoc
from typing import Any

import click

from app.cli.cli_context import CliContext
from app.texts import catalogue

_DEFAULT = "; without a word after it: "
Say = Callable[[str], str]


class HelpContext(click.Context):
    """Its help is written by a formatter that knows the language."""

    def make_formatter(self) -> click.HelpFormatter:
        cli = self.find_object(CliContext) or CliContext()
        texts = catalogue(cli.language, "help")
        return HelpText(lambda text: texts.get(text, text), width=self.terminal_width)


class HelpText(click.HelpFormatter):
    """Help whose sentences are looked up, those of commands paragraph by paragraph."""

    def __init__(self, say: Say, **settings: Any) -> None:
        super().__init__(**settings)
        self._say = say

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        super().write_usage(prog, args, self._say("Usage: ") if prefix is None else prefix)

    def write_heading(self, heading: str) -> None:
        self.write(f"{'':>{self.current_indent}}{self._say(f'{heading}:')}\n")

    def write_text(self, text: str) -> None:
        super().write_text("\n\n".join(self._worded(each) for each in paragraphs(text)))

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        super().write_dl([(name, self._worded(text)) for name, text in rows], col_max, col_spacing)

    def _worded(self, text: str) -> str:
        """A sentence; what a group does by itself and the default of an option are added to it."""
        if _DEFAULT in text:
            text, _, default = text.partition(_DEFAULT)
            return f"{self._say(f'{text}.')[:-1]}{self._say(_DEFAULT)}{default[:-1]}{self._say('.')}"
        text, space, more = text.partition("  [")
        return self._say(text) + space + more


def paragraphs(text: str | None) -> Iterator[str]:
    """Of the help of a command, each on one line.

    >>> list(paragraphs("Show it.\\n\\nIt is\\nlong."))
    ['Show it.', 'It is long.']
    """
    return (" ".join(each.split()) for each in cleandoc(text or "").split("\n\n"))
