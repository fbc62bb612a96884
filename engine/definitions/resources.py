"""From a resource's part of the file to a Resource, with the keys of its type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from engine.context.tree import at_path
from engine.definitions.explain import names
from engine.definitions.fit import fit
from engine.definitions.jobs import Bench, check_id
from engine.definitions.notes import Notes, did_you_mean
from engine.definitions.params import holds_expression
from engine.model.codes import definitions as codes
from engine.model.findings import Loc
from engine.model.names import near
from engine.model.resource import Resource
from engine.plugins.resource_type import ResourceType

_KEYS = names(Resource)
_NO_RESOURCE = Resource(id="_", type="")  # in place of one that cannot be read


def read_resource(name: str, raw: Any, path: Loc, bench: Bench) -> Resource:
    """The resource ``name``; an alias of a type (``service``) becomes the type's own name."""
    notes = bench.notes
    if not isinstance(raw, dict):
        notes.wrong_type("expected a resource (a map), found {found}", path, raw)
        return _NO_RESOURCE.model_copy(update={"id": name})
    check_id(name, path, notes, raw)
    kind = _type(raw, path, bench)
    given = {**raw, "id": "_", "type": kind.kind if kind else str(raw.get("type", ""))}
    resource = fit(Resource, given, path, notes) or _NO_RESOURCE
    if kind:
        if not any(key == "uri" or (key not in _KEYS and near(key, ("uri",))) for key in raw):
            notes.error(codes.MISSING_KEY, "`uri` is required here: where it is", path, key=True)
        _keys(kind.request_keys, raw.get("request"), (*path, "request"), notes)
        _keys(kind.check_keys, raw.get("check"), (*path, "check"), notes)
        if resource.at == "worker" and not kind.looks_elsewhere:
            message = "a resource of type `{type}` is not looked at on a worker"
            notes.error(codes.CONFLICTING_KEYS, message, (*path, "at"), type=kind.kind)
    return resource.model_copy(update={"id": name})


def _type(raw: Mapping[str, Any], path: Loc, bench: Bench) -> ResourceType | None:
    if "type" not in raw:
        bench.notes.error(codes.MISSING_KEY, "`type` is required here", path, key=True)
        return None
    kind = raw["type"]
    resource_type = bench.resource_types.get(kind) if isinstance(kind, str) else None
    if resource_type is None:
        hint = did_you_mean(kind, bench.resource_types)
        message = "there is no resource type `{type}`{hint}"
        bench.notes.error(codes.UNKNOWN_TYPE, message, (*path, "type"), type=kind, hint=hint)
    return resource_type


def _keys(model: type[BaseModel], raw: Any, path: Loc, notes: Notes) -> None:
    """Check a map against the type's model; what holds an expression is known only when it is used."""
    if not isinstance(raw, dict):
        return
    key_notes = Notes()
    fit(model, raw, path, key_notes)
    for note in key_notes.all:
        if note.key or not holds_expression(at_path(raw, note.finding.path[len(path) :])):
            notes.add(note.finding, key=note.key)
