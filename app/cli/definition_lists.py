"""``skerry tasks``, ``jobs``, ``resources`` and ``calendars``: the definitions of the workspace."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import click

from app.cli import input_files
from app.cli.cli_context import CliContext
from app.cli.engine_access import ask, change
from app.cli.shell import CliGroup
from app.cli.terminal_text import clock_time, columns, pairs
from app.cli.value_types import LARGEST, NAME, Number
from engine.api.documents import Kind
from engine.definitions.writer import dump
from engine.model.names import SECTIONS


def _group(kind: Kind) -> click.Group:
    """``list``, ``show ID``, ``delete ID`` and ``history ID`` of one kind; alone it lists."""
    section = SECTIONS[kind]

    group = CliGroup(section, default="list", help=f"List, show and delete {section}")

    @group.command("list", help=f"List the {section} of the workspace.")
    @click.pass_obj
    def list_all(cli: CliContext) -> None:
        _list(cli, kind)

    @group.command("show", help=f"Show one {kind} as it is defined.")
    @click.argument("id", type=NAME)
    @click.option("--revision", type=Number(1, LARGEST), metavar="N", help="An earlier revision.")
    @click.pass_obj
    def show(cli: CliContext, id: str, revision: int | None) -> None:
        found = ask(cli, lambda service: service.definition(kind, id, revision))
        cli.answer(found, _shown(found))

    @group.command("delete", help=f"Delete a {kind}; its history stays.")
    @click.argument("id", type=NAME)
    @click.pass_obj
    def delete(cli: CliContext, id: str) -> None:
        gone = change(cli, lambda service: service.delete(kind, id))
        cli.answer(gone, [cli.tell("{kind} {id} is deleted", kind=cli.tell(kind), id=id)])

    @group.command("history", help=f"The revisions of a {kind}.")
    @click.argument("id", type=NAME)
    @click.pass_obj
    def history(cli: CliContext, id: str) -> None:
        revisions = ask(cli, lambda service: service.history(kind, id))
        rows = (
            (r["revision"], clock_time(r["created_at"]), r["actor"], cli.tell(_what(r))) for r in revisions
        )
        cli.answer({"history": revisions}, columns(cli.heads(("revision", "made", "by", "")), rows))

    return group


def _list(cli: CliContext, kind: Kind) -> None:
    found = ask(cli, lambda service: service.definitions(kind))
    extra = "state" if kind == "task" else "type"
    word = cli.tell if kind == "task" else str
    rows = (
        (d["id"], word(str(d.get(extra) or "")), d["revision"], clock_time(d["created_at"]), d.get("name"))
        for d in found
    )
    cli.answer({SECTIONS[kind]: found}, columns(cli.heads(("id", extra, "revision", "made", "name")), rows))


def _shown(found: dict[str, Any]) -> Iterator[str]:
    """The facts, then the definition as YAML."""
    tree = {SECTIONS[found["kind"]]: {found["id"]: found["definition"]}}
    facts = [(name, found.get(name)) for name in ("name", "state", "revision", "actor")]
    yield from pairs([*facts, ("made", clock_time(found.get("created_at")))], "# ")
    try:
        yield from dump(tree).splitlines()
    except (KeyError, TypeError, ValueError):
        yield from json.dumps(tree, ensure_ascii=True, indent=2).splitlines()


def _what(revision: dict[str, Any]) -> str:
    return str(revision["name"]) if "error_code" in revision else "deleted" if revision.get("deleted") else ""


tasks = _group("task")
jobs = _group("job")
resources = _group("resource")
calendars = _group("calendar")


@calendars.command("effects", help="Show which coming times the calendars of files would change.")
@click.argument("names", metavar="FILE...", nargs=-1, required=True)
@click.pass_obj
def effects(cli: CliContext, names: tuple[str, ...]) -> None:
    sources = [input_files.source(name) for name in dict.fromkeys(names)]
    found = ask(cli, lambda service: service.calendar_effects(sources))
    rows = [
        (
            each["task"],
            cli.tell(each["state"]),
            clock_time(change["time"]),
            cli.tell(_EFFECTS[change["gone"]]),
        )
        for each in found
        for change in each["changes"]
    ]
    lines = columns(cli.heads(("task", "state", "time", "")), rows)
    cli.answer({"effects": found}, lines if rows else [cli.tell("no coming time changes")])


_EFFECTS = {True: "no longer fires", False: "fires in addition"}
