"""``skerry fix``: what a site does with fixes, beside what the supporter does who makes them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path

import click

from app import wiring
from app.cli.cli_context import CliContext
from app.cli.engine_access import change, working
from app.cli.fix_building import build, show_receipt
from app.cli.input_files import check_folder
from app.cli.package_text import diff_lines, effect_lines, list_amendments, whole_id
from app.cli.running import cancelled_by_interrupts, end_text, see_through
from app.cli.shell import BAD, OK, CliCommand, CliGroup
from app.cli.terminal_text import pairs, visible
from engine.api.service import Service
from engine.model.codes.bundles import TARGET
from engine.model.errors import Refused
from engine.model.message import message_in
from engine.runtime.clock import SystemClock
from engine.store.sql_store import Store
from export_import.fix.applying import answer_to, apply, receipt, write_receipt
from export_import.fix.checking import Opened, open_fix
from export_import.fix.preview import FixPreview, preview
from export_import.keys import Keys

_HEADS = ("id", "applied", "by", "taken back", "title")


@contextmanager
def _fix_at_site(
    cli: CliContext, paths: tuple[str, ...], resume: bool = False
) -> Iterator[tuple[Opened, Service, Store, Keys]]:
    """The fix, verified first; then the engine, and the store of this site."""
    clock = SystemClock()
    keys = Keys(cli.root, clock)
    opened = open_fix([Path(each) for each in paths], keys, clock)
    with working(cli, resume=resume) as service, closing(wiring.open_reader(cli.root)) as store:
        yield opened, service, store, keys


@click.command("preview", cls=CliCommand)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.pass_obj
def show_preview(cli: CliContext, paths: tuple[str, ...]) -> int:
    """Show what a fix would change and run, and whether it can be applied; nothing is changed."""
    with _fix_at_site(cli, paths) as (opened, service, store, keys):
        shown = preview(opened, service, store, keys, SystemClock())
    cli.answer(asdict(shown), _preview_lines(cli, shown))
    return BAD if shown.refused else OK


def _preview_lines(cli: CliContext, shown: FixPreview) -> Iterator[str]:
    yield cli.tell("fix {id}: {title}", id=shown.id, title=visible(shown.title))
    facts = [("signed by", shown.signer), ("good until", shown.expires), ("instance", shown.instance)]
    yield from pairs(cli.facts(facts))
    yield from (f"  {visible(line)}" for line in shown.letter.splitlines())
    yield from diff_lines(cli, shown.definitions)
    for value in shown.values:
        yield f"{visible(value.path)}: {visible(value.old)} -> {visible(value.new)}"
    yield from effect_lines(cli, shown.effects)
    for name, what in (("run", "runs"), ("keep", "keeps its outcome"), ("skip", "is skipped")):
        for node in (shown.reruns or {}).get(name, ()):
            yield f"  {visible(node)}: {cli.tell(what)}"
    if "error" in (shown.reruns or {}):
        error = (shown.reruns or {})["error"]
        message = cli.failure(error["code"], message_in(error, "message"))
        yield cli.tell("what runs again is known when it is applied: {why}", why=visible(message))
    if shown.refused:
        code = shown.refused["code"]
        message = visible(cli.failure(code, message_in(shown.refused, "message")))
        yield cli.tell("it cannot be applied: error {code}: {message}", code=code, message=message)
    if shown.seen:
        yield cli.tell("to apply just this: --seen {hash}", hash=shown.seen)


@click.command("apply", cls=CliCommand)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option("--no-rerun", is_flag=True, help="Only change what it changes; run nothing.")
@click.option("--seen", metavar="HASH", help="Only if it is still what 'skerry fix preview' has shown.")
@click.option("--receipt", "answer", metavar="PATH", help="Write the receipt for the supporter there.")
@click.pass_obj
def apply_fix(
    cli: CliContext, paths: tuple[str, ...], no_rerun: bool, seen: str | None, answer: str | None
) -> int:
    """Apply a fix: all of it or nothing, once; then run what it says, and write a receipt.

    'skerry fix preview' shows it before; without --seen it is shown now. 'skerry fix undo ID' takes it back.
    """
    clock = SystemClock()
    if answer:
        _check_receipt(Path(answer))
    with _fix_at_site(cli, paths, resume=True) as (opened, service, store, keys):
        if seen is None:
            shown = preview(opened, service, store, keys, clock)
            for line in _preview_lines(cli, shown):
                cli.say(line)
            seen = shown.seen
        applied = apply(opened, service, store, keys, clock, rerun=not no_rerun, seen=seen)
        cli.say(cli.tell("fix {id} is applied", id=applied.record["id"]))
        run = None
        if applied.run and applied.instance:
            with cancelled_by_interrupts(cli) as interrupts:
                run = see_through(cli, service, applied.instance, interrupts)
        lines = [*end_text(cli, service, run)] if run and not cli.json else []
        content = receipt(applied.record, run, keys, clock)
        target = (
            Path(answer) if answer else cli.root / "bundles" / f"receipt-{applied.record['id'][:12]}.skerry"
        )
        path = write_receipt(content, target, keys, clock, answer_to(opened.signer, keys))
    status = run["status"] if run else None
    document = {**applied.record, "run": applied.run, "status": status, "receipt": str(path)}
    cli.answer(document, [*lines, cli.tell("the receipt for the supporter is {path}", path=visible(path))])
    return OK if status in (None, "succeeded") else BAD


def _check_receipt(path: Path) -> None:
    """Refused where no receipt could be written: before anything is applied."""
    if os.path.lexists(path):
        raise Refused.at(TARGET, "{where} is already there", path)
    check_folder(str(path), TARGET)


@click.command(cls=CliCommand)
@click.argument("id", metavar="ID")
@click.option("--reason", required=True, metavar="TEXT", help="Why; it stays with the fix and in the log.")
@click.pass_obj
def undo(cli: CliContext, id: str, reason: str) -> None:
    """Take a fix back: definitions as they were, to the byte; values by a further entry of the log."""
    record = change(cli, lambda service: service.take_back(whole_id(service, id, "fix"), reason))
    cli.answer(record, [cli.tell("fix {id} is taken back", id=record["id"])])


@click.command("list", cls=CliCommand)
@click.pass_obj
def list_fixes(cli: CliContext) -> None:
    """What was applied here, the newest first."""
    list_amendments(cli, "fix", "fixes", _HEADS)


fix = CliGroup(
    "fix",
    [build, show_receipt, show_preview, apply_fix, undo, list_fixes],
    default="list",
    help="Make, look at, apply and take back fixes",
)
