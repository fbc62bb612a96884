"""The text of a stage: the bytes that are kept as ``executeCode/<stage>``, and who reads them."""

from __future__ import annotations

import re
from typing import NamedTuple

SHELL = "/bin/sh"
_BOM = b"\xef\xbb\xbf"
_BARE_LINE_END = re.compile(rb"(?<!\r)\n")


class Code(NamedTuple):
    """``interpreter`` None: the wrapper's own ``sh`` reads it; else the words of its ``#!`` line."""

    data: bytes
    interpreter: tuple[str, ...] | None = None

    def argv(self, script: str) -> tuple[str, ...] | None:
        """The command that runs it, or None when the wrapper sources it."""
        return None if self.interpreter is None else (*self.interpreter, script)


def code(text: str | bytes) -> Code:
    """Read a stage's text: Windows line ends and a byte order mark go, a ``#!`` line counts.

    Only a text whose every line ends in CR LF is taken for a Windows file; others stay as they are.
    """
    data = text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text
    data = data.removeprefix(_BOM)
    if b"\r\n" in data and not _BARE_LINE_END.search(data):
        data = data.replace(b"\r\n", b"\n")
    return Code(data, _interpreter(data))


def _interpreter(data: bytes) -> tuple[str, ...] | None:
    """As the kernel reads it: a program and at most one argument, blanks inside it kept."""
    if not data.startswith(b"#!"):
        return None
    line = data[2:].split(b"\n", 1)[0].decode("utf-8", "surrogateescape").strip()
    words = tuple(line.split(None, 1))
    return None if not words or words == (SHELL,) else words
