"""What can be done about a job that went wrong, each as one button; pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from app.desktop.kernel.console import Target
from app.desktop.run.reading import RunLook
from app.desktop.run.states import NEEDS_HELP
from engine.api.documents import JobDocument

_RESOURCES = 30  # the domain of what stands outside and is checked
_DEFINITIONS = (1, 2, 3)


@dataclass(frozen=True, slots=True)
class Remedy:
    """``text`` is an English source text; ``action`` one of the mode's, or ``target`` a place to go to."""

    text: str
    action: str = ""
    target: Target | None = None
    changes: bool = False  # it needs an engine, and does not work in a replay


def remedies(job: JobDocument, look: RunLook) -> Iterator[Remedy]:
    """The most likely help first."""
    if job["status"] not in NEEDS_HELP and job["error_code"] is None:
        return
    if not look.unfinished:
        yield Remedy("Retry what failed…", "run.retry", changes=True)
        yield Remedy("Rerun from here…", "run.rerun_from", changes=True)
    yield Remedy("Change a value…", "run.show_context")
    yield Remedy("Read the log", "run.show_log")
    yield from _by_domain(job, look)
    asked = next((each for each in look.exceptions if each.get("job_instance") == job["instance"]), None)
    if asked is not None:
        yield Remedy("Its exception", target=Target("exception", str(asked["id"])))
    if job["error_code"] is not None:
        yield Remedy("In the catalogue", target=Target("code", str(job["error_code"])))
        yield Remedy("Rules for this error", target=Target("code", str(job["error_code"]), detail="rules"))
    yield Remedy("Settle it by hand…", "run.force", changes=True)


def _by_domain(job: JobDocument, look: RunLook) -> Iterator[Remedy]:
    domain = domain_of(job["error_code"])
    if domain == _RESOURCES:
        for resource in _used(look, job["node"]):
            yield Remedy("Check its resource", target=Target("resource", resource, detail="check"))
    if domain in _DEFINITIONS:
        yield Remedy("Its definition", target=definition_of(job, look))


def domain_of(code: int | None) -> int | None:
    """The two digits of an error code that name its domain.

    >>> domain_of(-13000102005)
    30
    """
    return None if code is None else -code // 10**8 % 100


def _used(look: RunLook, node: str) -> list[str]:
    keys = look.keys(node)
    listed = keys.get("resources") or ()
    named = [keys.get("resource"), *(listed if isinstance(listed, (list, tuple)) else (listed,))]
    return list(dict.fromkeys(str(each) for each in named if each))


def definition_of(job: JobDocument, look: RunLook) -> Target:
    """Where a job is defined: in the library when the node uses one, else in the task."""
    tree = (look.raw.get("tasks") or {}).get(look.run["task"], {}).get("nodes", {}).get(job["node"]) or {}
    if isinstance(tree.get("job"), str):
        return Target("job", tree["job"], detail="definition")
    return Target("task", look.run["task"], job["node"], "definition")
