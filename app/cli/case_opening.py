"""Reaching what is looked at: a case by its name or folder, a workspace's folder, or a bundle as it came."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.cli.cli_context import CliContext
from engine.model.codes.commands import WRONG_USE
from engine.model.codes.desk import NO_EVIDENCE
from engine.model.errors import Invalid
from engine.model.message import Message
from engine.model.plain_words import quoted
from engine.runtime.clock import SystemClock
from export_import.desk.evidence import Evidence, folder_at, is_place


@contextmanager
def folder_of(cli: CliContext, *texts: str) -> Iterator[Path]:
    """The folder of a case or a workspace; a bundle is opened into a folder that goes with the command.

    Several texts are several media with parts of one bundle.
    """
    with folder_at([_path(cli, text) for text in texts], cli.root, SystemClock()) as folder:
        yield folder


def groups(cli: CliContext, texts: tuple[str, ...]) -> list[tuple[str, ...]]:
    """What belongs together: each case and workspace is by itself, all else are media of one bundle."""
    places = [text for text in texts if is_place(_path(cli, text))]
    media = tuple(text for text in texts if text not in places)
    return [*((each,) for each in places), *([media] if media else [])]


def _path(cli: CliContext, text: str) -> Path:
    named = cli.root / "cases" / text
    path = Path(text) if os.path.lexists(text) else named
    if not os.path.lexists(path):
        message = "there is no case, workspace or bundle {text}"
        raise Invalid(NO_EVIDENCE, message, where=text, text=quoted(text))
    return path


@contextmanager
def evidence_of(cli: CliContext, *texts: str) -> Iterator[Evidence]:
    """What is recorded there, for reading."""
    with folder_of(cli, *texts) as folder, Evidence.open(folder) as evidence:
        yield evidence


def only_instance(evidence: Evidence, asked: int | None) -> int:
    """The instance that is meant: the one asked for, else the only one there is."""
    if asked is not None:
        return evidence.instance(asked).id
    known = sorted(row.id for row in evidence.instances())
    if len(known) != 1:
        listed = ", ".join(map(str, known[:20])) or Message.of("none")
        raise Invalid(WRONG_USE, "name the instance with --instance N (there: {instances})", instances=listed)
    return known[0]
