"""``skerry delivery``: definitions from their author into a workspace, as a whole, and out again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from app import wiring
from app.cli.cli_context import CliContext
from app.cli.engine_access import reading, working, workspace_of
from app.cli.package_text import (
    definitions_of,
    diff_lines,
    effect_lines,
    letter_of,
    list_amendments,
    title_of,
    whole_id,
)
from app.cli.shell import BAD, OK, CliGroup
from app.cli.terminal_text import visible
from engine.api.service import Service
from engine.definitions.text_source import SourceFile, parse
from engine.model.codes.commands import WRONG_USE
from engine.model.errors import Invalid
from engine.model.names import SECTIONS
from engine.model.plain_words import quoted
from engine.runtime.clock import SystemClock
from engine.runtime.library import finder, referred
from export_import.delivery.content import of_tree, write_delivery
from export_import.delivery.decisions import Decisions
from export_import.delivery.importing import Arrival, arrival, bring_in, known_here, open_delivery, roll_back
from export_import.keys import Keys

_KINDS = ("task", "job", "resource", "calendar", "rule", "error")
_HEADS = ("id", "brought in", "by", "rolled back", "title")
_NAMES = ("secret", "worker", "group", "resource", "job", "task", "calendar")

delivery = CliGroup(
    "delivery", default="list", help="Make deliveries, look at them, bring them in, roll them back"
)


@delivery.command()
@click.argument("files", metavar="[FILE]...", nargs=-1)
@click.option(
    "-o", "target", required=True, metavar="PATH", help="The new bundle (a name.skerry, or a folder)."
)
@click.option("--title", required=True, metavar="TEXT", help="What it is, in one line.")
@click.option("--letter", default="", metavar="TEXT or FILE", help="What is new and what to do.")
@click.option(
    "--only", "ids", multiple=True, metavar="ID", help="Of the workspace: only these, with what they use."
)
@click.option("--with", "extras", multiple=True, metavar="FILE", help="An example or handbook to go with it.")
@click.option("--to", "recipients", multiple=True, metavar="KEY", help="Encrypt it to this key.")
@click.pass_obj
def build(cli: CliContext, /, files: tuple[str, ...], target: str, **given: Any) -> None:
    """Make a signed delivery of definition files; without a FILE, of the workspace's definitions."""
    clock = SystemClock()
    keys = Keys(cli.root, clock)
    tree = definitions_of(files, wiring.installed_types()) if files else _of_workspace(cli, given["ids"])
    made = of_tree(tree, title_of(given["title"]), letter_of(given["letter"]), clock)
    extras = {Path(each).name: Path(each) for each in given["extras"]}
    if len(extras) < len(given["extras"]):
        raise Invalid(WRONG_USE, "--with: two files have the same name")
    to = [keys.recipient_for(each) for each in given["recipients"]]
    path = write_delivery(made, Path(target), keys, clock, extras, to)
    payload = {"id": made.id, "path": str(path), "signer": keys.fingerprint, "encrypted": bool(to),
            "definitions": [{"kind": kind, "id": id} for kind, id in made.definitions]}  # fmt: skip
    facts = {"path": visible(path), "n": len(made.definitions), "signer": keys.fingerprint}
    cli.answer(payload, [cli.tell("{path}: {n} definitions, signed by {signer}", **facts)])


def _of_workspace(cli: CliContext, ids: tuple[str, ...]) -> dict[str, Any]:
    with reading(cli) as service:
        if ids:
            service.dump(ids)  # Invalid for an id that is not there
        text = service.dump(())
    found: dict[str, Any] = parse(SourceFile("workspace", text.encode())).value or {}
    return _with_what_they_use(found, ids) if ids else found


def _with_what_they_use(tree: dict[str, Any], ids: tuple[str, ...]) -> dict[str, Any]:
    """These definitions, and those that they name, and so on."""
    found: dict[str, Any] = {}
    for kind, section in SECTIONS.items():
        for id in ids if tree.get(section) else ():
            below = referred(finder(tree), kind, id, upstreams=True)
            for name, trees in below.items():
                found.setdefault(name, {}).update(trees)
    return {name: trees for name, trees in found.items() if trees}


