"""Every parameter of every job of a task as rows: its value, where it comes from, what it overrides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from app.desktop.design.forms.field_tables import member_fields, node_fields
from app.desktop.design.forms.fields import Field
from app.desktop.design.forms.world import World
from app.desktop.design.tree import REMOVE


@dataclass(frozen=True, slots=True)
class Row:
    """One parameter of one node. ``member``: which set of a batch, None for a node with one set."""

    node: str
    title: str
    member: int | None
    field: Field


def rows_of(world: World) -> tuple[Row, ...]:
    """The rows of a task, by its nodes."""
    return tuple(row for node in world.nodes for row in _of_node(world, node))


def _of_node(world: World, node: str) -> Iterator[Row]:
    sets = world.node(node).get("params")
    if isinstance(sets, list):
        for member in range(len(sets)):
            yield from _of_set(world, node, f"{node} [{member + 1}]", member)
    else:
        yield from _of_set(world, node, node, None)
    members = world.node(node).get("jobs")
    for index in range(len(members) if isinstance(members, list) else 0):
        path = ("tasks", world.task, "nodes", node, "jobs", index)
        for field in member_fields(world, path):
            if field.group == "params":
                yield Row(node, f"{node}.{index}", None, field)


def _of_set(world: World, node: str, title: str, member: int | None) -> Iterator[Row]:
    for field in node_fields(world, node, member or 0):
        if field.group == "params":
            yield Row(node, title, member, field)


def own_params(world: World) -> tuple[Row, ...]:
    """The task's own parameters, which come first."""
    from app.desktop.design.forms.param_fields import param_field, read_spec

    found = []
    table = world.raw_task.get("params")
    for name, spec in table.items() if isinstance(table, dict) else ():
        base = ("tasks", world.task, "params", str(name))
        path = (*base, "value") if isinstance(spec, dict) else base
        value = spec.get("value", REMOVE) if isinstance(spec, dict) else spec
        found.append(Row("", "", None, param_field(str(name), read_spec(spec), value, path)))
    return tuple(found)
