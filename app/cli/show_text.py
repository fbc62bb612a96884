"""An instance for a tired operator: what it is, what each job did or waits for, what to do about failures."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from app.cli.run_progress import name_of
from app.cli.terminal_text import clock_time, columns, in_words, pairs, took, visible
from app.cli.words import say, say_all, state
from app.failure_words import failure_words
from engine.model.errors import ErrorCode
from engine.model.states import JobState

_MOST_TROUBLES = 10  # failed jobs that are explained at length
_EXPLAINED = ("what", "cause", "remedy")
_LONGEST_VALUE = 200  # characters of a value in the text; --json has all of it


@dataclass(frozen=True, slots=True)
class Reader:
    """Who reads it: where codes are looked up, in which language, on how wide a terminal (None: none)."""

    find: Callable[[int], ErrorCode | None]
    language: str = "en"
    room: int | None = None

    def say(self, text: str) -> str:
        """A word in the reader's language."""
        return say(text, self.language)

    def state(self, word: str) -> str:
        """A state in the reader's language."""
        return state(word, self.language)

    def pairs(self, rows: Iterable[tuple[str, object]]) -> Iterator[str]:
        """Named facts, the names in the reader's language."""
        return pairs((self.say(name), value) for name, value in rows)


def instance_lines(document: Mapping[str, Any], reader: Reader) -> Iterator[str]:
    """The whole picture."""
    yield (
        f"{reader.say('instance')} {document['instance']}: {visible(document['task'])}"
        f" {reader.state(document['status'])}"
        f" ({reader.say(document['trigger'])}, {reader.say('run')} {document['run']})"
    )
    yield from reader.pairs(_facts(document, reader))
    if document["jobs"]:
        yield ""
        heads = say_all(("node", "status", "attempt", "took", "remark"), reader.language)
        yield from columns(heads, (_row(job, reader) for job in document["jobs"]), "  ")
    yield from trouble_lines(document, reader)


def end_lines(document: Mapping[str, Any], reader: Reader) -> Iterator[str]:
    """How it ended, after its progress was told line by line."""
    spent = _took(document)
    ended = reader.state(document["status"])
    after = reader.say(" in {time}").format(time=spent) if spent else ""
    yield f"{reader.say('instance')} {document['instance']}: {ended}{after}"
    yield from reader.pairs([("results", _values(document["results"])), ("directory", document["directory"])])
    yield from trouble_lines(document, reader)


def job_lines(document: Mapping[str, Any], job: Mapping[str, Any], reader: Reader) -> Iterator[str]:
    """One job of it."""
    of = reader.say("{node} of instance {n}")
    head = of.format(node=name_of(job, reader.language), n=document["instance"])
    yield f"{head}: {reader.state(job['status'])}"
    yield from reader.pairs(_job_facts(job, reader))
    if job["error_code"]:
        yield from _trouble(document["instance"], job, reader)


def trouble_lines(document: Mapping[str, Any], reader: Reader) -> Iterator[str]:
    """Every failed job with what its code means and what to do; or the instance's own failure."""
    bad = [job for job in document["jobs"] if job["error_code"] and JobState(job["status"]).bad]
    for job in bad[:_MOST_TROUBLES]:
        yield from _trouble(document["instance"], job, reader)
    if bad[_MOST_TROUBLES:]:
        yield "\n" + reader.say("and {n} more that failed").format(n=len(bad) - _MOST_TROUBLES)
    if not bad and document["error_code"]:
        yield ""
        yield from _explained(document, reader)


def _facts(document: Mapping[str, Any], reader: Reader) -> Iterator[tuple[str, object]]:
    yield "scheduled", clock_time(document["scheduled_time"])
    yield "started", clock_time(document["started_at"])
    yield "ended", clock_time(document["ended_at"])
    yield "took", _took(document)
    yield "reason", in_words(document, reader.language)
    yield "params", _values(document["params"])
    yield "results", _values(document["results"])
    kept = document["definition"]
    yield "definition", f"{reader.say('revision')} {kept}" if kept else reader.say("from a file")
    yield "edited", ", ".join(document["edited"])
    yield "directory", document["directory"]


def _job_facts(job: Mapping[str, Any], reader: Reader) -> Iterator[tuple[str, object]]:
    yield "job", job["job"]
    yield "job instance", f"{job['instance']} ({reader.say('run')} {job['run']})"
    yield "attempt", job["attempt"] or ""
    yield "worker", job["worker"]
    yield "pid", job["pid"]
    yield "exit code", job["exit_code"]
    yield "started", clock_time(job["started_at"])
    yield "ended", clock_time(job["ended_at"])
    yield "took", _took(job)
    yield "params", _values(job["params"])
    yield "results", _values(job["results"])
    yield "based on edit", reader.say("yes") if job["based_on_edit"] else ""
    yield "reason", in_words(job, reader.language)
    yield "stopped, unverified", job.get("unverified")
    yield "directory", job["directory"]


def _row(job: Mapping[str, Any], reader: Reader) -> tuple[str, str, object, str, str]:
    return (
        name_of(job, reader.language),
        reader.state(job["status"]),
        job["attempt"] or "",
        _took(job),
        _remark(job, reader),
    )


def _remark(job: Mapping[str, Any], reader: Reader) -> str:
    edited = reader.say("ran on edited values") if job["based_on_edit"] else ""
    between = job["reason"] and not JobState(job["status"]).ended
    if job["error_code"] and not between:
        words = failure_words(job["error_code"], job["error_message"] or "", reader.language, reader.find)
        message = f"{reader.say('error')} {job['error_code']}: {words}"
    else:
        message = in_words(job, reader.language)
    return "; ".join(part for part in (message, edited, _doubt(job, reader)) if part)


def _doubt(job: Mapping[str, Any], reader: Reader) -> str:
    """Why something that it started may live on although it was stopped."""
    why = job.get("unverified")
    return f"{reader.say('cannot be verified to be stopped, because')} {visible(why)}" if why else ""


def _trouble(instance: int, job: Mapping[str, Any], reader: Reader) -> Iterator[str]:
    yield ""
    yield from _explained(job, reader, f"{name_of(job, reader.language)}: ")
    if doubt := _doubt(job, reader):
        yield f"  {doubt}"
    if job["directory"]:
        yield f"  {reader.say('logs')}    skerry logs {instance} {visible(job['node'])}"


def _explained(job: Mapping[str, Any], reader: Reader, name: str = "") -> Iterator[str]:
    message = failure_words(job["error_code"], job["error_message"] or "", reader.language)
    yield f"{name}{reader.say('error')} {job['error_code']}: {visible(message)}"
    entry = reader.find(job["error_code"])
    if entry:
        text = entry.text(reader.language)
        facts = [(reader.say(name), value) for name, value in zip(_EXPLAINED, text, strict=True)]
        yield from pairs(facts, room=reader.room)


def _values(values: Mapping[str, Any]) -> str:
    return "  ".join(f"{name}={_shortened(value)}" for name, value in values.items())


def _shortened(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}… ({len(text)} characters)"


def _took(document: Mapping[str, Any]) -> str:
    return took(document["started_at"], document["ended_at"], datetime.now(UTC))
