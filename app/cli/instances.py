"""``skerry list``, ``show`` and ``context``: what ran, runs and waits, and its values."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

import click

from app.cli.catalogue_reader import finder
from app.cli.cli_context import CliContext
from app.cli.engine_access import ask, existing, reading, workspace_of
from app.cli.engine_delays import held_up
from app.cli.following_runs import ended
from app.cli.shell import CliCommand
from app.cli.show_text import instance_lines, job_lines
from app.cli.terminal_text import clock_time, columns, in_words, visible
from app.cli.value_types import INSTANCE, LARGEST, NAME, Number, OneOf
from app.cli.whole_values import whole
from app.durations import duration, seconds_between
from engine.api.documents import Document, InstanceQuery, RunDocument, Summary
from engine.api.service import Service
from engine.api.waiting_reason import waits_in_line, with_queue
from engine.model.codes.commands import TIME_INVALID
from engine.model.codes.runtime import NO_SUCH_NODE
from engine.model.errors import Invalid
from engine.model.message import message_in
from engine.model.missing_files import missing
from engine.model.plain_words import quoted
from engine.model.states import InstanceState
from engine.model.times import moment_within


@click.command("list", cls=CliCommand)
@click.option("--task", type=NAME, metavar="ID", help="Only instances of this task.")
@click.option("--status", type=OneOf([str(each) for each in InstanceState]), metavar="STATUS")
@click.option("--since", metavar="TIME", help="Scheduled at or after this time (ISO 8601).")
@click.option("--until", metavar="TIME", help="Scheduled before this time; a date is the whole day.")
@click.option("--planned", is_flag=True, help="Those that are planned ahead.")
@click.option("--limit", type=Number(1, 1_000_000), default=100, show_default=True, metavar="N")
@click.pass_obj
def list_instances(
    cli: CliContext,
    task: str | None,
    status: str | None,
    since: str | None,
    until: str | None,
    planned: bool,
    limit: int,
) -> None:
    """List instances, the newest first."""
    query = InstanceQuery(task, status, moment(cli, since), moment(cli, until, end=True), planned, limit)
    found, about = _listed(cli, query)
    heads = cli.heads(("instance", "task", "status", "trigger", "scheduled", "took", "remark"))
    cli.answer({"instances": found}, columns(heads, (_row(cli, each) for each in found)))
    if hold_up := about.get("hold_up"):
        cli.note(held_up(cli, hold_up))
    # twice: an engine that has just ended was still at work when its rows were read
    if _is_stale(found, about) and existing(cli).owner() is None and _is_stale(*_listed(cli, query)):
        cli.note(cli.tell("no engine is at work: what is running is what the last one knew"))


def _listed(cli: CliContext, query: InstanceQuery) -> tuple[list[Summary], Document]:
    with reading(cli) as service:
        return service.instances(query), service.about()


def _is_stale(found: list[Summary], about: Document) -> bool:
    return about["pid"] is None and any(each["status"] == InstanceState.RUNNING for each in found)


@click.command(cls=CliCommand)
@click.argument("instance", type=INSTANCE)
@click.argument("node", required=False)
@click.pass_obj
def show(cli: CliContext, instance: int, node: str | None) -> None:
    """Show an instance with its jobs, and why each unfinished one waits; or one NODE in detail."""
    with reading(cli) as service:
        document = service.instance(instance)
        if waits_in_line(document):
            document = with_queue(document, service.queue())
        about = service.about()
        jobs = document["jobs"] if node is None else _of_node(document, node)
        lines = _lines(cli, service, document, jobs if node else None)
        lacks = missing(document.get("directory") or "")
        payload = {"missing": sorted(lacks)} if lacks else {}
        cli.answer(whole({**document, "jobs": jobs, **payload}), lines)
    for file, lack in sorted(lacks.items()):
        cli.note(cli.tell("{file}: {what}", file=visible(file), what=lack.worded(cli.tell)))
    if hold_up := about.get("hold_up"):
        cli.note(held_up(cli, hold_up))
    if about["pid"] is None and not ended(document) and not existing(cli).is_case:
        cli.note(cli.tell("no engine runs: nothing goes on until one does (skerry serve)"))


@click.command(cls=CliCommand)
@click.argument("instance", type=INSTANCE)
@click.option("--at", type=Number(0, LARGEST), metavar="SEQ", help="As it was after this line of its log.")
@click.pass_obj
def context(cli: CliContext, instance: int, at: int | None) -> None:
    """Show the context of an instance as a tree."""
    tree = ask(cli, lambda service: service.context(instance, at))
    text = json.dumps(tree, ensure_ascii=False, indent=2)
    cli.answer(tree, (visible(line) for line in text.splitlines()))


def _of_node(document: RunDocument, node: str) -> list[Any]:
    """The JobInstances of a node, or of the node that uses the job of that name."""
    found = [job for job in document["jobs"] if job["node"] == node or job["node"].startswith(f"{node}.")]
    exact = [job for job in found if job["node"] == node]
    if not exact:
        message = "instance {instance} has no node {where!r}"
        raise Invalid.at(NO_SUCH_NODE, message, node, instance=document["instance"])
    return found if _is_group(found, exact) else exact


def _is_group(found: list[Any], exact: list[Any]) -> bool:
    """Whether the other ones are members: ``report.0``, ``report.1`` …"""
    rest = [job["node"].rpartition(".")[2] for job in found if job not in exact]
    return bool(rest) and all(each.isdigit() for each in rest)


def _lines(
    cli: CliContext, service: Service, document: Mapping[str, Any], jobs: list[Any] | None
) -> Iterator[str]:
    find = finder(service)
    if jobs is None:
        yield from instance_lines(cli, document, find)
    else:
        for position, job in enumerate(jobs):
            yield from ([""] if position else [])
            yield from job_lines(cli, document, job, find)


def _row(cli: CliContext, found: Mapping[str, Any]) -> tuple[Any, ...]:
    code = found["error_code"]
    waits = found["status"] in ("waiting", "paused", "running") and in_words(found, cli.language)
    remark = waits or (cli.error(code, message_in(found)) if code else "")
    status, trigger = cli.state(found["status"]), cli.tell(found["trigger"])
    scheduled = clock_time(found["scheduled_time"])
    spent = duration(seconds_between(found["started_at"], found["ended_at"]), cli.language)
    return found["instance"], found["task"], status, trigger, scheduled, spent, remark


def moment(cli: CliContext, text: str | None, *, end: bool = False) -> str | None:
    """A time as typed, in the workspace's zone if it has no offset; as an ``end`` a date is the whole day."""
    if text is None:
        return None
    try:
        moment = moment_within(text)
    except ValueError as problem:
        message = "{text} is not a time such as 2026-11-21T08:00"
        raise Invalid(TIME_INVALID, message, where=text, text=quoted(text)) from problem
    moment += timedelta(days=1) if end and len(text) <= len("2026-11-21") else timedelta()
    zone = workspace_of(cli).zone
    return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).isoformat()
