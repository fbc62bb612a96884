"""``skerry export``: what is needed to understand a run leaves the site as one bundle."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from app.cli.desk import Desk
from app.cli.shell import Command
from app.cli.text import columns, visible

if TYPE_CHECKING:
    from engine.secrets.vault import Vault
    from export_import.container import Omission
    from export_import.wanted import Preview, Progress, Result, Wanted

_HEADS = ("bytes", "role", "changed", "name")


class Size(click.ParamType[int]):
    """``200 MB``, ``1 GiB`` or a number of bytes."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Fail where it is neither."""
        from engine.model.quantities import size_bytes

        try:
            return int(size_bytes(int(value) if str(value).isdigit() else value))
        except ValueError as problem:
            self.fail(str(problem), param, ctx)


@click.command("export", cls=Command)
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
    desk: Desk,
    chosen: tuple[str, ...],
    output: str | None,
    to: tuple[str, ...],
    no_redact: bool,
    only_look: bool,
    budget: int | None,
    volume: int | None,
) -> None:
    """Write a diagnostic bundle of instances, or of single jobs of them."""
    from engine.runtime.clock import SystemClock
    from export_import import export as exporting
    from export_import.keys import Keys
    from export_import.site import Choice
    from export_import.wanted import Wanted

    if not output and not only_look:
        raise click.UsageError("say where to write it: -o PATH")
    clock = SystemClock()
    choices = tuple(map(Choice.of_text, chosen))
    recipients = tuple(map(Keys(desk.root, clock).recipient_for, to))
    wanted = Wanted(choices, recipients, not no_redact, budget, volume)
    vault = _vault(desk, wanted)
    if only_look:
        seen = exporting.preview(desk.root, wanted, clock=clock, vault=vault, progress=_progress(desk))
        _end_progress(desk)
        return desk.answer(_seen(seen, wanted), _seen_lines(desk, seen, wanted))
    path = _place(Path(output or ""), wanted, clock.now().strftime("%Y%m%d-%H%M%S"))
    done = exporting.export(desk.root, path, wanted, clock=clock, vault=vault, progress=_progress(desk))
    _end_progress(desk)
    return desk.answer(_document(done, wanted), _lines(desk, done, wanted))


def _place(path: Path, wanted: Wanted, now: str) -> Path:
    """The bundle's own path: a folder that is there already gets a bundle inside, or one that was begun."""
    if not path.is_dir():
        return path
    numbers = "-".join(str(each.instance) for each in wanted.choices[:3])
    begun = sorted(path.glob(f"skerry-{numbers}-????????-??????.part"))
    return begun[-1].with_suffix("") if begun else path / f"skerry-{numbers}-{now}"


def _vault(desk: Desk, wanted: Wanted) -> Vault | None:
    """The secrets, opened by the environment or by what a person types."""
    if not wanted.redact:
        return None
    from engine.secrets.vault import Vault

    vault = Vault(desk.root / "secrets.vault", os.environ)
    if vault.exists and not vault.unlock(env=os.environ) and sys.stdin.isatty():
        vault.unlock(passphrase=click.prompt("Passphrase of the secrets", hide_input=True, err=True))
    return vault


def _progress(desk: Desk) -> Progress:
    """A line on standard error that changes, where a person watches."""
    from export_import.wanted import Step, nothing

    if desk.json or not sys.stderr.isatty():
        return nothing

    def show(step: Step) -> None:
        part = 100 * step.done // max(step.total, 1)
        with suppress(OSError, ValueError):
            sys.stderr.write(f"\r\x1b[K{part:3d} %  {visible(step.name)[:60]}")
            sys.stderr.flush()

    return show


def _end_progress(desk: Desk) -> None:
    if not desk.json and sys.stderr.isatty():
        with suppress(OSError, ValueError):
            sys.stderr.write("\r\x1b[K")


def _document(done: Result, wanted: Wanted) -> dict[str, Any]:
    told = {**asdict(done), "path": str(done.path.absolute()), "redacted": wanted.redact}
    return {**told, "omitted": [asdict(each) for each in done.omitted]}


def _lines(desk: Desk, done: Result, wanted: Wanted) -> Iterator[str]:
    facts = {"path": visible(done.path), "n": done.files, "content": done.content, "size": done.size}
    yield desk.tell("{path}: {n} files, {content} bytes in {size}", **facts)
    yield from _how(desk, wanted)
    yield desk.tell("signed by {signer}", signer=done.signer)
    if wanted.redact:
        total = sum(done.redactions.values())
        told = "redacted in {n} places; looked through once more for the stored secrets: none is in it"
        yield desk.tell(told, n=total)
    yield from _left_out(desk, done.omitted, done.remarks)


def _how(desk: Desk, wanted: Wanted) -> Iterator[str]:
    if wanted.recipients:
        yield desk.tell("encrypted to {keys} and to this workspace", keys=", ".join(wanted.recipients))
    else:
        yield desk.tell("NOT encrypted: whoever gets it can read it (encrypt with --to KEY)")
    if not wanted.redact:
        yield desk.tell("NOT redacted: it may hold secrets, and names of hosts and users")


def _seen(seen: Preview, wanted: Wanted) -> dict[str, Any]:
    return {
        **asdict(seen),
        "size": seen.size,
        "encrypted": bool(wanted.recipients),
        "redacted": wanted.redact,
    }


def _seen_lines(desk: Desk, seen: Preview, wanted: Wanted) -> Iterator[str]:
    rows = ((each.size, each.role, _counts(each.redactions), each.name) for each in seen.files)
    yield from columns(desk.heads(_HEADS), rows)
    yield desk.tell("{n} files, {size} bytes before they are compressed", n=len(seen.files), size=seen.size)
    yield from _how(desk, wanted)
    yield from _left_out(desk, seen.omitted, seen.remarks)


def _counts(redactions: Any) -> str:
    return ", ".join(f"{rule} ×{times}" for rule, times in sorted(redactions.items()))


def _left_out(desk: Desk, omitted: tuple[Omission, ...], remarks: tuple[str, ...]) -> Iterator[str]:
    for each in omitted:
        yield desk.tell("left out: {name}: {reason}", name=visible(each.name), reason=visible(each.reason))
    for remark in remarks:
        yield desk.tell("note: {remark}", remark=visible(remark))
