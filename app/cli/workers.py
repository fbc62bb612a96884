"""``skerry worker …``: the machines that jobs run on; registered, looked at, paused, drained, removed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import click

from app.cli.cli_context import CliContext
from app.cli.engine_access import ask, change, reading
from app.cli.resource import probe_of
from app.cli.shell import BAD, OK, CliGroup
from app.cli.terminal_text import clock_time, columns, in_words, pairs, visible
from app.cli.value_types import NAME, OneOf
from app.durations import duration
from engine.api.service import Service
from engine.model.message import message_in
from engine.model.worker_request import WorkerRequest

_HEADS = ("name", "kind", "state", "slots", "running", "load", "memory", "disk", "skew", "groups", "why")
_LOOK = 0.5  # seconds between two looks whether it is empty
_NEXT = "it was not connected to: skerry worker trust {name} does, then skerry worker check {name}"
_SECRETS = OneOf(["refuse", "allow"])
_MEANINGS = {  # of a task the same words mean something else
    "online": "ready", "offline": "not reached", "untrusted": "not trusted", "draining": "draining",
    "paused": "paused",
}  # fmt: skip

worker = CliGroup("worker", default="list", help="See and steer the workers that jobs run on")


def _options(command: Callable[..., None]) -> Callable[..., None]:
    """What can be registered of a worker."""
    found: list[Any] = [
        click.option(
            "--ssh", metavar="[USER@]HOST[:PORT]", help="Where it is, and the account that jobs run as."
        ),
        click.option(
            "--jump",
            "jumps",
            multiple=True,
            metavar="[USER@]HOST[:PORT]",
            help="A machine on the way; several in their order.",
        ),
        click.option("--key", "key_file", metavar="FILE", help="Log in with this private key."),
        click.option("--agent", is_flag=True, help="Log in with the keys of the SSH agent."),
        click.option("--password-secret", metavar="S", help="Log in with the stored secret S as password."),
        click.option("--slots", metavar="N|auto", help="How many attempts run there at once."),
        click.option(
            "--group", "groups", multiple=True, metavar="G", help="A group that it belongs to; several."
        ),
        click.option("--label", "labels", multiple=True, metavar="K=V", help="A label; several."),
        click.option("--application", metavar="A", help="The application that is installed there."),
        click.option(
            "--handler", "handlers", multiple=True, metavar="H", help="A handler that it serves; several."
        ),
        click.option("--root", metavar="PATH", help="The folder there that attempts have theirs in."),
        click.option(
            "--fence",
            metavar="never|DURATION",
            help="End what runs there once it has not heard of its engine for so long.",
        ),
        click.option("--secrets", type=_SECRETS, help="Whether jobs that are given a secret run there."),
    ]
    for option in reversed(found):
        command = option(command)
    return command


def _request(key_file: str | None, agent: bool, **given: Any) -> WorkerRequest:
    """What was given on the command line; a list that was not given stays as it is."""
    lists = {name: given.pop(name) or None for name in ("jumps", "groups", "labels", "handlers")}
    key = os.path.abspath(os.path.expanduser(key_file)) if key_file else key_file
    return WorkerRequest(**given, **lists, key=key, agent=agent or None)


@worker.command("list")
@click.pass_obj
def show_list(cli: CliContext) -> None:
    """List the workers, this machine first, with their state and why they are in it."""
    found = ask(cli, lambda service: service.workers())
    cli.answer({"workers": found}, columns(cli.heads(_HEADS), (_row(cli, each) for each in found)))


@worker.command()
@click.argument("name", type=NAME)
@click.pass_obj
def show(cli: CliContext, name: str) -> None:
    """Show all that is registered of a worker, and what runs there."""
    found = ask(cli, lambda service: service.worker(name))
    cli.answer(found, _lines(cli, found))


@worker.command()
@click.argument("name", type=NAME)
@_options
@click.pass_obj
def add(cli: CliContext, /, name: str, **given: Any) -> None:
    """Register a host that is reached by SSH as the worker NAME; nothing is installed there.

    Nothing is sent to it before its host key is trusted: skerry worker trust NAME.
    """
    found = change(cli, lambda service: service.add_worker(name, _request(**given)))
    registered = cli.tell("worker {name} is registered", name=name)
    cli.answer(found, [registered, _state_line(cli, found), cli.tell(_NEXT, name=name)])


@worker.command("set")
@click.argument("name", type=NAME)
@_options
@click.pass_obj
def set_worker(cli: CliContext, /, name: str, **given: Any) -> None:
    """Change what is registered of a worker; what is not given stays.

    Groups, labels, handlers and jumps that are given take the place of all there were; an empty one ('')
    takes them away.
    """
    found = change(cli, lambda service: service.set_worker(name, _request(**given)))
    cli.answer(found, [cli.tell("worker {name} is changed", name=name), _state_line(cli, found)])


@worker.command()
@click.argument("name", type=NAME)
@click.pass_obj
def check(cli: CliContext, name: str) -> int:
    """Look whether jobs can run on a worker: login, folder, programs, files, disk, clock, Python, Java.

    Exit status 1 where something stands in the way.
    """
    with reading(cli, probe_of) as service:
        found = service.check_worker(name)
    cli.answer(
        found,
        columns(cli.heads(("check", "found", "what")), (_remark(cli, each) for each in found["remarks"])),
    )
    return OK if found["ok"] else BAD


def _remark(cli: CliContext, found: Mapping[str, Any]) -> tuple[str, ...]:
    level = cli.tell("not ok" if found["level"] == "error" else found["level"])
    return cli.tell(found["step"]), level, cli.failure(found["code"], message_in(found, "message"))


_reason_option = click.option("--reason", metavar="TEXT", default="", help="Why; it stays in the audit.")


@worker.command()
@click.argument("name", type=NAME)
@_reason_option
@click.pass_obj
def pause(cli: CliContext, name: str, reason: str) -> None:
    """Begin nothing more on a worker; what runs there goes on. It holds until `resume`."""
    found = change(cli, lambda service: service.want_worker(name, "paused", reason))
    cli.answer(found, [cli.tell("worker {name} is paused", name=name)])


@worker.command()
@click.argument("name", type=NAME)
@_reason_option
@click.pass_obj
def resume(cli: CliContext, name: str, reason: str) -> None:
    """Let jobs begin on a worker again."""
    found = change(cli, lambda service: service.want_worker(name, "online", reason))
    cli.answer(found, [cli.tell("worker {name} goes on", name=name), _state_line(cli, found)])


@worker.command()
@click.argument("name", type=NAME)
@_reason_option
@click.option("--wait", is_flag=True, help="Return when nothing runs there any more.")
@click.pass_obj
def drain(cli: CliContext, name: str, reason: str, wait: bool) -> None:
    """Begin nothing more on a worker, so that it becomes empty; what runs there goes on."""
    found = change(cli, lambda service: service.want_worker(name, "draining", reason))
    while wait and ask(cli, lambda service: _runs_any(service, name)):
        time.sleep(_LOOK)
    if wait:
        found = {**found, "running": 0}
    cli.answer(found, [cli.tell("worker {name} is draining: {n} running", name=name, n=found["running"])])


def _runs_any(service: Service, name: str) -> bool:
    """Whether anything runs there, also an asynchronous job, which has no slot. Once removed it has none."""
    known = any(each["name"] == name for each in service.workers())
    return known and bool(service.worker(name)["attempts"])


@worker.command()
@click.argument("name", type=NAME)
@click.option(
    "--fingerprint", metavar="F", help="The fingerprint that its key must have: SHA256:…; else it is refused."
)
@click.pass_obj
def trust(cli: CliContext, name: str, fingerprint: str | None) -> None:
    """Pin the host key that a worker shows now, and those of the machines on the way to it.

    It asks nothing: compare what is printed with what the host's administrator says.
    """
    found = change(cli, lambda service: service.trust_worker(name, fingerprint))
    lines = [f"{each['address']} {each['kind']} {each['fingerprint']}" for each in found["host_keys"]]
    cli.answer(found, [*lines, cli.tell("worker {name} is trusted", name=name)])


@worker.command()
@click.argument("name", type=NAME)
@click.option(
    "--reason",
    metavar="TEXT",
    default="",
    help="How you know that nothing on it lives; it stays in the audit.",
)
@click.pass_obj
def gone(cli: CliContext, name: str, reason: str) -> None:
    """Vouch that nothing of a worker's jobs lives any more, so that they may begin elsewhere.

    The worker is paused by it. Where one of them still ran, it would run twice.
    """
    found = change(cli, lambda service: service.worker_gone(name, reason))
    cli.answer(found, [cli.tell("worker {name} is gone", name=name)])


@worker.command()
@click.argument("name", type=NAME)
@click.pass_obj
def remove(cli: CliContext, name: str) -> None:
    """Forget a worker; refused while attempts on it have not ended."""
    found = change(cli, lambda service: service.remove_worker(name))
    cli.answer(found, [cli.tell("worker {name} is removed", name=name)])


def _row(cli: CliContext, found: Mapping[str, Any]) -> tuple[object, ...]:
    load = "" if found["load"] is None else f"{found['load']:.2f}"
    skew = "" if found["skew"] is None else f"{found['skew']:+.1f} s"
    how = (
        found["slots"],
        found["running"],
        load,
        _gibibytes(found["memory"]),
        _gibibytes(found["disk"]),
        skew,
    )
    about = (visible(found["name"]), found["kind"], _state(cli, found["state"]))
    return (*about, *how, ", ".join(found["groups"]), in_words(found, cli.language))


def _state_line(cli: CliContext, found: Mapping[str, Any]) -> str:
    state, why = _state(cli, found["state"]), visible(in_words(found, cli.language))
    return cli.labelled(state, why) if why else state


def _state(cli: CliContext, word: str) -> str:
    """In Chinese what it means, with the word itself."""
    meaning = _MEANINGS.get(word, word)
    told = cli.tell(meaning)
    return word if told == meaning else f"{told} {word}"


def _gibibytes(size: int | None) -> str:
    return "" if size is None else f"{size / 2**30:.1f} GiB"


def _lines(cli: CliContext, found: Mapping[str, Any]) -> Iterator[str]:
    yield cli.labelled(visible(found["name"]), _state(cli, found["state"]))
    labels = ", ".join(f"{key}={value}" for key, value in found["labels"].items())
    facts = [
        ("why", in_words(found, cli.language)),
        ("since", clock_time(found["since"])),
        ("SSH", found["ssh"]),
        ("by way of", ", ".join(found.get("jumps") or [])),
        ("key file", found.get("key")),
        ("password secret", found.get("password_secret")),
        ("folder", found.get("root")),
        ("fence", duration(found.get("fence"), cli.language)),
        ("secrets", cli.state(found["secrets"]) if found.get("secrets") else None),
        ("slots", found["slots"]),
        ("groups", ", ".join(found["groups"])),
        ("labels", visible(labels)),
        ("application", found["application"]),
        ("handlers", ", ".join(found["handlers"])),
        ("running", found["running"]),
    ]
    yield from pairs(cli.facts(facts))
    heads = cli.heads(("job instance", "instance", "task", "node", "attempt", "status", "pid", "since"))
    rows = [
        (
            each["job_instance"],
            each["instance"],
            each["task"],
            each["node"] if each["index"] is None else f"{each['node']}[{each['index']}]",
            each["attempt"],
            cli.state(each["status"]),
            each["pid"],
            clock_time(each["started_at"]),
        )
        for each in found["attempts"]
    ]
    yield from columns(heads, rows) if rows else ()
