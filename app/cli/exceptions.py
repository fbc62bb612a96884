"""``skerry exceptions``: what failed, what was done about it, and the one place to go on from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from app.cli.catalogue_reader import reader
from app.cli.cli_context import CliContext
from app.cli.engine_access import detached, reading, working
from app.cli.instances import moment
from app.cli.shell import INSTANCE, NAME, Group, Number
from app.cli.terminal_text import clock_time, columns, in_words, pairs, visible
from app.failure_words import failure_words
from engine.runtime.jobs.operator_answer import WORDS

if TYPE_CHECKING:
    from app.cli.show_text import Reader

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


@click.group(cls=Group, invoke_without_command=True)
@click.pass_context
def exceptions(context: click.Context) -> None:
    """See failures and what was done about them; without a word after it: list."""
    if context.invoked_subcommand is None:
        context.invoke(show_list)


@exceptions.command("list", context_settings={"ignore_unknown_options": True})
@click.option("--instance", type=INSTANCE, metavar="N", help="Of this instance.")
@click.option("--task", type=NAME, metavar="ID", help="Of this task.")
@click.option(
    "--code",
    type=Number(_LOWEST, -1),
    metavar="CODE",
    help="With this code; zeros at its end cover all below.",
)
@click.option("--status", type=click.Choice(["open", "handled"]), help="Open ones, or handled ones.")
@click.option("--since", metavar="TIME", help="At or after this time (ISO 8601).")
@click.option("--limit", type=Number(1, 100_000), default=100, show_default=True, metavar="N")
@click.pass_obj
def show_list(
    cli: CliContext,
    instance: int | None = None,
    task: str | None = None,
    code: int | None = None,
    status: str | None = None,
    since: str | None = None,
    limit: int = 100,
) -> None:
    """List exceptions, the newest first; those that ask wait for a person."""
    from engine.api.documents import ExceptionQuery

    query = ExceptionQuery(instance, task, code, status, moment(cli, since), limit)
    with reading(cli) as service:
        found = service.exceptions(query)
    cli.answer({"exceptions": found}, columns(cli.heads(_HEADS), (_row(cli, each) for each in found)))


def _row(cli: CliContext, found: Mapping[str, Any]) -> tuple[Any, ...]:
    status = cli.tell("asks" if found["asks"] else found["status"])
    done = f"{found['handled_by']}: {found['note'] or ''}" if found["handled_by"] else found["note"] or ""
    error = f"{found['code']}: {cli.failure(found['code'], found['message'])}"
    when = clock_time(found["created_at"])
    return found["id"], when, status, found["instance"], found["node"], found["attempt"], error, done


@exceptions.command()
@click.argument("id", type=INSTANCE)
@click.pass_obj
def show(cli: CliContext, id: int) -> None:
    """One exception: what it means, where it happened, and the commands that help."""
    with reading(cli) as service:
        found = service.exception(id)
        person = reader(cli, service)
    entry = person.find(found["code"])
    texts = entry.text(person.language)._asdict() if entry else {}
    payload = {"title": None, "cause": None, "remedy": None, **texts}
    cli.answer({**found, **payload}, _lines({**found, **payload}, person))


def _lines(found: Mapping[str, Any], person: Reader) -> Iterator[str]:
    message = failure_words(found["code"], found["message"], person.language)
    head = {"id": found["id"], "code": found["code"], "message": visible(message)}
    yield person.say("exception {id}: error {code}: {message}").format(**head)
    yield from pairs(((person.say(name), value) for name, value in _facts(found, person)), room=person.room)
    for name, lines in found["commands"].items():
        yield ""
        yield f"  {person.say(_PURPOSES.get(name, name))}"
        yield from (f"    {visible(line)}" for line in lines)


def _facts(found: Mapping[str, Any], person: Reader) -> Iterator[tuple[str, object]]:
    yield "what", found["title"]
    yield "cause", found["cause"]
    yield "remedy", found["remedy"]
    yield "when", clock_time(found["created_at"])
    yield "task", found["task"]
    run, status = f"{person.say('run')} {found['run']}", person.state(found["instance_status"])
    yield "instance", f"{found['instance']} ({run}), {status}"
    yield "node", found["node"]
    yield (
        "job",
        f"{found['job']}, {person.say('job instance')} {found['job_instance']}" if found["job"] else "",
    )
    yield "attempt", found["attempt"]
    yield "worker", found["worker"]
    yield "job now", _now(found, person)
    yield "still alive", f"{person.say('pids')} {', '.join(map(str, found['pids']))}" if found["pids"] else ""
    yield "context", found["context"]
    yield "directory", found["directory"]
    yield "details", ", ".join(f"{name}={value}" for name, value in found["details"].items())
    yield "status", person.say("asks: somebody has to decide" if found["asks"] else found["status"])
    handled = {"time": clock_time(found["handled_at"]), "who": found["handled_by"]}
    yield "handled", person.say("{time} by {who}").format(**handled) if found["handled_by"] else ""
    yield "note", found["note"]


def _now(found: Mapping[str, Any], person: Reader) -> str:
    status = person.state(found["job_status"]) if found["job_status"] else ""
    return ": ".join(each for each in (status, in_words(found, person.language)) if each)


@exceptions.command()
@click.argument("id", type=INSTANCE)
@click.argument("answer", type=click.Choice(WORDS), required=False, metavar="[ANSWER]")
@click.option("--reason", required=True, metavar="TEXT", help="Why; it stays with the exception.")
@click.pass_obj
def handle(cli: CliContext, id: int, answer: str | None, reason: str) -> None:
    """Close an exception with a reason; or answer for a job that waits for a person.

    ANSWER is retry, skip, succeed, fail or discard.
    """
    if answer is not None:  # the job goes on, so somebody has to be there
        done = detached(cli).handle(id, reason, answer)
    else:
        with working(cli, resume=False) as service:
            done = service.handle(id, reason)
    cli.answer(done, [cli.tell("exception {id} is handled", id=id) + (f": {answer}" if answer else "")])
