"""``skerry fix build`` and ``receipt``: what a supporter does with fixes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import Any

import click

from app import wiring
from app.cli.case_opening import evidence_of, only_instance
from app.cli.cli_context import CliContext
from app.cli.package_text import definitions_of, letter_of, title_of, values_of
from app.cli.shell import CliCommand
from app.cli.terminal_text import clock_time, pairs, visible
from app.cli.value_types import INSTANCE
from engine.model.codes.commands import WRONG_USE
from engine.model.errors import Invalid
from engine.model.plain_words import quoted, wording
from engine.model.quantities import seconds
from engine.runtime.clock import SystemClock
from export_import.container import open_bundle
from export_import.fix.applying import read_receipt
from export_import.fix.building import FixSource, Kept, Repair, kept_parameters, make_fix, write_fix
from export_import.fix.fix_content import LONGEST, RerunPlan
from export_import.keys import Keys

_TO = "Encrypt it to this key; without it to that of the case's site, where it is trusted."


@click.command(cls=CliCommand)
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
@click.option("--to", "recipients", multiple=True, metavar="KEY", help=_TO)
@click.option("--plain", is_flag=True, help="Leave it unencrypted: whoever finds it can read it.")
@click.pass_obj
def build(
    cli: CliContext, /, case: str, target: str, instance: int | None, files: tuple[str, ...], **given: Any
) -> None:
    """Make a signed fix for what is in a case.

    It is bound to the site, the instance and all that the case shows of it: when something has changed
    there meanwhile the site refuses it.
    """
    clock, types = SystemClock(), wiring.installed_types()
    keys = Keys(cli.root, clock)
    with evidence_of(cli, case) as evidence:
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
        source = FixSource.of(evidence.root)
        made = make_fix(evidence, source, repair, clock, types)
        kept = kept_parameters(evidence, repair)
    to = _recipients(cli, keys, source.site, given["recipients"], given["plain"])
    path = write_fix(made, Path(target), keys, clock, to)
    payload = {**made.to_json(), "path": str(path), "signer": keys.fingerprint, "encrypted": bool(to)}
    facts = {"path": visible(path), "id": made.id, "signer": keys.fingerprint, "until": made.expires}
    lines = [cli.tell("{path}: fix {id}, signed by {signer}, good until {until}", **facts)]
    lines += [visible(_kept(cli, each)) for each in kept]
    cli.answer({**payload, "kept": [asdict(each) for each in kept]}, lines)


def _recipients(
    cli: CliContext, keys: Keys, site: str | None, named: Sequence[str], plain: bool
) -> list[str]:
    """Those that are named, else the site that sent the case; a remark where its key is not trusted."""
    if named and plain:
        raise Invalid(WRONG_USE, "--to and --plain contradict each other")
    if named or plain or site in (None, keys.fingerprint):
        return [keys.recipient_for(each) for each in named]
    key = keys.trusted_key(str(site))
    if key is None or not key.is_current or not key.encryption:
        cli.note(cli.tell("the key of the case's site is not trusted here, so the fix is not encrypted"))
        return []
    return [keys.recipient_for(str(site))]


def _kept(cli: CliContext, each: Kept) -> str:
    value, new = (json.dumps(text, ensure_ascii=False) for text in (each.value, each.new))
    how = f'--set "{each.path}={each.new if isinstance(each.new, str) else new}"'
    message = "mind: what runs again goes on with {path} = {value}, not {new}; {how} changes it there too"
    return cli.tell(message, path=each.path, value=value, new=new, how=how)


def _rerun(text: str, with_upstream: bool, current: bool) -> RerunPlan:
    mode, _, nodes = text.partition(":")
    named = tuple(node for node in nodes.split(",") if node)
    if mode not in ("all", "failed", "from", "only") or (mode in ("from", "only")) != bool(named):
        message = "--rerun takes all, failed, from:NODE or only:NODE, not {text}"
        raise Invalid(WRONG_USE, message, text=quoted(text))
    return RerunPlan(mode, named, with_upstream, current)


def _period(text: str) -> timedelta:
    try:
        found = timedelta(seconds=seconds(text))
    except (ValueError, OverflowError) as problem:
        message = "--expires: {problem}"
        raise Invalid(WRONG_USE, message, problem=wording(problem, "it is too long")) from problem
    if not timedelta() < found <= LONGEST:
        raise Invalid(WRONG_USE, "--expires: more than nothing and at most {days}d", days=LONGEST.days)
    return found


@click.command("receipt", cls=CliCommand)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.pass_obj
def show_receipt(cli: CliContext, paths: tuple[str, ...]) -> None:
    """Read the receipt that a site sent back."""
    clock = SystemClock()
    bundle = open_bundle([Path(each) for each in paths], Keys(cli.root, clock), clock=clock)
    payload = {**read_receipt(bundle), "trust": bundle.trust, "signer": bundle.signer}
    run = payload["run"] or {}
    cli.answer(
        payload,
        pairs(cli.facts([
            ("fix", payload["fix"]), ("signed", cli.tell(str(payload["trust"]))),
            ("applied", clock_time(payload["applied_at"])), ("taken back", clock_time(payload["undone_at"])),
            ("instance", payload["instance"]),
            ("status", cli.state(run["status"]) if run else None),
        ])),
    )  # fmt: skip