def _decisions(command: Any) -> Any:
    """The options by which conflicts and references are decided."""
    options = [
        click.option("--take", multiple=True, metavar="KIND:ID", help="The delivered one counts."),
        click.option("--keep", multiple=True, metavar="KIND:ID", help="The one that is here counts."),
        click.option(
            "--rename", multiple=True, metavar="KIND:ID=NEW", help="The delivered one gets another id."
        ),
        click.option("--map", "maps", multiple=True, metavar="KIND:NAME=HERE", help="How it is called here."),
        click.option("--allow-missing", is_flag=True, help="Names that are not here may be missing."),
        click.option("--allow-older", is_flag=True, help="It may replace what a later delivery brought."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def _decided(given: dict[str, Any]) -> Decisions:
    take, keep = ({_key(each, _KINDS) for each in given[name]} for name in ("take", "keep"))
    rename = _once(_renamed(each, _KINDS) for each in given["rename"])
    names = _once(_renamed(each, _NAMES) for each in given["maps"])
    return Decisions(take, keep, rename, names, given["allow_missing"], given["allow_older"])


def _once(pairs: Iterable[tuple[tuple[str, str], str]]) -> dict[tuple[str, str], str]:
    """Invalid where two names are given for one."""
    found: dict[tuple[str, str], str] = {}
    for key, new in pairs:
        if found.setdefault(key, new) != new:
            template = "{where} is given two names: {one} and {other}"
            raise Invalid.at(WRONG_USE, template, ":".join(key), one=quoted(found[key]), other=quoted(new))
    return found


def _key(text: str, kinds: tuple[str, ...]) -> tuple[str, str]:
    kind, _, id = text.partition(":")
    if kind not in kinds or not id:
        template = "{text} is not KIND:ID with a KIND of {kinds}"
        raise Invalid(WRONG_USE, template, text=quoted(text), kinds=", ".join(kinds))
    return kind, id


def _renamed(text: str, kinds: tuple[str, ...]) -> tuple[tuple[str, str], str]:
    old, _, new = text.rpartition("=")
    if not new:
        raise Invalid(WRONG_USE, "{text} is not KIND:NAME=NEW", text=quoted(text))
    return _key(old, kinds), new


@contextmanager
def _arrived(
    cli: CliContext, paths: tuple[str, ...], decisions: Decisions
) -> Iterator[tuple[Arrival, Service]]:
    clock = SystemClock()
    keys = Keys(cli.root, clock)
    media = [Path(each) for each in paths]
    bundle = open_delivery(media, keys, clock)
    with working(cli, resume=False) as service, closing(wiring.open_reader(cli.root)) as store:
        known = known_here(wiring.open_vault(workspace_of(cli)), store)
        key = keys.trusted_key(bundle.signer or "")
        yield arrival(bundle, store, decisions, known, now=clock.now(), key=key, paths=media), service


@delivery.command()
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@_decisions
@click.pass_obj
def preview(cli: CliContext, /, paths: tuple[str, ...], **given: Any) -> int:
    """Show what a delivery would change, its conflicts and what is missing here; nothing is changed."""
    with _arrived(cli, paths, _decided(given)) as (found, _):
        document = _document(found)
    cli.answer(document, _lines(cli, found))
    return BAD if found.conflicts or found.missing or found.newer else OK


@delivery.command("import")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@_decisions
@click.option("--dry-run", is_flag=True, help="Only show whether it could be brought in.")
@click.option("--seen", metavar="HASH", help="Only if it is still what 'skerry delivery preview' has shown.")
@click.pass_obj
def import_(cli: CliContext, /, paths: tuple[str, ...], dry_run: bool, seen: str | None, **given: Any) -> int:
    """Bring a delivery in: all of it or nothing. 'skerry delivery rollback ID' takes it out again."""
    decisions = _decided(given)
    with _arrived(cli, paths, decisions) as (found, service):
        record = bring_in(found, service, cli.root, decisions, dry_run=dry_run, seen=seen)
    done = "delivery {id} could be brought in" if dry_run else "delivery {id} is brought in"
    lines = [*_lines(cli, found), cli.tell(done, id=record["id"])]
    cli.answer({**_document(found), **record}, lines)
    return OK


def _document(found: Arrival) -> dict[str, Any]:
    return {
        "id": found.delivery.id,
        "title": found.delivery.title,
        "letter": found.delivery.letter,
        "signer": found.signer,
        "changes": [asdict(each) for each in found.diffs],
        "conflicts": [{"kind": kind, "id": id} for kind, id in found.conflicts],
        "missing": [asdict(each) for each in found.missing],
        "newer": [{"kind": kind, "id": id} for kind, id in found.newer],
        "same": [{"kind": kind, "id": id} for kind, id in found.same],
        "files": list(found.files),
        "effects": [asdict(each) for each in found.effects],
        "seen": found.seen,
    }


def _lines(cli: CliContext, found: Arrival) -> Iterator[str]:
    yield cli.tell("{title} (signed by {signer})", title=visible(found.delivery.title), signer=found.signer)
    yield from (f"  {visible(line)}" for line in found.delivery.letter.splitlines())
    yield from diff_lines(cli, found.diffs)
    yield from effect_lines(cli, found.effects)
    for kind, id in found.conflicts:
        message = "conflict: {kind}:{id} was made or changed here: --take, --keep or --rename"
        yield cli.tell(message, kind=kind, id=visible(id))
    for kind, id in found.newer:
        message = (
            "older: a later delivery has brought {kind}:{id} here already: --allow-older, if that is wanted"
        )
        yield cli.tell(message, kind=kind, id=visible(id))
    for miss in found.missing:
        facts = {"kind": miss.kind, "name": visible(miss.name), "by": visible(miss.used_by)}
        yield cli.tell("missing: {kind} {name}, used by {by}: --map, or make it", **facts)
    yield cli.tell("to apply just this: --seen {hash}", hash=found.seen)


@delivery.command()
@click.argument("id", metavar="ID")
@click.option("--reason", required=True, metavar="TEXT", help="Why; it stays with the delivery.")
@click.pass_obj
def rollback(cli: CliContext, id: str, reason: str) -> None:
    """Take a delivery out: definitions as they were before it, to the byte."""
    with working(cli, resume=False) as service:
        record = roll_back(service, cli.root, whole_id(service, id, "delivery"), reason)
    cli.answer(record, [cli.tell("delivery {id} is rolled back", id=record["id"])])


@delivery.command("list")
@click.pass_obj
def list_deliveries(cli: CliContext) -> None:
    """What was brought in here, the newest first."""
    list_amendments(cli, "delivery", "deliveries", _HEADS)
