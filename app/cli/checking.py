"""``skerry check``: is what these files say valid?"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING

import click

from app import wiring
from app.cli import input_files
from app.cli.cli_context import CliContext
from app.cli.shell import OK, WRONG, CliCommand
from app.cli.terminal_text import visible
from engine.model.errors import Invalid, SkerryError
from engine.model.findings import Finding, finding_document
from engine.model.message import Message
from engine.runtime.clock import SystemClock

if TYPE_CHECKING:
    from engine.api.documents import Source
    from engine.api.service import Service
    from engine.model.catalogue import Catalogue
    from engine.model.worker import Worker


@click.command(cls=CliCommand)
@click.argument("names", metavar="FILE...", nargs=-1, required=True)
@click.pass_obj
def check(cli: CliContext, names: tuple[str, ...]) -> int:
    """Validate definition files.

    Prints every finding as file:line:column: severity code: message; the exit status is 2 if one
    is an error.
    """
    findings = _findings(cli, names)
    lines = (_line(cli, each) for each in findings)
    cli.answer({"findings": [finding_document(each) for each in findings]}, lines)
    return WRONG if any(each.severity == "error" for each in findings) else OK


def show_warnings(cli: CliContext, service: Service, sources: Sequence[Source]) -> None:
    """What ``check`` warns of, on standard error, for files that are loaded or run as they are."""
    for each in service.warnings(sources):
        facts = each.pop("message_facts", None)
        cli.note(_line(cli, Finding(**{**each, "message": Message.read(facts, each["message"])})))


def _line(cli: CliContext, finding: Finding) -> str:
    message = cli.failure(finding.code, finding.message, lambda code: _catalogue().find(code))
    return visible(replace(finding, message=message))


@cache
def _catalogue() -> Catalogue:
    return wiring.catalogue({})


def _findings(cli: CliContext, names: tuple[str, ...]) -> list[Finding]:
    from engine.api.examine import examine

    sources: list[Source] = []
    unreadable = []
    for name in dict.fromkeys(names):
        try:
            sources.append(input_files.source(name))
        except Invalid as problem:
            unreadable.append(Finding("error", problem.code, problem.message, file=name, line=1, column=1))
    if not sources:
        return unreadable
    now = SystemClock().now()
    types = wiring.job_types(), wiring.resource_types()
    found = examine(sources, *types, now=now, workers=partial(_workers, cli)).findings
    return [*unreadable, *(each if each.line else replace(each, line=1, column=1) for each in found)]


def _workers(cli: CliContext) -> list[Worker] | None:
    """Those of the workspace; None where it cannot be read: files are checked all the same."""
    from engine.api.examine import workers_of

    if not (cli.root / "workspace.yaml").exists() and not (cli.root / "skerry.db").exists():
        return None
    with suppress(SkerryError), closing(wiring.open_reader(cli.root)) as store:
        return workers_of(store)
    return None
