"""Whether a job is the one that was recorded: the same definition, the same inputs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from engine.context import is_reference
from engine.context.line import json_text
from engine.context.tree import with_texts
from engine.model.job import Job, JobKeys
from engine.planning.shape import Plan
from engine.runtime import library
from export_import.desk.omission_marks import is_marked
from export_import.desk.records import Recorded

_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}(?:Z|[+-]\d\d:\d\d)")
_JOB_FOLDER = re.compile(r"(/jobs/job-[\w.-]+)-\d+")
_WORK = ("type", "ready", "process", "end", "settings", "mode")  # what decides what a job does
_STEERING = ("retry", "branches", "max_loops")


@dataclass(frozen=True)
class Folders:
    """The paths of one side, at the site or here: the instance's directory, the workspace."""

    instance: str
    workspace: str

    def neutral(self, value: Any) -> Any:
        """A JSON value in which places, numbers of jobs and moments are those of nowhere."""
        return with_texts(value, self._text)

    def _text(self, text: str) -> str:
        for place, name in ((self.instance, "<instance>"), (self.workspace, "<workspace>")):
            text = text.replace(place, name) if place else text
        return _TIME.sub("<time>", _JOB_FOLDER.sub(r"\1-N", text))


def essence(job: Job, plan: Plan) -> str:
    """A hash of what a job does: its work, not its parameters' values or what is done about its failure."""
    dump = job.model_dump(mode="json", include=set(_WORK))
    settings = {name: each for name, each in dump["settings"].items() if name not in _STEERING}
    own = settings.get("resource")
    ids = [*job.resources, *job.changes, *([own] if isinstance(own, str) else [])]
    known = plan.definitions.resources
    resources = {id: known[id].model_dump(mode="json") for id in ids if id in known}
    task = settings.get("task") or (job.process.value if job.process and job.process.kind == "task" else None)
    below = library.referred(library.finder(plan.definitions.raw), "task", str(task)) if task else {}
    tree = {**dump, "settings": settings, "resources": resources, "below": below}
    return sha256(json_text(tree).encode()).hexdigest()


def differing(
    record: Recorded, params: Mapping[str, Any], keys: Mapping[str, Any], site: Folders, here: Folders
) -> Iterator[str]:
    """The names of the inputs that are not the recorded ones; ``keys``: evaluated keys by what was noted."""
    for name in {**record.params, **params}:
        missing = name not in record.params or name not in params
        if missing or not alike(record.params[name], params[name], site, here):
            yield name
    for name, value in record.notes.items():
        if name in keys and not alike(value, keys[name], site, here):
            yield name


def alike(recorded: Any, value: Any, site: Folders, here: Folders) -> bool:
    """Whether two values are the same but for where and when; what was redacted counts as the same."""
    if is_marked(recorded):
        return True
    if is_reference(recorded) and not is_reference(value):
        text = value if isinstance(value, str) else json_text(value)
        return sha256(text.encode("utf-8", "replace")).hexdigest() == str(recorded["sha256"])
    return json_text(site.neutral(recorded)) == json_text(here.neutral(value))


def noted_keys(names: frozenset[str], settings: JobKeys, recorded: Mapping[str, Any]) -> dict[str, Any]:
    """The evaluated keys of a job at the places that were noted: ``argv.1`` -> the value there."""
    found: dict[str, Any] = {}
    for place in recorded:
        name, *steps = place.split(".")
        if name in names:
            found[place] = _at(settings.written(name), steps)
    return found


def _at(value: Any, steps: list[str]) -> Any:
    for step in steps:
        try:
            value = value[int(step) if isinstance(value, (list, tuple)) else step]
        except (KeyError, IndexError, TypeError, ValueError):
            return None
    return value
