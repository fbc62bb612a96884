"""``skerry bundle findings``, ``search``, ``note`` and ``diff``: what a supporter asks of a case."""

from __future__ import annotations

import getpass
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import click

from app import wiring
from app.cli.case_opening import evidence_of, folder_of, only_instance
from app.cli.cli_context import CliContext
from app.cli.shell import BAD, OK, CliCommand
from app.cli.terminal_text import columns, visible
from app.cli.value_types import INSTANCE, Number, OneOf
from app.durations import duration
from app.failure_words import finding_words
from engine.model.catalogue import codes_of
from engine.model.codes.commands import WRONG_USE
from engine.model.errors import Invalid
from engine.model.expression import compact_json
from engine.model.plain_words import quoted
from engine.runtime.clock import SystemClock
from export_import.desk import searching
from export_import.desk.comparing import InstanceComparison, compare, pair
from export_import.desk.findings import CaseFinding, Study
from export_import.desk.findings import findings as look
from export_import.desk.notes import add_note, notes_of


@click.command(cls=CliCommand)
@click.argument("path", metavar="PATH")
@click.option("--instance", type=INSTANCE, metavar="N", help="Which instance, where there are several.")
@click.option("--lang", type=OneOf(["en", "zh"]), help="English or Chinese.")
@click.pass_obj
def findings(cli: CliContext, path: str, instance: int | None, lang: str | None) -> int:
    """Say what stands out in a run: what failed and why, what changed, what was full, slow or lost."""
    types = wiring.installed_types()
    codes = (*codes_of(types.job_types.values()), *codes_of(set(types.resource_types.values())))
    with evidence_of(cli, path) as evidence:
        chosen = only_instance(evidence, instance)
        found = look(Study(evidence, chosen, codes))
    if lang:
        cli.language = lang
    document = {"instance": chosen, "findings": [each.to_json() for each in found]}
    cli.answer(document, _finding_lines(cli, found))
    return BAD if any(each.severity == "error" for each in found) else OK


def _finding_lines(cli: CliContext, found: list[CaseFinding]) -> Iterator[str]:
    for each in found:
        yield cli.labelled(cli.tell(each.severity), visible(finding_words(each.title, cli.language)))
        for line in finding_words(each.detail, cli.language).splitlines():
            yield f"  {visible(line)}"
    if not found:
        yield cli.tell("nothing stands out")


@click.command(cls=CliCommand)
@click.argument("path", metavar="PATH")
@click.argument("text")
@click.option("-n", "limit", type=Number(1, 100_000), default=100, show_default=True, help="At most so many.")
@click.pass_obj
def search(cli: CliContext, path: str, text: str, limit: int) -> None:
    """Look for a text in all logs, contexts, code, results and definitions of a case."""
    with evidence_of(cli, path) as evidence:
        hits = list(searching.search(evidence, text, limit=limit))
    lines = (f"{visible(hit.file)}:{hit.line}: {visible(hit.excerpt)}" for hit in hits)
    cli.answer({"hits": [asdict(hit) for hit in hits]}, lines)


@click.command(cls=CliCommand)
@click.argument("case", metavar="CASE")
@click.argument("text", required=False)
@click.pass_obj
def note(cli: CliContext, case: str, text: str | None) -> None:
    """Write a note into a case; without TEXT show its notes."""
    with folder_of(cli, case) as folder:
        if text is not None:
            add_note(folder, text, getpass.getuser(), SystemClock())
        found = notes_of(folder)
    lines = (f"{each.time} {visible(each.author)}: {visible(each.text)}" for each in found)
    cli.answer({"notes": [asdict(each) for each in found]}, lines)


@click.command("diff", cls=CliCommand)
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.option(
    "--instances", metavar="N:M", help="Instance N of A with M of B; default: the newest of a task."
)
@click.pass_obj
def diff(cli: CliContext, a: str, b: str, instances: str | None) -> None:
    """Compare two runs: versions, configuration, definitions, environment, durations, results.

    A and B are bundles, cases or workspaces; they may be the same one.
    """
    given = _pair(instances)
    with evidence_of(cli, a) as one, evidence_of(cli, b) as other:
        numbers = pair(one, other, *given)
        found = compare(one, numbers[0], other, numbers[1])
    cli.answer({**asdict(found), "same": found.same}, _diff_lines(cli, found))


def _pair(text: str | None) -> tuple[int | None, int | None]:
    if text is None:
        return None, None
    first, _, second = text.partition(":")
    if not (first.isascii() and first.isdecimal() and second.isascii() and second.isdecimal()):
        raise Invalid(WRONG_USE, "--instances takes N:M, not {text}", text=quoted(text))
    return int(first), int(second)


def _diff_lines(cli: CliContext, found: InstanceComparison) -> Iterator[str]:
    yield cli.tell("instance {a} of A, instance {b} of B", a=found.a, b=found.b)
    for name in ("versions", "configuration", "environment", "params", "statuses", "results"):
        rows: list[Any] = [(each.name, _text(each.a), _text(each.b)) for each in getattr(found, name)]
        if rows:
            yield from columns(cli.heads((name, "A", "B")), rows)
    yield from (visible(line) for line in found.definitions)
    took = [
        (each.node or cli.tell("the whole"), _took(cli, each.a), _took(cli, each.b))
        for each in found.durations
        if each.notable
    ]
    if took:
        yield from columns(cli.heads(("durations", "A", "B")), took)
    if found.same:
        yield cli.tell("nothing differs but the times")


def _text(value: Any) -> str:
    text = "-" if value is None else compact_json(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


def _took(cli: CliContext, seconds: float | None) -> str:
    return duration(seconds, cli.language) or "-"
