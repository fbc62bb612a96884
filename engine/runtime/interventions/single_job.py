"""Runs a reusable Job by itself, as a task of one node, made for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from engine.definitions.reader import read_raw
from engine.model.codes.commands import NO_SUCH_DEFINITION
from engine.model.codes.runtime import PARAM_UNKNOWN
from engine.model.errors import Invalid
from engine.model.job import Job, ParamSpec
from engine.model.message import Message
from engine.runtime.library import tree_of
from engine.runtime.services import EngineServices
from engine.runtime.submission import Submission

_LONGEST = 64  # characters of an id


def submission(
    services: EngineServices, id: str, params: Mapping[str, Any], texts: Mapping[str, str], actor: str
) -> Submission:
    """What runs the Job ``id`` once; Invalid when there is none, or a parameter is unknown or missing.

    ``params`` are typed values, ``texts`` are converted by the parameter's kind; neither is evaluated.
    """
    raw = tree_of(services.store, "job", id)
    if id not in raw["jobs"]:
        raise Invalid.at(NO_SUCH_DEFINITION, "there is no job {where!r} in the workspace", id)
    job = read_raw(raw, services.job_types, services.resource_types).jobs[id]
    table = {**services.job_types[job.type].params, **job.params}
    wanted = dict(_asked_for(job, table, {*params, *texts}))
    task = f"job.{id}"[:_LONGEST]
    raw["tasks"][task] = {
        "name": job.name or id,
        "params": wanted,
        "nodes": {id: {"job": id, "params": {name: f"$.TASK.PARAMS['{name}']" for name in wanted}}},
    }
    definitions = read_raw(raw, services.job_types, services.resource_types)
    return Submission(task, definitions, params, texts, actor=actor)


def _asked_for(
    job: Job, table: Mapping[str, ParamSpec], given: set[str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The specifications of what is given, and of what has to be: the job's own, without the values."""
    for name in sorted(given - set(table)):
        near = get_close_matches(name, table, 1)
        there = Message.of("it has: {names}", names=", ".join(table) or "none")
        hint = Message.of("did you mean {name!r}?", name=near[0]) if near else there
        message = "job {job!r} has no parameter {where!r} ({hint})"
        raise Invalid.at(PARAM_UNKNOWN, message, name, job=job.id, hint=hint)
    for name, spec in table.items():
        if name in given or (spec.required and spec.value is None):
            yield name, _specification(spec)


def _specification(spec: ParamSpec) -> dict[str, Any]:
    description: dict[str, Any] = {"required": spec.required}
    if spec.kind or spec.value is not None:
        description["kind"] = spec.literal_kind
    if spec.choices is not None:
        description["choices"] = list(spec.choices)
    if spec.secret:
        description["secret"] = True
    return description
