"""Every parameter of every job of a task as rows: its value, where it comes from, what it overrides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from app.desktop.design.forms.definition_scope import DefinitionScope
from app.desktop.design.forms.field_tables import member_fields, node_fields
from app.desktop.design.forms.fields import Field
from app.desktop.design.forms.param_fields import param_field, read_spec
from app.desktop.design.tree import REMOVE
from engine.planning.outline import map_of


@dataclass(frozen=True, slots=True)
class ParameterRow:
    """One parameter of one node. ``member``: which set of a batch, None for a node with one set."""

    node: str
    title: str
    member: int | None
    field: Field


def rows_of(scope: DefinitionScope) -> tuple[ParameterRow, ...]:
    """The rows of a task, by its nodes."""
    return tuple(row for node in scope.nodes for row in _of_node(scope, node))


def _of_node(scope: DefinitionScope, node: str) -> Iterator[ParameterRow]:
    sets = scope.node(node).get("params")
    if isinstance(sets, list):
        for member in range(len(sets)):
            yield from _of_set(scope, node, f"{node} [{member + 1}]", member)
    else:
        yield from _of_set(scope, node, node, None)
    members = scope.node(node).get("jobs")
    for index in range(len(members) if isinstance(members, list) else 0):
        path = ("tasks", scope.task, "nodes", node, "jobs", index)
        for field in member_fields(scope, path):
            if field.group == "params":
                yield ParameterRow(node, f"{node}.{index}", None, field)


def _of_set(scope: DefinitionScope, node: str, title: str, member: int | None) -> Iterator[ParameterRow]:
    for field in node_fields(scope, node, member or 0):
        if field.group == "params":
            yield ParameterRow(node, title, member, field)


def own_params(scope: DefinitionScope) -> tuple[ParameterRow, ...]:
    """The task's own parameters, which come first."""
    found = []
    for name, spec in map_of(scope.raw_task.get("params")).items():
        base = ("tasks", scope.task, "params", str(name))
        path = (*base, "value") if isinstance(spec, dict) else base
        value = spec.get("value", REMOVE) if isinstance(spec, dict) else spec
        found.append(ParameterRow("", "", None, param_field(str(name), read_spec(spec), value, path)))
    return tuple(found)
