"""``skerry bundle inspect`` and ``verify``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from app.cli.cli_context import CliContext
from app.cli.shell import BAD, OK, CliCommand
from app.cli.terminal_text import columns, pairs, visible
from engine.model.codes.bundles import NOT_A_BUNDLE
from engine.runtime.clock import SystemClock
from export_import.container import Bundle, BundleFinding, open_bundle
from export_import.container.checking import Check, check_bundle
from export_import.keys import Keys

_HEADS = ("bytes", "role", "name")
_TRUST = {
    "known": "signed by a key that is trusted here",
    "unknown": "signed by a key that is NOT known here: compare its fingerprint with the sender",
    "unsigned": "NOT signed by anybody",
    "revoked": "signed by a key that was REVOKED here",
    "replaced": "signed with an old key AFTER it was replaced",
    "not_allowed": "signed by a key that is trusted here, but NOT for this",
}


@click.command(cls=CliCommand)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.pass_obj
def inspect(cli: CliContext, paths: tuple[str, ...]) -> None:
    """Show who signed a bundle, what is in it and what was left out."""
    clock = SystemClock()
    opened = open_bundle([Path(each) for each in paths], Keys(cli.root, clock), clock=clock)
    cli.answer(_document(opened), _lines(cli, opened))


@click.command(cls=CliCommand)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.pass_obj
def verify(cli: CliContext, paths: tuple[str, ...]) -> int:
    """Look at every byte; 0: it is what was written, 1: something is not. An unknown signer is marked."""
    clock = SystemClock()
    check = check_bundle([Path(each) for each in paths], Keys(cli.root, clock), clock=clock)
    cli.answer(_verdict(check), _verdict_lines(cli, check))
    return OK if check.intact else BAD


def _document(opened: Bundle) -> dict[str, Any]:
    return {
        "kind": opened.kind,
        "id": opened.id,
        "created": opened.created.isoformat(),
        "tool": opened.tool,
        "encrypted": opened.encrypted,
        "trust": opened.trust,
        "signer": opened.signer,
        "facts": dict(opened.facts),
        "volumes": list(opened.volumes),
        "files": [
            {"name": each.name, "size": each.size, "role": each.role, "facts": each.facts}
            for each in opened.entries.values()
        ],
        "omitted": [asdict(each) for each in opened.omitted],
        "findings": [asdict(each) for each in opened.findings],
    }


def _lines(cli: CliContext, opened: Bundle) -> Iterator[str]:
    named = [each for each in opened.facts.get("instances") or [] if isinstance(each, dict)]
    template = "{id} ({task}, {status})"
    instances = (cli.tell(template, **{k: each.get(k) for k in ("id", "task", "status")}) for each in named)
    count = {"n": len(opened.entries), "volumes": len(opened.volumes)}
    made = {"time": opened.created.isoformat(), "tool": opened.tool}
    yield cli.tell("{kind} bundle {id}", kind=cli.tell(opened.kind), id=opened.id)
    yield from pairs(
        cli.facts([
            ("created", cli.tell("{time} by {tool}", **made)),
            ("signature", cli.tell(_TRUST[opened.trust])),
            ("signer", opened.signer),
            ("encrypted", cli.tell("yes" if opened.encrypted else "no")),
            ("instances", ", ".join(instances)),
            ("files", cli.tell("{n} in {volumes} volumes", **count)),
        ])
    )  # fmt: skip
    yield from _found(cli, opened.findings)
    yield from columns(
        cli.heads(_HEADS), ((each.size, cli.tell(each.role), each.name) for each in opened.entries.values())
    )
    for left in opened.omitted:
        yield cli.tell("left out: {name}: {reason}", name=visible(left.name), reason=visible(left.reason))


def _found(cli: CliContext, findings: Iterable[BundleFinding]) -> Iterator[str]:
    for each in findings:
        yield cli.labelled(each.code, visible(cli.failure(each.code, each.message)))


def _verdict(check: Check) -> dict[str, Any]:
    opened = check.bundle
    return {
        "intact": check.intact,
        "trust": opened.trust if opened else None,
        "signer": opened.signer if opened else None,
        "findings": [asdict(each) for each in check.wrong],
        "remarks": [asdict(each) for each in check.remarks],
    }


def _verdict_lines(cli: CliContext, check: Check) -> Iterator[str]:
    if check.bundle is not None:
        yield cli.tell(_TRUST[check.bundle.trust]) + (
            f" ({check.bundle.signer})" if check.bundle.signer else ""
        )
    yield from _found(cli, check.remarks)
    yield from _found(cli, check.wrong)
    is_none = any(each.code == NOT_A_BUNDLE.number for each in check.wrong)
    damaged = "no bundle, or damaged at its very beginning" if is_none else "NOT intact"
    yield cli.tell("intact" if check.intact else damaged)
