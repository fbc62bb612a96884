"""``skerry alerts``: what recovery and handling rules have raised."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from app.cli.cli_context import CliContext
from app.cli.engine_access import ask, change
from app.cli.shell import CliGroup, limit_option
from app.cli.terminal_text import clock_time, columns
from app.cli.value_types import INSTANCE
from engine.model.codes.commands import WRONG_USE
from engine.model.errors import Invalid
from engine.model.message import message_in

_HEADS = ("id", "when", "level", "kind", "instance", "seen by", "message")

alerts = CliGroup("alerts", default="list", help="See alerts")


@alerts.command("list")
@click.option("--instance", type=INSTANCE, metavar="N", help="Of this instance.")
@click.option("--seen", is_flag=True, help="Also those that were acknowledged.")
@limit_option
@click.pass_obj
def show_list(cli: CliContext, instance: int | None, seen: bool, limit: int) -> None:
    """List alerts that nobody has acknowledged yet, the newest first."""
    found = ask(cli, lambda service: service.alerts(instance, seen, limit))
    cli.answer({"alerts": found}, columns(cli.heads(_HEADS), (_row(cli, each) for each in found)))


def _row(cli: CliContext, found: Mapping[str, Any]) -> tuple[Any, ...]:
    when, message = clock_time(found["created_at"]), cli.error(found["code"], message_in(found, "message"))
    by = found["acknowledged_by"]
    return found["id"], when, found["level"], found["kind"], found["instance"], by, message


@alerts.command()
@click.argument("ids", type=INSTANCE, nargs=-1, metavar="ID…")
@click.option("--all", "all_of_them", is_flag=True, help="All of them.")
@click.pass_obj
def ack(cli: CliContext, ids: tuple[int, ...], all_of_them: bool) -> None:
    """Note that you have seen alerts."""
    if bool(ids) == all_of_them:
        raise Invalid(WRONG_USE, "name alerts, or all of them with --all")
    done = change(cli, lambda service: service.acknowledge(None if all_of_them else list(ids)))
    cli.answer(done, [cli.tell("{n} alerts are acknowledged", n=len(done["acknowledged"]))])
