"""``skerry rules``: handling rules; which there are, what they would have done, on and off."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import click

from app.cli.cli_context import CliContext
from app.cli.engine_access import ask, change
from app.cli.shell import CliGroup
from app.cli.terminal_text import clock_time, columns, pairs, visible
from app.cli.value_types import NAME, Number
from engine.definitions.writer import dump

_HEADS = ("id", "priority", "action", "enabled", "revision", "made", "name")

rules = CliGroup("rules", default="list", help="See and switch handling rules (`skerry load` brings them in)")


@rules.command("list")
@click.pass_obj
def show_list(cli: CliContext) -> None:
    """List the rules of the workspace, the first to act first."""
    found = ask(cli, lambda service: sorted(service.definitions("rule"), key=lambda rule: -rule["priority"]))
    cli.answer({"rules": found}, columns(cli.heads(_HEADS), (_row(cli, each) for each in found)))


def _row(cli: CliContext, rule: Mapping[str, Any]) -> tuple[Any, ...]:
    enabled = cli.tell("yes" if rule["enabled"] else "no")
    made = clock_time(rule["created_at"])
    return rule["id"], rule["priority"], rule["action"], enabled, rule["revision"], made, rule["name"]


@rules.command()
@click.argument("rule", type=NAME)
@click.pass_obj
def show(cli: CliContext, rule: str) -> None:
    """Show one RULE as it is defined."""
    found = ask(cli, lambda service: service.definition("rule", rule))
    cli.answer(found, _shown(found))


def _shown(found: Mapping[str, Any]) -> Iterator[str]:
    facts = [(name, found.get(name)) for name in ("revision", "actor")]
    yield from pairs([*facts, ("made", clock_time(found.get("created_at")))], "# ")
    yield from dump({"rules": [found["definition"]]}).splitlines()


@rules.command()
@click.argument("rule", type=NAME)
@click.option("--limit", type=Number(1, 1_000_000), default=1000, show_default=True, metavar="N",
              help="How many of the newest exceptions are looked at.")  # fmt: skip
@click.pass_obj
def test(cli: CliContext, rule: str, limit: int) -> None:
    """Which past exceptions RULE would have matched; also of a rule that is switched off."""
    found = ask(cli, lambda service: service.test_rule(rule, limit))
    matched = found["matched"]
    facts = {"rule": visible(rule), "n": len(matched), "all": found["looked_at"]}
    count = cli.tell("rule {rule} matches {n} of {all} exceptions", **facts)
    heads = cli.heads(("id", "when", "instance", "node", "error"))
    lines = [count, *(columns(heads, map(_matched, matched)) if matched else ())]
    cli.answer(found, lines)


def _matched(found: Mapping[str, Any]) -> tuple[Any, ...]:
    when, error = clock_time(found["created_at"]), f"{found['code']}: {found['message']}"
    return found["id"], when, found["instance"], found["node"], error


@rules.command()
@click.argument("rule", type=NAME)
@click.pass_obj
def enable(cli: CliContext, rule: str) -> None:
    """Let RULE act again."""
    _switch(cli, rule, True)


@rules.command()
@click.argument("rule", type=NAME)
@click.pass_obj
def disable(cli: CliContext, rule: str) -> None:
    """Keep RULE from acting; it stays defined."""
    _switch(cli, rule, False)


def _switch(cli: CliContext, rule: str, enabled: bool) -> None:
    done = change(cli, lambda service: service.enable_rule(rule, enabled))
    cli.answer(done, [cli.tell("rule {rule} is on" if enabled else "rule {rule} is off", rule=visible(rule))])


@rules.command()
@click.argument("rule", type=NAME)
@click.pass_obj
def delete(cli: CliContext, rule: str) -> None:
    """Delete RULE; its history stays."""
    gone = change(cli, lambda service: service.delete("rule", rule))
    cli.answer(gone, [cli.tell("rule {rule} is deleted", rule=visible(rule))])
