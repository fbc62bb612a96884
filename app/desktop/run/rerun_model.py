"""What the rerun assistant knows: the choice, its verdict for every node, edits and what they taint; pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from engine.api.documents import Document, Rerun, RunDocument
from engine.context.timeline import LineCause
from engine.model.errors import SkerryError
from engine.model.expression import Path, format_path, parse_path
from engine.model.states import RerunMode
from engine.planning.dag import reach

Verdict = Literal["run", "keep", "skip"]
VERDICTS: tuple[Verdict, ...] = ("run", "keep", "skip")


@dataclass(frozen=True, slots=True)
class EditedValue:
    """A value that is changed before: its path and the text that was typed."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class RerunChoice:
    """What the person chose so far."""

    mode: RerunMode
    nodes: tuple[str, ...] = ()
    with_upstream: bool = False
    downstream: bool = False
    current: bool = False
    edits: tuple[EditedValue, ...] = ()
    reason: str = ""

    def request(self, instance: int) -> Rerun:
        nodes = self.nodes if self.mode in ("from", "only") else ()
        edits = tuple((each.path, each.text) for each in self.edits)
        upstream = self.with_upstream and self.mode == "from"
        return Rerun(
            instance, self.mode, nodes, upstream, self.downstream, edits, self.reason.strip(), self.current
        )

    def edited(self, path: str, text: str | None) -> RerunChoice:
        """With a value changed; None takes the change back."""
        rest = tuple(each for each in self.edits if each.path != path)
        return replace(self, edits=rest if text is None else (*rest, EditedValue(path, text)))


def usual(run: RunDocument, node: str | None) -> RerunChoice:
    """What is wanted most often: what failed; of a run without failures from the selected job; else all."""
    if any(job["status"] not in ("succeeded", "skipped") for job in run["jobs"]):
        return RerunChoice("failed", (node,) if node else ())
    return RerunChoice("from", (node,)) if node else RerunChoice("all")


class Follower(NamedTuple):
    """Another instance that runs again, once those of ``after`` have succeeded; ``run`` are its nodes."""

    instance: int
    task: str
    after: tuple[int, ...]
    run: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlanAnswer:
    """What the engine answered: the verdict for every node, the lines of difference of the definition."""

    verdicts: Mapping[str, Verdict]
    diff: tuple[str, ...] = ()
    behind: tuple[Follower, ...] = ()

    @classmethod
    def of(cls, preview: Document) -> PlanAnswer:
        """From ``Service.preview``."""
        verdicts: dict[str, Verdict] = {node: name for name in VERDICTS for node in preview[name]}
        behind = (
            Follower(each["instance"], each["task"], tuple(each["after"]), tuple(each["run"]))
            for each in preview.get("downstream", ())
        )
        return cls(verdicts, tuple(preview.get("diff", ())), tuple(behind))

    def nodes(self, verdict: Verdict) -> list[str]:
        """The nodes of a verdict, in the plan's order."""
        return [node for node, own in self.verdicts.items() if own == verdict]


class EditableValue(NamedTuple):
    """A value that may be changed before a rerun."""

    path: str
    value: Any


def editable(tree: Mapping[str, Any], run: Collection[str]) -> Iterator[EditableValue]:
    """The task's parameters, and the results of the jobs that keep theirs."""
    for name, value in (tree.get("TASK", {}).get("PARAMS") or {}).items():
        yield EditableValue(format_path(("TASK", "PARAMS", name)), value)
    for node, entry in tree.get("JOB", {}).items():
        if node not in run:
            yield from _results(("JOB", node), entry)


def _results(place: tuple[str | int, ...], entry: Any) -> Iterator[EditableValue]:
    if isinstance(entry, list):
        for at, each in enumerate(entry):
            yield from _results((*place, at), each)
    elif isinstance(entry, Mapping):
        for name, value in (entry.get("RESULT") or {}).items():
            yield EditableValue(format_path((*place, "RESULT", name)), value)


def readers(causes: Iterable[LineCause], path: str) -> frozenset[str]:
    """The nodes that read a value, a part of it or what holds it, when they ran last."""
    wanted = parse_path(path)
    found: set[str] = set()
    for cause in causes:
        place = parse_path(cause.path)
        if place[0] == "JOB" and len(place) > 1 and any(_touches(wanted, each) for each in cause.inputs):
            found.add(str(place[1]))
    return frozenset(found)


def _touches(wanted: Path, read: str) -> bool:
    try:
        steps = parse_path(read)
    except SkerryError:  # a path with wildcards or a filter: it reads more than one place
        head = format_path(wanted[:2])
        return read.startswith(head)
    return wanted[: len(steps)] == steps[: len(wanted)]


def tainted(
    starts: Iterable[str], children: Mapping[str, Sequence[str]], verdicts: Mapping[str, Verdict]
) -> frozenset[str]:
    """What will depend on an edited value: of what runs again, who reads it and all that depends on them."""
    begin = [node for node in starts if verdicts.get(node) == "run"]
    return frozenset(node for node in reach(begin, children) if verdicts.get(node) == "run")


def children_of(parents: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """The arrows the other way round."""
    found: dict[str, list[str]] = {node: [] for node in parents}
    for node, before in parents.items():
        for parent in before:
            found.setdefault(parent, []).append(node)
    return {node: tuple(after) for node, after in found.items()}


def dependants(tasks: Iterable[Document], task: str) -> list[str]:
    """The tasks whose schedule depends on this one."""
    found = []
    for each in tasks:
        listed = (each.get("definition") or {}).get("depends_on") or ()
        if any(isinstance(one, Mapping) and str(one.get("task")) == task for one in listed):
            found.append(str(each["id"]))
    return found
