"""``skerry load`` and ``skerry dump``: definitions into the workspace and out of it."""

from __future__ import annotations

import click

from app.cli import input_files
from app.cli.checking import show_warnings
from app.cli.cli_context import CliContext
from app.cli.engine_access import ask, working
from app.cli.shell import CliCommand, key_option
from app.cli.value_types import NAME


@click.command(cls=CliCommand)
@click.argument("names", metavar="FILE...", nargs=-1, required=True)
@key_option
@click.pass_obj
def load(cli: CliContext, names: tuple[str, ...]) -> None:
    """Put definitions into the workspace, a new revision each; all of them or none.

    Schedule and dependencies of a task that is online are never changed.
    """
    sources = [input_files.source(name) for name in dict.fromkeys(names)]
    with working(cli, resume=False) as service:
        loaded = service.load(sources)
        show_warnings(cli, service, sources)
    cli.answer(
        {"loaded": loaded},
        (
            cli.labelled(
                f"{cli.tell(each['kind'])} {each['id']}", f"{cli.tell('revision')} {each['revision']}"
            )
            + ("" if each["changed"] else cli.tell(" (unchanged)"))
            for each in loaded
        ),
    )


@click.command(cls=CliCommand)
@click.argument("ids", type=NAME, metavar="[ID]...", nargs=-1)
@click.pass_obj
def dump(cli: CliContext, ids: tuple[str, ...]) -> None:
    """Write definitions out as YAML that loads again without a change; all of them without ID."""
    text = ask(cli, lambda service: service.dump(ids))
    cli.answer({"text": text}, [text.removesuffix("\n")])
