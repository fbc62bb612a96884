"""``skerry bundle replay``: every recorded expression computed again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import click

from app.cli.case_opening import evidence_of, groups
from app.cli.cli_context import CliContext, one_or_all
from app.cli.shell import BAD, OK, CliCommand
from app.cli.terminal_text import visible
from app.cli.value_types import INSTANCE
from engine.model.expression import compact_json
from export_import.desk.reevaluation import Reevaluation, instances_of, reevaluate

_SHOWN = 20


@click.command(cls=CliCommand)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option("--instance", "instances", type=INSTANCE, multiple=True, metavar="N", help="Only this one.")
@click.pass_obj
def replay(cli: CliContext, paths: tuple[str, ...], instances: tuple[int, ...]) -> int:
    """Compute every recorded expression again and compare it with what it gave at the site.

    PATH is a bundle (or several media with its parts), a case (its name or folder), or a workspace's folder.
    """
    done: list[Reevaluation] = []
    for group in groups(cli, paths):
        with evidence_of(cli, *group) as evidence:
            done += [reevaluate(evidence, each) for each in instances_of(evidence, instances)]
    cli.answer(
        one_or_all([_document(each) for each in done]), (line for each in done for line in _lines(cli, each))
    )
    return BAD if any(each.differences for each in done) else OK


def _document(done: Reevaluation) -> dict[str, Any]:
    payload = asdict(done)
    return {**payload, "differences": len(done.differences), "found": payload["differences"]}


def _lines(cli: CliContext, done: Reevaluation) -> Iterator[str]:
    yield cli.tell(
        "instance {n}: {status}, {lines} lines, {expressions} expressions, {differences} differences, "
        "{redacted} with redacted inputs",
        n=done.instance, status=cli.state(done.status), lines=done.lines, expressions=done.expressions,
        differences=len(done.differences), redacted=done.redacted,
    )  # fmt: skip
    for each in done.differences[:_SHOWN]:
        place = {"seq": each.seq, "path": visible(each.path), "expression": visible(each.expression)}
        yield cli.tell("  line {seq} {path}: {expression}", **place)
        both = {
            "recorded": visible(_value(each.recorded)),
            "here": visible(each.error or _value(each.computed)),
        }
        yield cli.tell("    recorded {recorded}, here {here}", **both)
    if len(done.differences) > _SHOWN:
        yield cli.tell("  and {n} more", n=len(done.differences) - _SHOWN)


def _value(value: Any) -> str:
    text = compact_json(value)
    return text if len(text) <= 200 else f"{text[:200]}…"
