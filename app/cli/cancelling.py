"""``skerry cancel``: stop an instance or one of its nodes, or everything."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import click

from app.cli.cli_context import CliContext
from app.cli.engine_access import working
from app.cli.shell import BAD, NOT_NOW, OK, CliCommand
from app.cli.terminal_text import visible
from app.cli.value_types import INSTANCE
from engine.api.documents import InstanceQuery
from engine.api.service import Service
from engine.model.codes.commands import WRONG_USE
from engine.model.codes.runtime import NOT_RUNNING
from engine.model.errors import Invalid, Refused
from engine.model.message import message_in
from engine.model.names import is_handler
from engine.model.states import INSTANCE_UNFINISHED, JOB_ENDED

_AT_ONCE = 16
_HANDLERS = "its handlers of the end run now; another cancel stops them"
_UNVERIFIED = "that nothing of it lives cannot be verified because {why}"


@click.command(cls=CliCommand)
@click.argument("instance", type=INSTANCE, required=False)
@click.argument("node", required=False)
@click.option("--all", "everything", is_flag=True, help="Stop every instance that runs or waits.")
@click.pass_obj
def cancel(cli: CliContext, instance: int | None, node: str | None, everything: bool) -> int:
    """Stop an instance, or one NODE of it, and everything it started; --all stops all of them.

    Returns when it is verified that all of it is gone. Where that cannot be verified it says why, with
    exit status 1.
    """
    if (instance is None) is not everything:
        raise Invalid(WRONG_USE, "name an instance, or give --all")
    with working(cli) as service:
        if instance is None:
            return _cancel_all(cli, service)
        done = service.cancel(instance, node)
        handled = node is None and not cli.json and _has_handlers_to_come(service, instance)
    message = "instance {n} is cancelled" if node is None else "{node} of instance {n} is cancelled"
    lines = [cli.tell(message, n=instance, node=visible(node))]
    if not done["verified"]:
        lines.append(_doubt(cli, done))
    if handled:
        lines.append(cli.tell(_HANDLERS))
    cli.answer(done, lines)
    return OK if done["verified"] else BAD


def _has_handlers_to_come(service: Service, instance: int) -> bool:
    jobs = service.instance(instance)["jobs"]
    return any(is_handler(job["node"]) and job["status"] not in JOB_ENDED for job in jobs)


def _cancel_all(cli: CliContext, service: Service) -> int:
    """All at once: each may take its grace. Status 1 when it cannot be verified that all of it is gone."""
    numbers = sorted(_at_work(service))
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        answers = list(pool.map(lambda number: _stopped(cli, service, number), numbers))
    found = {number: answer for number, answer in zip(numbers, answers, strict=True) if answer is not None}
    for number, each in found.items():
        cli.note(cli.tell("instance {n}: {message}", n=number, message=visible(each.said)))
    problems = [{"instance": number, "message": each.message} for number, each in found.items()]
    status = max((each.status for each in found.values()), default=OK)
    message = "{n} instances are stopped" if numbers else "nothing runs or waits"
    cli.answer({"cancelled": numbers, "problems": problems}, [cli.tell(message, n=len(numbers))])
    return status


def _at_work(service: Service) -> set[int]:
    found: set[int] = set()
    for status in INSTANCE_UNFINISHED:
        rows: list[Any] = service.instances(InstanceQuery(status=status, limit=1_000_000))
        found |= {int(row["instance"]) for row in rows}
    return found


class _Problem(NamedTuple):
    status: int
    message: str
    said: str  # in the reader's language


def _stopped(cli: CliContext, service: Service, number: int) -> _Problem | None:
    """Why it could not be stopped; None when it was, or had ended by itself or with what started it."""
    try:
        done = service.cancel(number)
    except Refused as refused:
        said = cli.failure(refused.code, refused.message)
        return None if refused.code == NOT_RUNNING.number else _Problem(NOT_NOW, refused.message, said)
    message = _UNVERIFIED.format(why=done["reason"])
    return None if done["verified"] else _Problem(BAD, message, _doubt(cli, done))


def _doubt(cli: CliContext, done: Mapping[str, Any]) -> str:
    return cli.tell(_UNVERIFIED, why=visible(cli.failure(None, message_in(done, "reason"))))
