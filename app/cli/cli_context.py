"""What every command has at hand: where the workspace is, and how to answer."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

from app.cli.terminal_text import clock_time, harmless, visible
from app.failure_words import failure_words
from app.texts import catalogue
from engine.model.catalogue import engine_code
from engine.model.errors import ErrorCode, SkerryError

Find = Callable[[int], ErrorCode | None]  # the entry of a code in the catalogue


class CliContext:
    """The options that may come before or after a command, and the two output streams.

    Standard output has either text for people or exactly one JSON document (JSON lines from a
    command that streams). A reader that goes away (``| head``) ends the output, not the work.
    """

    def __init__(self) -> None:
        self.json = False
        self.workspace: str | None = None
        self.reader_gone = False

    @property
    def root(self) -> Path:
        """The workspace's folder: ``--workspace``, ``SKERRY_WORKSPACE``, else the user's data folder."""
        if self.named:
            return Path(self.named)
        data = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
        return Path(data) / "skerry"

    @property
    def named(self) -> str | None:
        """The folder that the user named, if any."""
        return self.workspace or os.environ.get("SKERRY_WORKSPACE") or None

    @property
    def terminal(self) -> bool:
        """Whether a person watches; only then is anything animated or coloured."""
        return not self.json and sys.stdout.isatty()

    @property
    def room(self) -> int | None:
        """The columns of the terminal; None where there is none."""
        if not self.terminal:
            return None
        import shutil  # it brings what packs files

        return shutil.get_terminal_size().columns

    @cached_property
    def language(self) -> str:
        """``en`` or ``zh``: the workspace's setting, else the environment's; ``--json`` has no language."""
        if (self.root / "workspace.yaml").exists():
            from app.cli.workspace_folder import open_workspace

            try:
                setting = open_workspace(self.root).language
            except SkerryError:  # what needs the workspace reports that its settings are wrong
                return "en"
            if setting:
                return setting
        names = ("LC_ALL", "LC_MESSAGES", "LANG")
        spoken = next((os.environ[name] for name in names if os.environ.get(name)), "")
        return "zh" if spoken.startswith("zh") else "en"

    def tell(self, text: str, /, **values: object) -> str:
        """A sentence in the reader's language, its ``{names}`` filled in."""
        message = say(text, self.language)
        return message.format(**values) if values else message

    def labelled(self, name: object, text: str) -> str:
        """``name: text``, as the reader's language writes it."""
        return self.tell("{name}: {text}", name=name, text=text)

    def failure(self, code: int | None, message: str | None, find: Find | None = None) -> str:
        """The message of a failure; in Chinese with what its code means, unless all of it is known there."""
        return failure_words(code, message or "", self.language, find or engine_code, clock_time)

    def error(self, code: int | None, message: str | None, find: Find | None = None) -> str:
        """A failure with its code, in the reader's language."""
        return self.tell(
            "error {code}: {message}", code=code, message=visible(self.failure(code, message, find))
        )

    def heads(self, names: Sequence[str]) -> list[str]:
        """The heads of a table, or the names of facts, in the reader's language."""
        return [say(name, self.language) for name in names]

    def state(self, word: str) -> str:
        """A state in the reader's language."""
        return state(word, self.language)

    def state_because(self, word: str | None, why: str) -> str:
        """A state with what it is in for, as far as either is known."""
        status = self.state(word) if word else ""
        return self.labelled(status, why) if status and why else status or why

    def facts(self, rows: Iterable[tuple[str, object]]) -> Iterator[tuple[str, object]]:
        """Named facts, their names in the reader's language."""
        return ((say(name, self.language), value) for name, value in rows)

    def answer(self, document: Any, lines: Iterable[str]) -> None:
        """The whole answer: the document with ``--json``, else the lines."""
        if self.json:
            self.write(as_json(document))
        else:
            for line in lines:
                self._show(line)

    def say(self, line: str) -> None:
        """A line for people; nothing with ``--json``."""
        if not self.json:
            self._show(line)

    def _show(self, line: str) -> None:
        """On a terminal no control character takes effect; piped output is left as it is."""
        self.write(harmless(line) if self.terminal else line)

    def note(self, line: str) -> None:
        """A remark beside the answer, on standard error."""
        text = f"{harmless(line)}\n"
        with suppress(OSError, ValueError):
            try:
                sys.stderr.write(text)
                sys.stderr.flush()
            except RuntimeError:  # of a signal that came in the middle of another remark
                os.write(sys.stderr.fileno(), text.encode("utf-8", "backslashreplace"))

    def write(self, line: str) -> None:
        """One line of output, as UTF-8 whatever the locale."""
        self.write_bytes(line.encode("utf-8", "backslashreplace") + b"\n")

    def write_bytes(self, data: bytes) -> None:
        """Output as it is, at once."""
        if self.reader_gone:
            return
        try:
            sys.stdout.flush()
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            self.reader_gone = True
            _drop_output()
        except OSError:  # Python would try again at its exit, and end with 120
            _drop_output()
            raise

    def fail(self, error: SkerryError, said: str, **more: Any) -> None:
        """One line ``error -1……: message`` on standard error; with ``--json`` the error's document too.

        ``said`` is the message in the reader's language.
        """
        where = f" ({error.where})" if error.where and error.where not in error.message else ""
        self.note(f"error {error.code}: {visible(said + where)}")
        if self.json:
            payload = {"code": error.code, "message": error.message, "where": error.where}
            self.write(as_json({"error": payload, **more}))


def say(text: str, language: str) -> str:
    """A word or a sentence in a language; what nobody has translated stays as it is.

    >>> say("node", "zh"), say("node", "en"), say("something else", "zh")
    ('节点', 'node', 'something else')
    """
    return catalogue(language, "cli").get(text, text)


def state(word: str, language: str) -> str:
    """A state; in Chinese with the word that options and programs use.

    >>> state("failed", "zh")
    '失败 failed'
    """
    message = say(word, language)
    return word if message == word else f"{message} {word}"


def one_or_all(documents: Sequence[Any]) -> Any:
    """The document of one instance; of several a map with their list."""
    return documents[0] if len(documents) == 1 else {"instances": list(documents)}


def as_json(document: Any) -> str:
    """Compact JSON on one line; escaped where a text is no valid Unicode."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(document, separators=(",", ":"))
    return text


def _drop_output() -> None:
    """Discard what is still buffered, and what Python flushes at exit."""
    with suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
