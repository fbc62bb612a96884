"""``skerry rules``: handling rules; which there are, what they would have done, on and off."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import click

from app.cli.connect import reading, working
from app.cli.desk import Desk
from app.cli.shell import NAME, Group, Number
from app.cli.text import clock_time, columns, pairs, visible

_HEADS = ("id", "priority", "action", "enabled", "revision", "made", "name")


@click.group(cls=Group, invoke_without_command=True)
@click.pass_context
def rules(context: click.Context) -> None:
    """See and switch handling rules; without a word after it: list. They are loaded with `skerry load`."""
    if context.invoked_subcommand is None:
        context.invoke(show_list)


@rules.command("list")
@click.pass_obj
def show_list(desk: Desk) -> None:
    """List the rules of the workspace, the first to act first."""
    with reading(desk) as service:
        found = sorted(service.definitions("rule"), key=lambda rule: -rule["priority"])
    desk.answer({"rules": found}, columns(desk.heads(_HEADS), (_row(desk, each) for each in found)))


def _row(desk: Desk, rule: Mapping[str, Any]) -> tuple[Any, ...]:
    enabled = desk.tell("yes" if rule["enabled"] else "no")
    made = clock_time(rule["created_at"])
    return rule["id"], rule["priority"], rule["action"], enabled, rule["revision"], made, rule["name"]


@rules.command()
@click.argument("rule", type=NAME)
@click.pass_obj
def show(desk: Desk, rule: str) -> None:
    """Show one RULE as it is defined."""
    with reading(desk) as service:
        found = service.definition("rule", rule)
    desk.answer(found, _shown(found))


def _shown(found: Mapping[str, Any]) -> Iterator[str]:
    from engine.definitions.writer import dump

    facts = [(name, found.get(name)) for name in ("revision", "actor")]
    yield from pairs([*facts, ("made", clock_time(found.get("created_at")))], "# ")
    yield from dump({"rules": [found["definition"]]}).splitlines()


@rules.command()
@click.argument("rule", type=NAME)
@click.option("--limit", type=Number(1, 1_000_000), default=1000, show_default=True, metavar="N",
              help="How many of the newest exceptions are looked at.")  # fmt: skip
@click.pass_obj
def test(desk: Desk, rule: str, limit: int) -> None:
    """Which past exceptions RULE would have matched; also of a rule that is switched off."""
    with reading(desk) as service:
        found = service.test_rule(rule, limit)
    matched = found["matched"]
    facts = {"rule": visible(rule), "n": len(matched), "all": found["looked_at"]}
    count = desk.tell("rule {rule} matches {n} of {all} exceptions", **facts)
    heads = desk.heads(("id", "when", "instance", "node", "error"))
    lines = [count, *(columns(heads, map(_matched, matched)) if matched else ())]
    desk.answer(found, lines)


def _matched(found: Mapping[str, Any]) -> tuple[Any, ...]:
    when, error = clock_time(found["created_at"]), f"{found['code']}: {found['message']}"
    return found["id"], when, found["instance"], found["node"], error


@rules.command()
@click.argument("rule", type=NAME)
@click.pass_obj
def enable(desk: Desk, rule: str) -> None:
    """Let RULE act again."""
    _switch(desk, rule, True)


@rules.command()
@click.argument("rule", type=NAME)
@click.pass_obj
def disable(desk: Desk, rule: str) -> None:
    """Keep RULE from acting; it stays defined."""
    _switch(desk, rule, False)


def _switch(desk: Desk, rule: str, enabled: bool) -> None:
    with working(desk, resume=False) as service:
        done = service.enable_rule(rule, enabled)
    desk.answer(
        done, [desk.tell("rule {rule} is on" if enabled else "rule {rule} is off", rule=visible(rule))]
    )


@rules.command()
@click.argument("rule", type=NAME)
@click.pass_obj
def delete(desk: Desk, rule: str) -> None:
    """Delete RULE; its history stays."""
    with working(desk, resume=False) as service:
        gone = service.delete("rule", rule)
    desk.answer(gone, [desk.tell("rule {rule} is deleted", rule=visible(rule))])
