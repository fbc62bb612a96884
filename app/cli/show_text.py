"""An instance for a tired operator: what it is, what each job did or waits for, what to do about failures."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from app.cli.cli_context import CliContext, Find
from app.cli.run_progress import name_of
from app.cli.terminal_text import clock_time, columns, in_words, pairs, visible
from app.durations import duration, seconds_between
from app.failure_words import failure_words
from app.worker_records import records_of
from engine.model.message import message_in
from engine.model.states import JobState
from engine.model.worker import LOCAL

_MOST_FAILURES = 10  # failed jobs that are explained at length
_EXPLAINED = ("what", "cause", "remedy")
_LONGEST_VALUE = 200  # characters of a value in the text; --json has all of it


def instance_lines(cli: CliContext, document: Mapping[str, Any], find: Find) -> Iterator[str]:
    whole = {"n": document["instance"], "task": visible(document["task"]), "run": document["run"]}
    words = {"state": cli.state(document["status"]), "trigger": cli.tell(document["trigger"])}
    yield cli.tell("instance {n}: {task} {state} ({trigger}, run {run})", **whole, **words)
    yield from pairs(cli.facts(_facts(cli, document)))
    if document["upstream"]:
        yield ""
        heads = cli.heads(("waits for", "scheduled", "instance", "status", "remark"))
        yield from columns(heads, _upstream_rows(cli, document["upstream"]), "  ")
    if document["jobs"]:
        yield ""
        yield from _job_table(cli, document["jobs"], find)
    yield from failure_lines(cli, document, find)


def end_lines(cli: CliContext, document: Mapping[str, Any], find: Find) -> Iterator[str]:
    """How it ended, after its progress was shown line by line."""
    spent = _took(cli, document)
    ended = cli.state(document["status"])
    after = cli.tell(" in {time}", time=spent) if spent else ""
    yield cli.tell("instance {n}: {state}{took}", n=document["instance"], state=ended, took=after)
    yield from pairs(
        cli.facts([("results", _values(document["results"])), ("directory", document["directory"])])
    )
    yield from failure_lines(cli, document, find)


def job_lines(
    cli: CliContext, document: Mapping[str, Any], job: Mapping[str, Any], find: Find
) -> Iterator[str]:
    name = name_of(job, cli.language)
    head = cli.tell("{node} of instance {n}", node=name, n=document["instance"])
    yield cli.labelled(head, cli.state(job["status"]))
    yield from pairs(cli.facts(_job_facts(cli, job)))
    if records := records_of(job["node"], document["jobs"], job["round"], job["index"]):
        yield ""
        yield from _job_table(cli, records, find)
    if job["error_code"]:
        yield from _failed_jobs(cli, document["instance"], [job], find)


def _job_table(cli: CliContext, jobs: Sequence[Mapping[str, Any]], find: Find) -> Iterator[str]:
    """A line for each; where any ran on another worker also on which."""
    rows = [_row(cli, job, find) for job in jobs]
    heads: tuple[str, ...] = ("node", "status", "attempt", "took", "remark")
    if any(job["worker"] not in (None, LOCAL) for job in jobs):
        heads = ("node", "worker", *heads[1:])
        rows = [(row[0], visible(job["worker"] or ""), *row[1:]) for row, job in zip(rows, jobs, strict=True)]
    return columns(cli.heads(heads), rows, "  ")


def failure_lines(cli: CliContext, document: Mapping[str, Any], find: Find) -> Iterator[str]:
    """Every failed job with what its code means and what to do; or the instance's own failure.

    What one entry of the catalogue explains is listed together and explained once.
    """
    bad = [job for job in document["jobs"] if job["error_code"] and JobState(job["status"]).bad]
    alike: dict[object, list[Mapping[str, Any]]] = {}
    for job in bad[:_MOST_FAILURES]:
        alike.setdefault(find(job["error_code"]) or job["node"], []).append(job)
    for jobs in alike.values():
        yield from _failed_jobs(cli, document["instance"], jobs, find)
    if bad[_MOST_FAILURES:]:
        yield "\n" + cli.tell("and {n} more that failed", n=len(bad) - _MOST_FAILURES)
    if not bad and document["error_code"]:
        yield ""
        yield _failure(cli, document)
        yield from _explained(cli, document, find)


def _facts(cli: CliContext, document: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    yield "scheduled", clock_time(document["scheduled_time"])
    yield "started", clock_time(document["started_at"])
    yield "ended", clock_time(document["ended_at"])
    yield "took", _took(cli, document)
    yield "reason", in_words(document, cli.language)
    yield "params", _values(document["params"])
    yield "results", _values(document["results"])
    kept = document["definition"]
    if document["run"]:  # what never began has none yet
        yield "definition", f"{cli.tell('revision')} {kept}" if kept else cli.tell("from a file")
    yield "edited", ", ".join(document["edited"])
    yield "directory", document["directory"]


def _upstream_rows(cli: CliContext, upstream: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, ...]]:
    """A line for each instance; of a period a line in all."""
    for each in upstream:
        remark = _upstream_remark(cli, each)
        found = each["instances"]
        if each["count"] > 1:
            counted = cli.tell("{good} of {count} succeeded", good=each["succeeded"], count=each["count"])
            span = f"{clock_time(each['first'])} … {clock_time(each['last'])}"
            yield visible(each["task"]), span, "", counted, remark
        else:
            number, status = (str(found[0]["instance"]), cli.state(found[0]["status"])) if found else ("", "")
            yield visible(each["task"]), clock_time(each["first"]), number, status, remark


def _upstream_remark(cli: CliContext, each: Mapping[str, Any]) -> str:
    if each["released"]:
        return cli.tell("let go without it: {why}", why=visible(each["released"]))
    if not each["count"]:
        return cli.tell("nothing to wait for")
    if not each["instances"] and not each["succeeded"]:
        return cli.tell("no instance yet")
    return cli.tell("decided") if each["decided"] else ""


def _job_facts(cli: CliContext, job: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    yield "job", job["job"]
    yield "job instance", cli.tell("{n} (run {run})", n=job["instance"], run=job["run"])
    yield "attempt", job["attempt"] or ""
    yield "worker", job["worker"]
    yield "pid", job["pid"]
    yield "exit code", job["exit_code"]
    yield "started", clock_time(job["started_at"])
    yield "ended", clock_time(job["ended_at"])
    yield "took", _took(cli, job)
    yield "params", _values(job["params"])
    yield "results", _values(job["results"])
    yield "based on edit", cli.tell("yes") if job["based_on_edit"] else ""
    yield "reason", in_words(job, cli.language)
    yield "stopped, unverified", cli.failure(None, message_in(job, "unverified"))
    yield "directory", job["directory"]


def _row(cli: CliContext, job: Mapping[str, Any], find: Find) -> tuple[object, ...]:
    name, status = name_of(job, cli.language), cli.state(job["status"])
    return name, status, job["attempt"] or "", _took(cli, job), _remark(cli, job, find)


def _remark(cli: CliContext, job: Mapping[str, Any], find: Find) -> str:
    edited = cli.tell("ran on edited values") if job["based_on_edit"] else ""
    between = job["reason"] and not JobState(job["status"]).ended
    if job["error_code"] and not between:
        message = cli.error(job["error_code"], message_in(job), find)
    else:
        message = in_words(job, cli.language)
    return cli.tell("; ").join(part for part in (message, edited, _doubt(cli, job)) if part)


def _doubt(cli: CliContext, job: Mapping[str, Any]) -> str:
    """Why something that it started may still run although it was stopped."""
    why = cli.failure(None, message_in(job, "unverified"))
    return f"{cli.tell('cannot be verified to be stopped, because')} {visible(why)}" if why else ""


def _failed_jobs(
    cli: CliContext, instance: int, jobs: Sequence[Mapping[str, Any]], find: Find
) -> Iterator[str]:
    yield ""
    for job in jobs:
        yield cli.labelled(name_of(job, cli.language), _failure(cli, job))
        if doubt := _doubt(cli, job):
            yield f"  {doubt}"
    with_logs = dict.fromkeys(job["node"] for job in jobs if job["directory"])
    yield from _explained(cli, jobs[0], find, [f"skerry logs {instance} {node}" for node in with_logs])


def _failure(cli: CliContext, failed: Mapping[str, Any]) -> str:
    words = visible(failure_words(failed["error_code"], message_in(failed), cli.language))
    return cli.tell("error {code}: {message}", code=failed["error_code"], message=words)


def _explained(
    cli: CliContext, failed: Mapping[str, Any], find: Find, logs: Sequence[str] = ()
) -> Iterator[str]:
    """What its code means and what to do; the commands that show the ``logs``, a line each."""
    entry = find(failed["error_code"])
    explained = zip(_EXPLAINED, entry.text(cli.language), strict=True) if entry else ()
    yield from pairs(cli.facts([*explained, *(("logs", command) for command in logs)]), room=cli.room)


def _values(values: Mapping[str, Any]) -> str:
    return "  ".join(f"{name}={_shortened(value)}" for name, value in values.items())


def _shortened(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}… ({len(text)} characters)"


def _took(cli: CliContext, document: Mapping[str, Any]) -> str:
    until = document["ended_at"] or datetime.now(UTC).isoformat()
    return duration(seconds_between(document["started_at"], until), cli.language)
