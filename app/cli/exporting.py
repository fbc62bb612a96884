"""``skerry export``: what is needed to understand a run leaves the site as one bundle."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from app.cli.cli_context import CliContext
from app.cli.secrets import unlock_vault
from app.cli.shell import CliCommand
from app.cli.terminal_text import columns, visible
from engine.model.quantities import size_bytes
from engine.runtime.clock import SystemClock
from engine.secrets.vault import Vault
from export_import import export as exporting
from export_import.container import Omission
from export_import.export_request import ExportPreview, ExportRequest, ExportStep, Progress, Result, nothing
from export_import.export_source import InstanceChoice
from export_import.keys import Keys

_HEADS = ("bytes", "role", "changed", "name")


class Size(click.ParamType[int]):
    """``200 MB``, ``1 GiB`` or a number of bytes."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Fail where it is neither."""
        try:
            return int(size_bytes(int(value) if str(value).isdigit() else value))
        except ValueError as problem:
            self.fail(str(problem), param, ctx)


@click.command("export", cls=CliCommand)
@click.argument("chosen", metavar="INSTANCE[:NODE]...", nargs=-1, required=True)
@click.option("-o", "--output", metavar="PATH", help="The bundle to make; one file where it ends in .skerry.")
@click.option(
    "--to", multiple=True, metavar="KEY", help="Encrypt to a trusted key's name, a key, or a file with one."
)
@click.option("--no-redact", is_flag=True, help="Leave secrets, hosts, addresses and users in it.")
@click.option("--preview", "only_look", is_flag=True, help="Show what would be written and changed, no more.")
@click.option("--budget", type=Size(), metavar="SIZE", help="The most that the bundle may take, as 200 MB.")
@click.option("--volume", type=Size(), metavar="SIZE", help="The most that one of its files may have.")
@click.pass_obj
def export(
    cli: CliContext,
    chosen: tuple[str, ...],
    output: str | None,
    to: tuple[str, ...],
    no_redact: bool,
    only_look: bool,
    budget: int | None,
    volume: int | None,
) -> None:
    """Write a diagnostic bundle of instances, or of single jobs of them."""
    if not output and not only_look:
        raise click.UsageError("say where to write it: -o PATH")
    clock = SystemClock()
    choices = tuple(map(InstanceChoice.of_text, chosen))
    recipients = tuple(map(Keys(cli.root, clock).recipient_for, to))
    request = ExportRequest(choices, recipients, not no_redact, budget, volume)
    vault = _vault(cli, request)
    if only_look:
        seen = exporting.preview(cli.root, request, clock=clock, vault=vault, progress=_progress(cli))
        _end_progress(cli)
        return cli.answer(_seen(seen, request), _seen_lines(cli, seen, request))
    path = _target(Path(output or ""), request, clock.now().strftime("%Y%m%d-%H%M%S"))
    done = exporting.export(cli.root, path, request, clock=clock, vault=vault, progress=_progress(cli))
    _end_progress(cli)
    return cli.answer(_document(done, request), _lines(cli, done, request))


def _target(path: Path, request: ExportRequest, now: str) -> Path:
    """The path of the bundle: in a folder that exists it is a new one, or one that was begun."""
    if not path.is_dir():
        return path
    numbers = "-".join(str(each.instance) for each in request.choices[:3])
    begun = sorted(path.glob(f"skerry-{numbers}-????????-??????.part"))
    return begun[-1].with_suffix("") if begun else path / f"skerry-{numbers}-{now}"


def _vault(cli: CliContext, request: ExportRequest) -> Vault | None:
    """The secrets, opened by the environment or by what a person types."""
    if not request.redact:
        return None
    vault = Vault(cli.root / "secrets.vault", os.environ)
    if vault.exists:
        unlock_vault(cli, vault)
    return vault


def _progress(cli: CliContext) -> Progress:
    """A line on standard error that changes, where a person watches."""
    if cli.json or not sys.stderr.isatty():
        return nothing

    def show(step: ExportStep) -> None:
        part = 100 * step.done // max(step.total, 1)
        with suppress(OSError, ValueError):
            sys.stderr.write(f"\r\x1b[K{part:3d} %  {visible(step.name)[:60]}")
            sys.stderr.flush()

    return show


def _end_progress(cli: CliContext) -> None:
    if not cli.json and sys.stderr.isatty():
        with suppress(OSError, ValueError):
            sys.stderr.write("\r\x1b[K")


def _document(done: Result, request: ExportRequest) -> dict[str, Any]:
    payload = {**asdict(done), "path": str(done.path.absolute()), "redacted": request.redact}
    return {**payload, "omitted": [asdict(each) for each in done.omitted]}


def _lines(cli: CliContext, done: Result, request: ExportRequest) -> Iterator[str]:
    facts = {"path": visible(done.path), "n": done.files, "content": done.content, "size": done.size}
    yield cli.tell("{path}: {n} files, {content} bytes in {size}", **facts)
    yield from _how(cli, request)
    yield cli.tell("signed by {signer}", signer=done.signer)
    if request.redact:
        total = sum(done.redactions.values())
        message = "redacted in {n} places; looked through once more for the stored secrets: none is in it"
        yield cli.tell(message, n=total)
    yield from _left_out(cli, done.omitted, done.remarks)


def _how(cli: CliContext, request: ExportRequest) -> Iterator[str]:
    if request.recipients:
        yield cli.tell("encrypted to {keys} and to this workspace", keys=", ".join(request.recipients))
    else:
        yield cli.tell("NOT encrypted: whoever gets it can read it (encrypt with --to KEY)")
    if not request.redact:
        yield cli.tell("NOT redacted: it may hold secrets, and names of hosts and users")


def _seen(seen: ExportPreview, request: ExportRequest) -> dict[str, Any]:
    return {
        **asdict(seen),
        "size": seen.size,
        "encrypted": bool(request.recipients),
        "redacted": request.redact,
    }


def _seen_lines(cli: CliContext, seen: ExportPreview, request: ExportRequest) -> Iterator[str]:
    rows = ((each.size, each.role, _counts(each.redactions), each.name) for each in seen.files)
    yield from columns(cli.heads(_HEADS), rows)
    yield cli.tell("{n} files, {size} bytes before they are compressed", n=len(seen.files), size=seen.size)
    yield from _how(cli, request)
    yield from _left_out(cli, seen.omitted, seen.remarks)


def _counts(redactions: Any) -> str:
    return ", ".join(f"{rule} ×{times}" for rule, times in sorted(redactions.items()))


def _left_out(cli: CliContext, omitted: tuple[Omission, ...], remarks: tuple[str, ...]) -> Iterator[str]:
    for each in omitted:
        yield cli.tell("left out: {name}: {reason}", name=visible(each.name), reason=visible(each.reason))
    for remark in remarks:
        yield cli.tell("note: {remark}", remark=visible(remark))
