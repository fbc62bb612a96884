"""``skerry clean``: what is no longer kept is taken away now."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from app.cli.connect import reading, working
from app.cli.desk import Desk
from app.cli.shell import BAD, OK, Command
from app.cli.text import clock_time, columns, visible

if TYPE_CHECKING:
    from engine.api.documents import Document

_HEADS = ("instance", "task", "status", "ended", "bytes", "reason")


@click.command(cls=Command)
@click.option("--dry-run", is_flag=True, help="Only show what would go.")
@click.pass_obj
def clean(desk: Desk, dry_run: bool) -> int:
    """Take away the ended instances that the setting `retention` of workspace.yaml no longer keeps."""
    way = reading(desk) if dry_run else working(desk, resume=False)
    with way as service:
        found = service.clean(dry_run)
    for problem in found["problems"]:
        told = {"n": problem["instance"], "message": visible(problem["message"])}
        desk.note(desk.tell("warning: instance {n} stays: {message}", **told))
    desk.answer(found, _lines(desk, found))
    return BAD if found["problems"] else OK


def _lines(desk: Desk, found: Document) -> Iterator[str]:
    removed = found["removed"]
    if removed:
        yield from columns(
            desk.heads(_HEADS),
            ((each["instance"], each["task"], desk.state(each["status"]), clock_time(each["ended_at"]),
              each["size"], each["reason"]) for each in removed),
        )  # fmt: skip
    done = (
        "{n} {what} would be removed, {size} bytes"
        if found["dry_run"]
        else "{n} {what} removed, {size} bytes"
    )
    what = "instance" if len(removed) == 1 else "instances"
    yield desk.tell(done, n=len(removed), what=desk.tell(what), size=found["size"])
