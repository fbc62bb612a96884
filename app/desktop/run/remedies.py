"""What can be done about a job that went wrong, each as one button that leads there; pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from app.desktop.kernel.console import Target
from app.desktop.run.node_states import NEEDS_HELP
from app.desktop.run.reading import RunLook
from app.desktop.run.remedy_kinds import HelpKind, kinds_of
from engine.api.documents import Document, JobDocument
from engine.model.errors import SkerryError
from engine.model.expression import compile_condition, compile_value, looks_like_condition

_LONGEST = 16  # characters of a name on a button
_OF_JOBS = ("JOB", "ROUNDS")  # where a path finds what jobs gave


@dataclass(frozen=True, slots=True)
class Remedy:
    """``text`` is an English source text; ``action`` one of the mode's, or ``target`` a place to go to."""

    text: str
    action: str = ""
    target: Target | None = None
    changes: bool = False  # it needs an engine, and does not work in a replay
    values: Mapping[str, str] = field(default_factory=dict)


Help = Callable[[JobDocument, RunLook], Iterator[Remedy]]


def remedies(job: JobDocument, look: RunLook) -> Iterator[Remedy]:
    """What the catalogue's entry comes to in this window first, then what helps always."""
    if job["status"] not in NEEDS_HELP and job["error_code"] is None:
        return
    seen: set[str] = set()
    of_code = (each for kind in kinds_of(job["error_code"]) for each in _HELP[kind](job, look))
    for remedy in (*of_code, *_always(job, look)):
        if remedy.text not in seen:
            seen.add(remedy.text)
            yield remedy


def _always(job: JobDocument, look: RunLook) -> Iterator[Remedy]:
    if not look.unfinished:
        yield Remedy("Retry what failed…", "run.retry", changes=True)
        yield Remedy("Rerun from here…", "run.rerun_from", changes=True)
    yield _VALUE
    yield _LOG
    asked = next(_exceptions(job, look), None)
    if asked is not None and look.unfinished:
        yield Remedy("Its exception", target=Target("exception", str(asked["id"])))
    if job["error_code"] is not None:
        yield Remedy("In the catalogue", target=Target("code", str(job["error_code"])))
        yield Remedy("Rules for this error", target=Target("code", str(job["error_code"]), detail="rules"))
    yield Remedy("Settle it by hand…", "run.force", changes=True)


def _exceptions(job: JobDocument, look: RunLook) -> Iterator[Document]:
    return (each for each in look.exceptions if each.get("job_instance") == job["instance"])


def _resources(job: JobDocument, look: RunLook) -> Iterator[Remedy]:
    used = _used(look, job["node"])
    for resource in used:
        text = "Check its resource" if len(used) == 1 else "Check the resource {id}"
        yield Remedy(text, target=Target("resource", resource, detail="check"), values={"id": resource})


def _definition(job: JobDocument, look: RunLook) -> Iterator[Remedy]:
    yield Remedy("Its definition", target=definition_of(job, look))


def _source(job: JobDocument, look: RunLook) -> Iterator[Remedy]:
    """The job that the error is about; else the only one whose values the failed one reads."""
    about = [source for each in _exceptions(job, look) if (source := each.get("details", {}).get("job"))]
    read = dict.fromkeys(about[:1] or _jobs_read(look.keys(job["node"])))
    known = [node for node in read if node != job["node"] and look.job(node) is not None]
    if len(known) == 1:
        [node] = known
        target = Target("instance", str(look.run["instance"]), node)
        name = node if len(node) <= _LONGEST else f"{node[: _LONGEST - 1]}…"
        yield Remedy("To its source: {node}", target=target, values={"node": name})


def _jobs_read(tree: Any) -> Iterator[str]:
    """The jobs that the expressions in a definition name; what is no expression names none."""
    if isinstance(tree, (Mapping, list)):
        for each in tree.values() if isinstance(tree, Mapping) else tree:
            yield from _jobs_read(each)
    elif isinstance(tree, str):
        with suppress(SkerryError):
            found = compile_condition(tree) if looks_like_condition(tree) else compile_value(tree)
            yield from (each.key for each in found.references if each.root in _OF_JOBS and each.key)


def _member(job: JobDocument, look: RunLook) -> Iterator[Remedy]:
    child = job["results"].get("instance")
    if isinstance(child, int):
        yield Remedy("What failed in its sub-task", target=Target("instance", str(child)))
    for each in look.run["jobs"]:
        if each["status"] in NEEDS_HELP and each["node"].startswith(f"{job['node']}."):
            target = Target("instance", str(look.run["instance"]), each["node"], "error")
            yield Remedy("What failed in it", target=target)


def _always_the_same(remedy: Remedy) -> Help:
    return lambda job, look: iter((remedy,))


def _queue(job: JobDocument, look: RunLook) -> Iterator[Remedy]:
    yield Remedy("Show the queue", target=Target("queue", str(job["instance"])))


def _export(job: JobDocument, look: RunLook) -> Iterator[Remedy]:
    yield Remedy("Export it for support…", target=Target("admin", "export", detail=str(look.run["instance"])))


_VALUE = Remedy("Change a value…", "run.change_value", changes=True)
_LOG = Remedy("Read the log", "run.show_log")
_CHARTS = Remedy("Its charts", "run.show_charts")
_SECRETS = Remedy("Unlock or store secrets…", target=Target("admin", "secrets"))
_ROOM = Remedy("Make room on the disk…", target=Target("admin", "room"))
_SETTINGS = Remedy("Settings of the workspace", target=Target("admin", "settings"))
_HELP: Mapping[HelpKind, Help] = {
    HelpKind.VALUE: _always_the_same(_VALUE),
    HelpKind.LOG: _always_the_same(_LOG),
    HelpKind.CHARTS: _always_the_same(_CHARTS),
    HelpKind.RESOURCE: _resources,
    HelpKind.DEFINITION: _definition,
    HelpKind.SOURCE: _source,
    HelpKind.MEMBER: _member,
    HelpKind.QUEUE: _queue,
    HelpKind.SECRETS: _always_the_same(_SECRETS),
    HelpKind.ROOM: _always_the_same(_ROOM),
    HelpKind.SETTINGS: _always_the_same(_SETTINGS),
    HelpKind.EXPORT: _export,
}


def _used(look: RunLook, node: str) -> list[str]:
    keys = look.keys(node)
    listed = keys.get("resources") or ()
    named = [keys.get("resource"), *(listed if isinstance(listed, (list, tuple)) else (listed,))]
    return list(dict.fromkeys(str(each) for each in named if each))


def definition_of(job: JobDocument, look: RunLook) -> Target:
    """Where a job is defined: in the library when the node uses one, else in the task."""
    used = look.tree(job["node"]).get("job")
    if isinstance(used, str):
        return Target("job", used, detail="definition")
    return Target("task", look.run["task"], job["node"], "definition")
