"""``skerry clean``: what is no longer kept is taken away now."""

from __future__ import annotations

from collections.abc import Iterator

import click

from app.cli.cli_context import CliContext
from app.cli.engine_access import reading, working
from app.cli.shell import BAD, OK, CliCommand
from app.cli.terminal_text import clock_time, columns, visible
from engine.api.documents import Document

_HEADS = ("instance", "task", "status", "ended", "bytes", "reason")


@click.command(cls=CliCommand)
@click.option("--dry-run", is_flag=True, help="Only show what would go.")
@click.pass_obj
def clean(cli: CliContext, dry_run: bool) -> int:
    """Take away the ended instances that the setting `retention` of workspace.yaml no longer keeps."""
    way = reading(cli) if dry_run else working(cli, resume=False)
    with way as service:
        found = service.clean(dry_run)
    for problem in found["problems"]:
        payload = {"n": problem["instance"], "message": visible(problem["message"])}
        cli.note(cli.tell("warning: instance {n} stays: {message}", **payload))
    cli.answer(found, _lines(cli, found))
    return BAD if found["problems"] else OK


def _lines(cli: CliContext, found: Document) -> Iterator[str]:
    removed = found["removed"]
    if removed:
        yield from columns(
            cli.heads(_HEADS),
            ((each["instance"], each["task"], cli.state(each["status"]), clock_time(each["ended_at"]),
              each["size"], each["reason"]) for each in removed),
        )  # fmt: skip
    done = (
        "{n} {what} would be removed, {size} bytes"
        if found["dry_run"]
        else "{n} {what} removed, {size} bytes"
    )
    what = "instance" if len(removed) == 1 else "instances"
    yield cli.tell(done, n=len(removed), what=cli.tell(what), size=found["size"])
    if backfills := found.get("backfills"):
        numbers = ", ".join(map(str, backfills))
        yield cli.tell("backfills of which nothing is left, with their times: {numbers}", numbers=numbers)
