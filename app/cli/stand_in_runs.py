"""``skerry bundle try``: a stand-in run, in which recorded outcomes stand for the jobs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from app import wiring
from app.cli.case_opening import evidence_of, only_instance
from app.cli.cli_context import CliContext
from app.cli.package_text import definitions_of, values_of
from app.cli.rerunning import assignment
from app.cli.shell import BAD, OK, CliCommand
from app.cli.terminal_text import columns, visible
from app.cli.value_types import INSTANCE, OneOf
from engine.model.reason_words import words
from export_import.desk.stand_in_choices import Choices, outcome_of
from export_import.desk.standin import Trial, Tried, try_out


@click.command("try", cls=CliCommand)
@click.argument("path", metavar="PATH")
@click.option("--instance", type=INSTANCE, metavar="N", help="Which instance, where there are several.")
@click.option("--definitions", "files", multiple=True, metavar="FILE", help="Changed definitions.")
@click.option("texts", "--set", multiple=True, metavar="PATH=VALUE", help="A parameter, or a job's result.")
@click.option("outcomes", "--outcome", multiple=True, metavar="NODE=OUTCOME", help="Given by hand.")
@click.option("runs", "--run", multiple=True, metavar="NODE", help="Really run this job here.")
@click.option(
    "--others",
    type=OneOf(["unknown", "recorded", "run"]),
    default="unknown",
    show_default=True,
    help="What of jobs that differ from the record.",
)
@click.pass_obj
def try_(cli: CliContext, /, path: str, instance: int | None, **given: Any) -> int:
    """Run a task as it was recorded, or changed, without its site: recorded outcomes stand for its jobs.

    A job whose definition or inputs differ from the record is shown as unknown, unless it is given an
    outcome (succeeded, failed, or JSON with results), is taken to end as recorded, or really runs here.
    """
    types = wiring.installed_types()
    by_hand = {node: outcome_of(text) for node, text in map(assignment, given["outcomes"])}
    choices = Choices(by_hand, frozenset(given["runs"]), given["others"])
    with evidence_of(cli, path) as evidence, TemporaryDirectory(prefix="skerry-trial-") as scratch:
        chosen = only_instance(evidence, instance)
        tree = definitions_of(given["files"], types) or None
        trial = Trial(chosen, tree, values_of(evidence, chosen, given["texts"]), choices)
        tried = try_out(evidence, types, trial, Path(scratch) / "workspace")
    cli.answer(_document(tried), _lines(cli, tried))
    return OK if tried.status == "succeeded" else BAD


def _document(tried: Tried) -> dict[str, Any]:
    first = asdict(tried.first) if tried.first else None
    return {
        "instance": tried.instance,
        "recorded_status": tried.recorded_status,
        "status": tried.status,
        "fires": False,
        "jobs": [job.to_json() for job in tried.jobs],
        "first_divergence": first,
        "divergences": [asdict(each) for each in tried.divergences],
    }


def _lines(cli: CliContext, tried: Tried) -> Iterator[str]:
    facts = {"here": cli.state(tried.status), "there": cli.state(tried.recorded_status)}
    yield cli.tell("instance {n}: {here} here, {there} at the site", n=tried.instance, **facts)
    if tried.has_times:
        yield cli.tell("no schedule fires here and nothing is waited for: what others gave is as recorded")
    rows = (
        (job.node, cli.state(job.status), cli.tell((job.how or "").replace("_", " ")),
         words(job.why, cli.language) if job.why else "")
        for job in tried.jobs
    )  # fmt: skip
    yield from columns(cli.heads(("job", "status", "how", "why")), rows)
    if tried.first is not None:
        first = tried.first
        both = {"old": visible(first.recorded), "new": visible(first.now)}
        yield cli.tell("first divergence: {path}: {old} -> {new}", path=visible(first.path), **both)
        yield cli.tell("{n} values differ", n=len(tried.divergences))
