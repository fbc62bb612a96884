"""The JSON Schema (2020-12) of definition files, for editors: completion, help and red lines."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from engine.definitions import schedules
from engine.definitions.jobs import COMMON
from engine.definitions.outer import ASIDE, FORMAT
from engine.definitions.tasks import HANDLERS, IN_NO_HANDLER, NODE
from engine.model.calendar import Calendar
from engine.model.control import Branch, GroupKeys, Member
from engine.model.job import Job, ParamSpec, ResultSpec, Stage
from engine.model.names import ID, LONGEST_ID
from engine.model.resource import Resource
from engine.model.rules import Rule
from engine.model.schedule import Schedule
from engine.model.task import Node, Task
from engine.plugins.job_type import JobType
from engine.plugins.registry import JobTypes, ResourceTypes
from engine.plugins.resource_type import ResourceType

Schema = dict[str, Any]
_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_ID = {"pattern": f"^{ID}$", "maxLength": LONGEST_ID}
_EXPRESSION: Schema = {"type": "string", "pattern": r"\$\."}
_VALUES: Schema = {"type": "object", "propertyNames": _ID}
_TEXT: Schema = {"type": "string"}


def json_schema(job_types: JobTypes, resource_types: ResourceTypes) -> Schema:
    """The schema of a whole file with these types."""
    kinds = [each for name, each in sorted(job_types.items()) if name == each.kind]
    stores = [each for name, each in sorted(resource_types.items()) if name == each.kind]
    parts = _Parts(kinds, stores)
    definitions = {
        "Resource": _resource(parts, stores),
        **{f"Resource.{each.kind}": _resource_keys(parts, each) for each in stores},
        "JobBody": _job_body(parts, kinds),
        **{f"Job.{each.kind}": _job_keys(parts, each) for each in kinds},
        **_jobs(),
        **_nodes(parts),
        "Task": _task(parts),
        **_shorthands(parts),
    }
    return {
        "$schema": _DIALECT,
        "title": "A definition file of Skerry",
        "type": "object",
        "required": ["skerry"],
        "properties": dict(_FILE),
        "patternProperties": {f"^{ASIDE}": {}},
        "additionalProperties": False,
        "$defs": _reachable(_FILE, {**parts.definitions, **definitions}),
    }


def _map_of(definition: str) -> Schema:
    return {**_VALUES, "additionalProperties": {"$ref": f"#/$defs/{definition}"}}


_MODELS: frozenset[type[BaseModel]] = frozenset(
    {Branch, Calendar, Job, Member, Node, ParamSpec, Resource, ResultSpec, Rule, Schedule, Stage, Task}
)
_FILE: Mapping[str, Schema] = {
    "skerry": {"const": FORMAT, "description": "The version of the format."},
    "project": {"type": "string", "description": "The project of every task of the file."},
    "resources": _map_of("Resource"),
    "jobs": _map_of("Job"),
    "tasks": _map_of("Task"),
    "calendars": _map_of("Calendar"),
    "rules": {"type": "array", "items": {"$ref": "#/$defs/Rule"}},
    "errors": {
        "type": "object",
        "propertyNames": {"pattern": "^-1[0-9]{10}$"},
        "additionalProperties": {"type": "object"},
    },
}


class _Parts:
    """The schemas of all models involved, made together so that their names do not clash."""

    def __init__(self, kinds: list[JobType], stores: list[ResourceType]) -> None:
        own = {each.keys for each in kinds} | {each.request_keys for each in stores}
        every: list[type[BaseModel]] = sorted(
            {*_MODELS, *own, *(each.check_keys for each in stores)}, key=repr
        )
        refs, whole = models_json_schema([(each, "validation") for each in every])
        self.name = {model: each["$ref"].rpartition("/")[2] for (model, _), each in refs.items()}
        self.definitions: Schema = {name: _tidy(each) for name, each in whole["$defs"].items()}

    def of(self, model: type[BaseModel]) -> Schema:
        return dict(self.definitions[self.name[model]])

    def properties(self, model: type[BaseModel], names: Iterable[str]) -> Schema:
        """Some properties of a model, in its order."""
        chosen = frozenset(names)
        return {name: each for name, each in self.of(model)["properties"].items() if name in chosen}


def _tidy(schema: Any) -> Any:
    """Without what pydantic adds for nobody: titles, null alternatives and computed defaults."""
    if isinstance(schema, list):
        return [_tidy(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: _tidy(each) for key, each in schema.items() if not _noise(key, each)}
    choices = [each for each in made.get("anyOf", []) if each != {"type": "null"}]
    if len(choices) == 1:
        return {**{key: each for key, each in made.items() if key != "anyOf"}, **choices[0]}
    return {**made, "anyOf": choices} if choices else made


def _noise(key: str, value: Any) -> bool:
    if key == "default":
        return not isinstance(value, (bool, int, str))
    return key == "title" and isinstance(value, str)


def _resource(parts: _Parts, stores: list[ResourceType]) -> Schema:
    names = [name for each in stores for name in (each.kind, *each.aliases)]
    schema = parts.of(Resource)
    properties = {key: each for key, each in schema["properties"].items() if key != "id"}
    return {
        **schema,
        "properties": {**properties, "type": {"enum": names}},
        "required": ["type", "uri"],
        "allOf": [_when((each.kind, *each.aliases), f"Resource.{each.kind}") for each in stores],
    }


def _when(names: Iterable[str], definition: str) -> Schema:
    """``definition`` holds for what has one of these types."""
    is_type = {"properties": {"type": {"enum": list(names)}}, "required": ["type"]}
    return {"if": is_type, "then": {"$ref": f"#/$defs/{definition}"}}


def _resource_keys(parts: _Parts, kind: ResourceType) -> Schema:
    keys = {"request": kind.request_keys, "check": kind.check_keys}
    return {
        "description": inspect.cleandoc(kind.help[0]),
        "properties": {key: _with_expressions(parts.of(model)) for key, model in keys.items()},
    }


def _with_expressions(schema: Schema, names: Iterable[str] | None = None) -> Schema:
    """Each property (or those named) may be an expression that gives the value later."""
    properties = schema.get("properties", {})
    chosen = properties.keys() if names is None else frozenset(names)
    changed = {
        name: {"anyOf": [each, _EXPRESSION]} if name in chosen and each else each
        for name, each in properties.items()
    }
    return {**schema, "properties": changed}


def _job_body(parts: _Parts, kinds: list[JobType]) -> Schema:
    """What jobs have in common wherever they are; their params differ."""
    return {
        "type": "object",
        "properties": {
            **parts.properties(Job, COMMON - {"params"}),
            "type": {"enum": [each.kind for each in kinds]},
        },
        "required": ["type"],
        "allOf": [_when((each.kind,), f"Job.{each.kind}") for each in kinds],
    }


def _job_keys(parts: _Parts, kind: JobType) -> Schema:
    """The keys of one type with their help, its rule about ``process``, its own parameters."""
    own = _with_expressions(parts.of(kind.keys), kind.rendered)
    properties: dict[str, Any] = {
        name: _helped(kind, name, each) for name, each in own.get("properties", {}).items()
    }
    if issubclass(kind.keys, GroupKeys):
        properties["jobs"] = _helped(kind, "jobs", _list_of("Member"))
    if kind.process == "none":
        properties["process"] = False
    if kind.params:
        properties["params"] = {"properties": {name: _helped(kind, name, {}) for name in kind.params}}
    required = [*own.get("required", []), *(["process"] if kind.process == "required" else [])]
    schema: Schema = {"description": inspect.cleandoc(kind.help[0]), "properties": properties}
    return {**schema, "required": required} if required else schema


def _helped(kind: JobType, name: str, schema: Schema) -> Schema:
    meaning = kind.meanings.get(name)
    return {**schema, "description": meaning[0]} if meaning else schema


def _list_of(definition: str) -> Schema:
    return {"type": "array", "items": {"$ref": f"#/$defs/{definition}"}}


def _jobs() -> Schema:
    named = {"properties": {"job": {"$ref": "#/$defs/Id"}, "params": _VALUES}, "additionalProperties": False}
    return {
        "Id": {"anyOf": [{"type": "string", **_ID}, {"type": "integer", "minimum": 0}]},
        "Job": _job({"params": _map_of("ParamSpec")}),
        "InlineJob": _job({"params": _VALUES}),
        "Member": _by_id_or(named, "InlineJob"),
    }


def _job(properties: Schema) -> Schema:
    return {"$ref": "#/$defs/JobBody", "properties": properties, "unevaluatedProperties": False}


def _by_id_or(named: Schema, inline: str) -> Schema:
    return {
        "type": "object",
        "if": {"required": ["job"]},
        "then": named,
        "else": {"$ref": f"#/$defs/{inline}"},
    }


def _nodes(parts: _Parts) -> Schema:
    keys = parts.properties(Node, NODE) | {"job": {"$ref": "#/$defs/Id"}}
    keys["params"] = {"anyOf": [_VALUES, {"type": "array", "items": _VALUES}]}
    inline = {name: each for name, each in keys.items() if name != "job"}
    handler = {name: each for name, each in keys.items() if name not in IN_NO_HANDLER} | {"params": _VALUES}
    own = {name: each for name, each in handler.items() if name != "job"}
    return {
        "Handler": _by_id_or({"properties": handler, "additionalProperties": False}, "InlineHandler"),
        "InlineHandler": _job(own),
        "Node": _by_id_or({"properties": keys, "additionalProperties": False}, "InlineNode"),
        "InlineNode": _job(inline),
    }


def _task(parts: _Parts) -> Schema:
    schema = parts.of(Task)
    properties = {key: each for key, each in schema["properties"].items() if key != "id"}
    schedule = {"anyOf": [{"const": "manual"}, {"$ref": "#/$defs/Schedule"}]}
    required = [name for name in schema.get("required", []) if name != "id"]
    whole = {key: each for key, each in schema.items() if key != "required"}
    handlers = {name: {"$ref": "#/$defs/Handler"} for name in HANDLERS}
    on_end = {"type": "object", "properties": handlers, "additionalProperties": False}
    whole["properties"] = {**properties, "nodes": _map_of("Node"), "schedule": schedule, "on_end": on_end}
    return {**whole, "required": required} if required else whole


def _shorthands(parts: _Parts) -> Schema:
    """The models that may be written shorter than they are."""
    return {
        parts.name[ParamSpec]: {"if": {"type": "object"}, "then": parts.of(ParamSpec)},
        parts.name[ResultSpec]: {"if": {"type": "object"}, "then": parts.of(ResultSpec)},
        parts.name[Branch]: {"anyOf": [_list_of("Id"), parts.of(Branch)]},
        parts.name[Stage]: _stage(parts),
        parts.name[Schedule]: _schedule(parts),
    }


def _stage(parts: _Parts) -> Schema:
    texts = [_only(kind, _TEXT) for kind in ("file", "link", "binary", "class")]
    others = [_only("group", _list_of("Member")), _only("task", {"$ref": "#/$defs/Id"})]
    return {"description": parts.of(Stage)["description"], "anyOf": [_TEXT, *texts, *others]}


def _only(key: str, schema: Schema) -> Schema:
    return {"type": "object", "properties": {key: schema}, "required": [key], "additionalProperties": False}


def _schedule(parts: _Parts) -> Schema:
    """Each level takes keys of its own; without a level, the one key that implies it."""
    schema = parts.of(Schedule)
    levels = []
    for level, keys in schedules.LEVELS.items():
        allowed = keys.required | keys.optional | schedules.COMMON
        refused = {name: False for name in schema["properties"] if name not in allowed}
        refused.pop("time", None) if level == "once" else None
        required = [] if level == "once" else sorted(keys.required)
        levels.append(
            {
                "if": {"properties": {"level": {"const": level}}, "required": ["level"]},
                "then": {"properties": refused, "required": required},
            }
        )
    return {**schema, "allOf": levels}


def _reachable(root: Any, definitions: Schema) -> Schema:
    reached: Schema = {}
    waiting = list(_references(root))
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached[name] = definitions[name]
            waiting += _references(definitions[name])
    return dict(sorted(reached.items()))


def _references(schema: Any) -> Iterator[str]:
    if isinstance(schema, Mapping):
        if isinstance(schema.get("$ref"), str):
            yield schema["$ref"].removeprefix("#/$defs/")
        schema = list(schema.values())
    if isinstance(schema, list):
        for each in schema:
            yield from _references(each)
