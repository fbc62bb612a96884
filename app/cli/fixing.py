"""``skerry fix``: repairs that a supporter makes and a site looks at, applies and can take back."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from app.cli.case_opening import folder_of, only_instance
from app.cli.cli_context import CliContext
from app.cli.engine_access import working
from app.cli.input_files import insist_folder
from app.cli.rerunning import assignment
from app.cli.shell import BAD, INSTANCE, OK, Command, Group
from app.cli.terminal_text import columns, pairs, visible
from engine.model.codes.bundles import TARGET
from engine.model.codes.commands import WRONG_USE
from engine.model.codes.desk import NOT_APPLIED
from engine.model.errors import Invalid, Refused
from engine.model.plain_words import wording

if TYPE_CHECKING:
    from engine.api.documents import Document
    from engine.api.service import Service
    from engine.store.port import Store
    from export_import.desk.evidence import Evidence
    from export_import.fix.building import Kept
    from export_import.fix.checking import Opened
    from export_import.fix.effects import Effect
    from export_import.fix.fix_content import RerunPlan
    from export_import.fix.preview import DefinitionDiff, FixPreview
    from export_import.keys import Keys

_EFFECTS = {
    "node": "{where} gets the node {what}",
    "rule": "{where} acts by itself: {what}",
    "online": "{where} comes online: {what}",
    "schedule": "{where} gets other times or dependencies: {what}",
    "used": "{where} changes also for {what}",
    "secret": "{where} reads the secret {what}",
    "worker": "{where} runs on {what}",
    "reach": "{where} may reach {what}",
}
_HEADS = ("id", "applied", "by", "taken back", "title")


@click.group(cls=Group, invoke_without_command=True)
@click.pass_context
def fix(context: click.Context) -> None:
    """Make, look at, apply and take back fixes; without a word after it: list."""
    if context.invoked_subcommand is None:
        context.invoke(list_fixes)


# -- at the desk -----------------------------------------------------------------------------------


@fix.command(cls=Command)
@click.argument("case", metavar="CASE")
@click.option(
    "-o", "target", required=True, metavar="PATH", help="The new bundle (a name.skerry, or a folder)."
)
@click.option("--instance", type=INSTANCE, metavar="N", help="The instance that is repaired.")
@click.option("--title", required=True, metavar="TEXT", help="What it repairs, in one line.")
@click.option("--letter", default="", metavar="TEXT or FILE", help="What happened and what the fix does.")
@click.option("--definitions", "files", multiple=True, metavar="FILE", help="Changed definitions.")
@click.option("texts", "--set", multiple=True, metavar="PATH=VALUE", help="A value of the context.")
@click.option("--rerun", "again", metavar="MODE[:NODE,…]", help="all, failed, from:NODE or only:NODE.")
@click.option("--with-upstream", is_flag=True, help="The rerun has what its nodes depend on, too.")
@click.option("--expires", default="30d", show_default=True, metavar="TIME", help="How long it is good for.")
@click.option("--to", "recipients", multiple=True, metavar="KEY", help="Encrypt it to this key.")
@click.pass_obj
def build(
    cli: CliContext, /, case: str, target: str, instance: int | None, files: tuple[str, ...], **given: Any
) -> None:
    """Make a signed fix for what is in a case.

    It is bound to the site, the instance and all that the case shows of it: when something has changed
    there meanwhile the site refuses it.
    """
    from app import wiring
    from engine.runtime.clock import SystemClock
    from export_import.desk.evidence import Evidence
    from export_import.fix.building import FixSource, Repair, kept_parameters, make_fix, write_fix
    from export_import.keys import Keys

    clock, types = SystemClock(), wiring.installed_types()
    keys = Keys(cli.root, clock)
    with folder_of(cli, case) as folder, Evidence.open(folder) as evidence:
        if given["texts"] or given["again"]:
            instance = only_instance(evidence, instance)
        tree = definitions_of(files, types)
        values = values_of(evidence, instance, given["texts"])
        rerun = _rerun(given["again"], given["with_upstream"], bool(tree)) if given["again"] else None
        title, letter, good_for = (
            title_of(given["title"]),
            letter_of(given["letter"]),
            _period(given["expires"]),
        )
        repair = Repair(title, letter, instance, tree, values, title, rerun, good_for)
        made = make_fix(evidence, FixSource.of(folder), repair, clock, types)
        kept = kept_parameters(evidence, repair)
    to = [keys.recipient_for(each) for each in given["recipients"]]
    path = write_fix(made, Path(target), keys, clock, to)
    payload = {**made.to_json(), "path": str(path), "signer": keys.fingerprint, "encrypted": bool(to)}
    facts = {"path": visible(path), "id": made.id, "signer": keys.fingerprint, "until": made.expires}
    lines = [cli.tell("{path}: fix {id}, signed by {signer}, good until {until}", **facts)]
    lines += [visible(_kept(cli, each)) for each in kept]
    cli.answer({**payload, "kept": [asdict(each) for each in kept]}, lines)


def _kept(cli: CliContext, each: Kept) -> str:
    value, new = (json.dumps(text, ensure_ascii=False) for text in (each.value, each.new))
    how = f'--set "{each.path}={each.new if isinstance(each.new, str) else new}"'
    message = "mind: what runs again goes on with {path} = {value}, not {new}; {how} changes it there too"
    return cli.tell(message, path=each.path, value=value, new=new, how=how)


def definitions_of(files: tuple[str, ...], types: Any) -> dict[str, Any]:
    """The tree of the files together; Invalid when one cannot be read."""
    from app.cli.input_files import content
    from engine.api.examine import Examined
    from engine.definitions.reader import SourceFile, read

    if not files:
        return {}
    given = [SourceFile(name, content(name)) for name in files]
    reading = read(given, types.job_types, types.resource_types)
    return dict(Examined(reading.definitions, reading.findings).valid().raw)


def values_of(evidence: Evidence, instance: int | None, texts: tuple[str, ...]) -> dict[str, Any]:
    """``PATH=VALUE`` texts, each read as the kind of the value that it replaces."""
    from engine.runtime.interventions.typed_values import value_like

    if not texts or instance is None:
        return {}
    timeline = evidence.timeline(instance)
    tree = timeline.at(timeline.last).tree
    return {path: value_like(tree, path, text) for path, text in map(assignment, texts)}


def _rerun(text: str, with_upstream: bool, current: bool) -> RerunPlan:
    from export_import.fix.fix_content import RerunPlan

    mode, _, nodes = text.partition(":")
    named = tuple(node for node in nodes.split(",") if node)
    if mode not in ("all", "failed", "from", "only") or (mode in ("from", "only")) != bool(named):
        raise Invalid(WRONG_USE, f"--rerun takes all, failed, from:NODE or only:NODE, not {text!r}")
    return RerunPlan(mode, named, with_upstream, current)


def letter_of(text: str) -> str:
    """The text, or that of the file which it names; Invalid where the file is no text."""
    from app.cli.input_files import content

    if "\n" in text or not os.path.isfile(text):
        return text
    try:
        return content(text).decode()
    except UnicodeDecodeError as problem:
        raise Invalid(WRONG_USE, f"{text} is not UTF-8 text", where=text) from problem


def title_of(text: str) -> str:
    """Something to read in one line; Invalid for nothing."""
    if not text.strip():
        raise Invalid(WRONG_USE, "--title: say in one line what it is")
    return text.strip()


def _period(text: str) -> timedelta:
    from engine.model.quantities import seconds
    from export_import.fix.fix_content import LONGEST

    try:
        found = timedelta(seconds=seconds(text))
    except (ValueError, OverflowError) as problem:
        raise Invalid(WRONG_USE, f"--expires: {wording(problem, 'it is too long')}") from problem
    if not timedelta() < found <= LONGEST:
        raise Invalid(WRONG_USE, f"--expires: more than nothing and at most {LONGEST.days}d")
    return found


@fix.command("receipt", cls=Command)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.pass_obj
def show_receipt(cli: CliContext, paths: tuple[str, ...]) -> int:
    """Read the receipt that a site sent back."""
    from engine.runtime.clock import SystemClock
    from export_import.container import open_bundle
    from export_import.fix.applying import read_receipt
    from export_import.keys import Keys

    clock = SystemClock()
    bundle = open_bundle([Path(each) for each in paths], Keys(cli.root, clock), clock=clock)
    payload = {**read_receipt(bundle), "trust": bundle.trust, "signer": bundle.signer}
    run = payload["run"] or {}
    cli.answer(
        payload,
        pairs(cli.facts([
            ("fix", payload["fix"]), ("signed", cli.tell(str(payload["trust"]))),
            ("applied", payload["applied_at"]), ("taken back", payload["undone_at"]),
            ("instance", payload["instance"]),
            ("status", cli.state(run["status"]) if run else None),
        ])),
    )  # fmt: skip
    return OK


# -- at the site -----------------------------------------------------------------------------------


@contextmanager
def _fix_at_site(
    cli: CliContext, paths: tuple[str, ...], resume: bool = False
) -> Iterator[tuple[Opened, Service, Store, Keys]]:
    """The fix, verified first; then the engine, and what stands here."""
    from app import wiring
    from engine.runtime.clock import SystemClock
    from export_import.fix.checking import open_fix
    from export_import.keys import Keys

    clock = SystemClock()
    keys = Keys(cli.root, clock)
    opened = open_fix([Path(each) for each in paths], keys, clock)
    with working(cli, resume=resume) as service:
        store = wiring.open_reader(cli.root)
        try:
            yield opened, service, store, keys
        finally:
            store.close()


@fix.command("preview", cls=Command)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.pass_obj
def show_preview(cli: CliContext, paths: tuple[str, ...]) -> int:
    """Show what a fix would change and run, and whether it can be applied; nothing is changed."""
    from engine.runtime.clock import SystemClock
    from export_import.fix.preview import preview

    with _fix_at_site(cli, paths) as (opened, service, store, keys):
        shown = preview(opened, service, store, keys, SystemClock())
    cli.answer(asdict(shown), _preview_lines(cli, shown))
    return BAD if shown.refused else OK


def diff_lines(cli: CliContext, diffs: Iterable[DefinitionDiff]) -> Iterator[str]:
    """What changes in definitions, each under its name."""
    for each in diffs:
        yield f"{cli.tell(each.kind)} {visible(each.id)}{cli.tell(' (new)') if each.new else ''}"
        yield from (f"  {visible(line)}" for line in each.lines)


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
        message = (shown.reruns or {})["error"]["message"]
        yield cli.tell("what runs again is known when it is applied: {why}", why=visible(message))
    if shown.refused:
        why = {"code": shown.refused["code"], "message": visible(shown.refused["message"])}
        yield cli.tell("it cannot be applied: error {code}: {message}", **why)
    if shown.seen:
        yield cli.tell("to apply just this: --seen {hash}", hash=shown.seen)


def effect_lines(cli: CliContext, found: Iterable[Effect]) -> Iterator[str]:
    """What else will run, come online, be read or reached, now or later."""
    for each in found:
        yield cli.tell(_EFFECTS[each.kind], where=visible(each.where), what=visible(each.what))


@fix.command("apply", cls=Command)
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
    from app.cli.running import end_text
    from engine.runtime.clock import SystemClock
    from export_import.fix.applying import answer_to, apply, receipt, write_receipt
    from export_import.fix.preview import preview

    clock = SystemClock()
    if answer:
        _check_place(Path(answer))
    with _fix_at_site(cli, paths, resume=True) as (opened, service, store, keys):
        if seen is None:
            shown = preview(opened, service, store, keys, clock)
            for line in _preview_lines(cli, shown):
                cli.say(line)
            seen = shown.seen
        applied = apply(opened, service, store, keys, clock, rerun=not no_rerun, seen=seen)
        cli.say(cli.tell("fix {id} is applied", id=applied.record["id"]))
        run = _seen_through(cli, service, applied.instance) if applied.run and applied.instance else None
        lines = [*end_text(cli, service, run)] if run and not cli.json else []
        content = receipt(applied.record, run, keys.fingerprint, clock)
        target = (
            Path(answer) if answer else cli.root / "bundles" / f"receipt-{applied.record['id'][:12]}.skerry"
        )
        path = write_receipt(content, target, keys, clock, answer_to(opened.signer, keys))
    status = run["status"] if run else None
    document = {**applied.record, "run": applied.run, "status": status, "receipt": str(path)}
    cli.answer(document, [*lines, cli.tell("the receipt for the supporter is {path}", path=visible(path))])
    return OK if status in (None, "succeeded") else BAD


def _check_place(path: Path) -> None:
    """Refused where no receipt could be written: before anything is applied."""
    if os.path.lexists(path):
        raise Refused(TARGET, f"{path} is already there", where=str(path))
    insist_folder(str(path), TARGET)


def _seen_through(cli: CliContext, service: Service, instance: int) -> Any:
    from app.cli.running import see_through

    return see_through(cli, service, instance, ())


@fix.command(cls=Command)
@click.argument("id", metavar="ID")
@click.option("--reason", required=True, metavar="TEXT", help="Why; it stays with the fix and in the log.")
@click.pass_obj
def undo(cli: CliContext, id: str, reason: str) -> None:
    """Take a fix back: definitions as they were, to the byte; values by a further entry of the log."""
    with working(cli, resume=False) as service:
        record = service.take_back(whole_id(service, id, "fix"), reason)
    cli.answer(record, [cli.tell("fix {id} is taken back", id=record["id"])])


def whole_id(service: Service, id: str, kind: str) -> str:
    """The id of the fix or delivery that begins so, if only one does; Refused where there is none."""
    known = [each["id"] for each in service.amendments() if each["kind"] == kind]
    found = [each for each in known if id and each.startswith(id)]
    if len(found) != 1:
        message = f"there is no {kind} {id!r} here" if not found else f"several begin with {id!r}"
        raise Refused(NOT_APPLIED, message, where=id)
    return str(found[0])


@fix.command("list", cls=Command)
@click.pass_obj
def list_fixes(cli: CliContext) -> None:
    """What was applied here, the newest first."""
    from app.cli.engine_access import reading

    with reading(cli) as service:
        found: list[Document] = [each for each in reversed(service.amendments()) if each["kind"] == "fix"]
    names = ("id", "applied_at", "by", "undone_at")
    rows = ([*(each[name] for name in names), each["origin"].get("title")] for each in found)
    cli.answer({"fixes": found}, columns(cli.heads(_HEADS), rows))
