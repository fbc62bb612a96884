"""``skerry force``: settle the outcome of a node by hand."""

from __future__ import annotations

import click

from app.cli.connect import working
from app.cli.desk import Desk
from app.cli.shell import INSTANCE, NAME, Command, key_option
from app.cli.text import visible


@click.command(cls=Command)
@click.argument("instance", type=INSTANCE)
@click.argument("node", type=NAME)
@click.argument("state", type=click.Choice(["succeeded", "failed"]), metavar="succeeded|failed")
@click.option("--reason", required=True, metavar="TEXT", help="Why; it stays with the job.")
@key_option
@click.pass_obj
def force(desk: Desk, instance: int, node: str, state: str, reason: str) -> None:
    """Settle NODE of INSTANCE by hand.

    What it does at the moment is stopped. Of an ended instance the outcome counts for reruns, and the
    instance itself has succeeded when nothing in it failed any more.
    """
    with working(desk) as service:
        done = service.force(instance, node, state, reason)
    facts = {"node": visible(node), "n": instance, "state": desk.state(state)}
    told = "{node} of instance {n} is {state}; the instance is {status}"
    desk.answer(done, [desk.tell(told, status=desk.state(done["instance_status"]), **facts)])
