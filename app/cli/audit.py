"""``skerry audit``: who changed what, and whether that record is whole."""

from __future__ import annotations

from contextlib import closing
from dataclasses import asdict

import click

from app.cli.cli_context import CliContext
from app.cli.engine_access import existing, reader
from app.cli.shell import CliGroup, limit_option
from app.cli.terminal_text import clock_time, columns
from app.cli.value_types import Number
from engine.store.rows import AuditRow

_HEADS = ("row", "when", "who", "did", "to", "details")

audit = CliGroup("audit", default="list", help="See who changed what")


@audit.command("list")
@click.option("--after", type=Number(0, 1 << 62), metavar="ROW", help="Only rows behind this one.")
@limit_option
@click.pass_obj
def show_list(cli: CliContext, after: int | None, limit: int) -> None:
    """List the latest rows, or those behind a row, the oldest first."""
    with closing(reader(existing(cli))) as store:
        head = store.audit_head()
        first = after if after is not None else max((head[0] if head else 0) - limit, 0)
        rows = store.audit(first, limit)
    shown = (_row(cli, each) for each in rows)
    cli.answer({"audit": [asdict(each) for each in rows]}, columns(cli.heads(_HEADS), shown))


def _row(cli: CliContext, row: AuditRow) -> tuple[object, ...]:
    kind, space, id = row.subject.partition(" ")
    subject = f"{cli.tell(kind)}{space}{id}"
    return row.seq, clock_time(row.time), row.actor, cli.tell(row.action), subject, row.details


@audit.command()
@click.pass_obj
@click.pass_context
def verify(context: click.Context, cli: CliContext) -> None:
    """Compute the chain of hashes again; exit status 1 when a row was changed, removed or put in."""
    with closing(reader(existing(cli))) as store:
        found, head = store.verify_audit(), store.audit_head()
    rows, last = head or (0, None)
    damaged = [{"row": each.key[0], "message": each.message} for each in found]
    lines = [cli.tell("row {n}: {message}", n=each["row"], message=each["message"]) for each in damaged]
    whole = cli.tell("the audit is whole: {n} rows, head {head}", n=rows, head=last)
    cli.answer({"intact": not found, "rows": rows, "head": last, "found": damaged}, lines or [whole])
    context.exit(1 if found else 0)
