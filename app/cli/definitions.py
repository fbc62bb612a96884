"""``skerry load`` and ``skerry dump``: definitions into the workspace and out of it."""

from __future__ import annotations

import click

from app.cli import files
from app.cli.checking import show_warnings
from app.cli.connect import reading, working
from app.cli.desk import Desk
from app.cli.shell import NAME, Command, key_option


@click.command(cls=Command)
@click.argument("names", metavar="FILE...", nargs=-1, required=True)
@key_option
@click.pass_obj
def load(desk: Desk, names: tuple[str, ...]) -> None:
    """Put definitions into the workspace, a new revision each; all of them or none.

    Schedule and dependencies of a task that is online are never changed.
    """
    sources = [files.source(name) for name in dict.fromkeys(names)]
    with working(desk, resume=False) as service:
        loaded = service.load(sources)
        show_warnings(desk, service, sources)
    desk.answer(
        {"loaded": loaded},
        (
            f"{desk.tell(each['kind'])} {each['id']}: {desk.tell('revision')} {each['revision']}"
            f"{'' if each['changed'] else desk.tell(' (unchanged)')}"
            for each in loaded
        ),
    )


@click.command(cls=Command)
@click.argument("ids", type=NAME, metavar="[ID]...", nargs=-1)
@click.pass_obj
def dump(desk: Desk, ids: tuple[str, ...]) -> None:
    """Write definitions out as YAML that loads again without a change; all of them without ID."""
    with reading(desk) as service:
        text = service.dump(ids)
    desk.answer({"text": text}, [text.removesuffix("\n")])
