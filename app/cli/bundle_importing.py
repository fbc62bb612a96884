"""``skerry bundle import``, ``cases`` and ``translate``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from app.cli.cli_context import CliContext
from app.cli.engine_access import workspace_of
from app.cli.shell import CliCommand
from app.cli.terminal_text import clock_time, columns, harmless, visible
from engine.api.faults import error_document
from engine.runtime.clock import SystemClock
from export_import.case import Case, cases_at
from export_import.importing import import_bundle
from export_import.keys import Keys
from export_import.redaction.pseudonyms import Pseudonyms

_HEADS = ("case", "imported", "trust", "instances", "folder")


@click.command("import", cls=CliCommand)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option("--name", metavar="NAME", help="What the case is called; by default its day, instances and id.")
@click.pass_obj
def import_(cli: CliContext, paths: tuple[str, ...], name: str | None) -> None:
    """Make a case of a diagnostic bundle; several media of one bundle are given together."""
    root = workspace_of(cli).root
    case = import_bundle(root, [Path(each) for each in paths], clock=SystemClock(), name=name)
    cli.answer(_document(case), _lines(cli, case))


@click.command(cls=CliCommand)
@click.pass_obj
def cases(cli: CliContext) -> None:
    """List the cases, the one imported last first."""
    found, unreadable = cases_at(cli.root)
    for each in unreadable:
        message = cli.failure(each.error.code, each.error.message)
        cli.note(visible(cli.tell("warning: {path}: {message}", path=each.folder, message=message)))
    document = {
        "cases": [_document(case) for case in found],
        "unreadable": [
            {"case": each.folder.name, "folder": str(each.folder), **error_document(each.error)}
            for each in unreadable
        ],
    }
    cli.answer(document, columns(cli.heads(_HEADS), (_row(cli, case) for case in found)))


@click.command(cls=CliCommand)
@click.argument("file", required=False)
@click.pass_obj
def translate(cli: CliContext, file: str | None) -> None:
    """Put the real names of this site in the place of pseudonyms, in FILE or standard input."""
    data = Path(file).read_bytes() if file else sys.stdin.buffer.read()
    names = Pseudonyms(Keys(workspace_of(cli).root, SystemClock()))
    text = names.translate(data.decode("utf-8", "surrogateescape"))
    if cli.json:
        cli.answer({"text": text}, ())
    else:
        cli.write_bytes((harmless(text) if cli.terminal else text).encode("utf-8", "surrogateescape"))


def _document(case: Case) -> dict[str, Any]:
    return {
        "case": case.name,
        "folder": str(case.folder),
        "imported_at": case.imported_at,
        "trust": case.bundle["trust"],
        "signer": case.bundle["signer"],
        "instances": case.instances,
        "redacted": case.redacted,
        "omitted": case.omitted,
        "lost": case.lost,
        "findings": case.bundle["findings"],
    }


def _row(cli: CliContext, case: Case) -> tuple[Any, ...]:
    instances = ", ".join(map(str, case.instances))
    return case.name, clock_time(case.imported_at), cli.tell(case.bundle["trust"]), instances, case.folder


def _lines(cli: CliContext, case: Case) -> Iterator[str]:
    numbers = ", ".join(map(str, case.instances))
    facts = {"name": visible(case.name), "numbers": numbers, "trust": cli.tell(case.bundle["trust"])}
    yield cli.tell("case {name}: instances {numbers}, signature: {trust}", **facts)
    for each in case.bundle["findings"]:
        yield cli.labelled(each["code"], visible(cli.failure(each["code"], each["message"])))
    for each in case.lost:
        yield cli.tell("lost: {name}: {reason}", name=visible(each["name"]), reason=visible(each["reason"]))
    first = case.instances[0] if case.instances else "INSTANCE"
    command = f"skerry --workspace {visible(case.folder)} show {first}"
    yield cli.tell("look at it with: {command}", command=command)
