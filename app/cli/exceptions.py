"""``skerry exceptions``: what failed, what was done about it, and what to do next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import click

from app.cli.catalogue_reader import finder
from app.cli.cli_context import CliContext
from app.cli.engine_access import ask, change, detached, reading
from app.cli.instances import moment
from app.cli.shell import CliGroup, limit_option
from app.cli.terminal_text import clock_time, columns, in_words, pairs, visible
from app.cli.value_types import INSTANCE, NAME, Number, OneOf
from app.failure_words import failure_words
from engine.api.documents import ExceptionQuery
from engine.model.message import message_in
from engine.runtime.jobs.operator_answer import WORDS

_HEADS = ("id", "when", "status", "instance", "node", "attempt", "error", "")
_LOWEST = -(2**63)
_PURPOSES = {
    "look": "look",
    "edit": "edit the context",
    "queue": "the queue",
    "rerun_full": "rerun everything",
    "rerun_manual": "rerun this job and what it needs",
    "rerun_smart": "rerun what failed",
    "settle": "settle it by hand",
    "answer": "answer",
    "close": "close it",
}

exceptions = CliGroup("exceptions", default="list", help="See failures and what was done about them")


@exceptions.command("list", context_settings={"ignore_unknown_options": True})
@click.option("--instance", type=INSTANCE, metavar="N", help="Of this instance.")
@click.option("--task", type=NAME, metavar="ID", help="Of this task.")
@click.option(
    "--code",
    type=Number(_LOWEST, -1),
    metavar="CODE",
    help="With this code; zeros at its end cover all below.",
)
@click.option("--status", type=OneOf(["open", "handled"]), help="Open ones, or handled ones.")
@click.option("--since", metavar="TIME", help="At or after this time (ISO 8601).")
@limit_option
@click.pass_obj
def show_list(
    cli: CliContext,
    instance: int | None,
    task: str | None,
    code: int | None,
    status: str | None,
    since: str | None,
    limit: int,
) -> None:
    """List exceptions, the newest first; those that ask wait for a person."""
    query = ExceptionQuery(instance, task, code, status, moment(cli, since), limit)
    found = ask(cli, lambda service: service.exceptions(query))
    cli.answer({"exceptions": found}, columns(cli.heads(_HEADS), (_row(cli, each) for each in found)))


def _row(cli: CliContext, found: Mapping[str, Any]) -> tuple[Any, ...]:
    status = cli.tell("asks" if found["asks"] else found["status"])
    note = failure_words(None, message_in(found, "note"), cli.language)
    done = cli.labelled(found["handled_by"], note) if found["handled_by"] else note
    error = cli.labelled(found["code"], cli.failure(found["code"], message_in(found, "message")))
    when = clock_time(found["created_at"])
    return found["id"], when, status, found["instance"], found["node"], found["attempt"], error, done


@exceptions.command()
@click.argument("id", type=INSTANCE)
@click.pass_obj
def show(cli: CliContext, id: int) -> None:
    """One exception: what it means, where it happened, and the commands that help."""
    with reading(cli) as service:
        found = service.exception(id)
        entry = finder(service)(found["code"])
    texts = entry.text(cli.language)._asdict() if entry else {}
    document = {**found, "title": None, "cause": None, "remedy": None, **texts}
    cli.answer(document, _lines(cli, document))


def _lines(cli: CliContext, found: Mapping[str, Any]) -> Iterator[str]:
    message = failure_words(found["code"], message_in(found, "message"), cli.language)
    head = {"id": found["id"], "code": found["code"], "message": visible(message)}
    yield cli.tell("exception {id}: error {code}: {message}", **head)
    yield from pairs(cli.facts(_facts(cli, found)), room=cli.room)
    for name, lines in found["commands"].items():
        if not lines:
            continue
        yield ""
        yield f"  {cli.tell(_PURPOSES.get(name, name))}"
        yield from (f"    {visible(line)}" for line in lines)


def _facts(cli: CliContext, found: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    yield "what", found["title"]
    yield "cause", found["cause"]
    yield "remedy", found["remedy"]
    yield "when", clock_time(found["created_at"])
    yield "task", found["task"]
    run, status = {"n": found["instance"], "run": found["run"]}, cli.state(found["instance_status"])
    yield "instance", cli.tell("{n} (run {run}), {state}", **run, state=status)
    yield "node", found["node"]
    job = {"job": found["job"], "n": found["job_instance"]}
    yield "job", cli.tell("{job}, job instance {n}", **job) if found["job"] else ""
    yield "attempt", found["attempt"]
    yield "worker", found["worker"]
    yield "job now", _now(cli, found)
    yield "still alive", f"{cli.tell('pids')} {', '.join(map(str, found['pids']))}" if found["pids"] else ""
    yield "context", found["context"]
    yield "directory", found["directory"]
    yield "details", ", ".join(f"{name}={value}" for name, value in found["details"].items())
    yield "status", cli.tell("asks: a decision is needed" if found["asks"] else found["status"])
    handled = {"time": clock_time(found["handled_at"]), "who": found["handled_by"]}
    yield "handled", cli.tell("{time} by {who}", **handled) if found["handled_by"] else ""
    yield "note", failure_words(None, message_in(found, "note"), cli.language)


def _now(cli: CliContext, found: Mapping[str, Any]) -> str:
    return cli.state_because(found["job_status"], in_words(found, cli.language))


@exceptions.command()
@click.argument("id", type=INSTANCE)
@click.argument("answer", type=OneOf(WORDS), required=False, metavar="[ANSWER]")
@click.option("--reason", required=True, metavar="TEXT", help="Why; it stays with the exception.")
@click.pass_obj
def handle(cli: CliContext, id: int, answer: str | None, reason: str) -> None:
    """Close an exception with a reason; or answer for a job that waits for a person.

    ANSWER is retry, skip, succeed, fail or discard.
    """
    if answer is not None:  # the job goes on, so an engine has to run it
        done = detached(cli).handle(id, reason, answer)
    else:
        done = change(cli, lambda service: service.handle(id, reason))
    cli.answer(done, [cli.tell("exception {id} is handled", id=id) + (f": {answer}" if answer else "")])
