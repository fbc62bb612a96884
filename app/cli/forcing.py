"""``skerry force``: settle the outcome of a node by hand."""

from __future__ import annotations

import click

from app.cli.cli_context import CliContext
from app.cli.engine_access import working
from app.cli.shell import INSTANCE, NAME, Command, key_option
from app.cli.terminal_text import visible


@click.command(cls=Command)
@click.argument("instance", type=INSTANCE)
@click.argument("node", type=NAME)
@click.argument("state", type=click.Choice(["succeeded", "failed"]), metavar="succeeded|failed")
@click.option("--reason", required=True, metavar="TEXT", help="Why; it stays with the job.")
@key_option
@click.pass_obj
def force(cli: CliContext, instance: int, node: str, state: str, reason: str) -> None:
    """Settle NODE of INSTANCE by hand.

    What it does at the moment is stopped. Of an ended instance the outcome counts for reruns, and the
    instance itself has succeeded when nothing in it failed any more.
    """
    with working(cli) as service:
        done = service.force(instance, node, state, reason)
    facts = {"node": visible(node), "n": instance, "state": cli.state(state)}
    message = "{node} of instance {n} is {state}; the instance is {status}"
    cli.answer(done, [cli.tell(message, status=cli.state(done["instance_status"]), **facts)])
