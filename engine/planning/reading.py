"""What the expressions of a task read, checked before anything runs: existing names, jobs upstream."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from engine.model.codes import planning as codes
from engine.model.codes.expressions import UNQUOTED
from engine.model.definitions import Definitions
from engine.model.expression import ERROR_FIELDS, Members, Reference
from engine.model.findings import Finding, Loc, error, warning
from engine.model.message import Message
from engine.model.names import is_handler, near
from engine.model.task import Task
from engine.planning import expression_sites as sites
from engine.planning.dag import Upstream
from engine.planning.expression_sites import Read
from engine.planning.graph import Graph, node_path
from engine.planning.jobs import resources_of
from engine.planning.known import KnownNames
from engine.planning.names import did_you_mean
from engine.planning.uses import Use
from engine.plugins.registry import JobTypes


class Reader(NamedTuple):
    """From where an expression reads. ``use`` is the running job, if any; ``node`` whose turn it is."""

    node: str | None = None  # None: before the first node, or after the last one
    use: Use | None = None
    ended: bool = False  # everything has


class Checker:
    """Checks the references of one task."""

    def __init__(self, graph: Graph, uses: list[Use], definitions: Definitions, job_types: JobTypes) -> None:
        self._graph = graph
        self._uses = uses
        self._definitions = definitions
        self._job_types = job_types
        self._known = KnownNames(graph.task, uses, definitions, job_types)
        self._upstream: Upstream[str] | None = None
        self._shared: dict[str, list[Read]] = {}

    def findings(self) -> Iterator[Finding]:
        """Everything that is wrong with the expressions of the task and of the jobs it uses."""
        task = self._graph.task
        base: Loc = ("tasks", task.id)
        yield from self._check(sites.read(sites.of_params(task), base), Reader())
        yield from self._check(sites.read(sites.of_task_end(task), base), Reader(ended=True))
        for node in (*task.nodes.values(), *task.on_end.values()):
            use = self._known.by_name.get(node.id)
            own = sites.of_node(node, use.job.params if use else {})
            reader = Reader(node.id, use, ended=is_handler(node.id))
            yield from self._check(sites.read(own, node_path(task, node.id)), reader)
        for use in self._uses:
            yield from self._of_use(use)

    def _of_use(self, use: Use) -> Iterator[Finding]:
        reader = Reader(use.node.id, use, ended=is_handler(use.node.id))
        if use.name != use.node.id:  # a member of a group: the node's own params were read with the node
            given = sites.of_given(use.given[0], (), use.job.params)
            yield from self._check(sites.read(given, use.given_where), reader)
        yield from self._check(self._of_job(use), reader)
        yield from self._check(self._of_surroundings(), reader)
        yield from self._of_job_params(use, reader)
        for _, id in resources_of(use.job):
            yield from self._check(self._of_resource(id), reader)

    def _of_job(self, use: Use) -> Iterator[Read]:
        """What a job reads, without the parameters that this use gives values of its own."""
        elsewhere = self._known.of_task(use.job) | set.intersection(*map(set, use.given or ({},)))
        hidden = {(*use.where, "params", name) for name in elsewhere}
        return (read for read in self._reads_of(use) if read.where not in hidden)

    def _reads_of(self, use: Use) -> list[Read]:
        if use.inline:
            return list(self._fresh(use))
        if use.job.id not in self._shared:
            self._shared[use.job.id] = list(self._fresh(use))
        return self._shared[use.job.id]

    def _fresh(self, use: Use) -> Iterator[Read]:
        yield from sites.read(sites.of_params(use.job), use.where)
        yield from sites.read(sites.of_job(use.job, self._job_types), use.where)

    def _of_surroundings(self) -> list[Read]:
        """What a task gives the programs of all its nodes."""
        task = self._graph.task
        if "task" not in self._shared:
            self._shared["task"] = list(sites.read(sites.of_surroundings(task), ("tasks", task.id)))
        return self._shared["task"]

    def _of_job_params(self, use: Use, reader: Reader) -> Iterator[Finding]:
        given = self._graph.task.job_params.get(use.job.id, {})
        where = ("tasks", self._graph.task.id, "job_params", use.job.id)
        read = sites.read(sites.of_given(given, (), use.job.params), where)
        yield from self._check(read, reader)

    def _of_resource(self, id: str) -> list[Read]:
        key = f"resource {id}"
        if key not in self._shared:
            resource = self._definitions.resources.get(id)
            reads = sites.read(sites.of_resource(resource), ("resources", id)) if resource else ()
            self._shared[key] = list(reads)
        return self._shared[key]

    def _check(self, reads: Iterator[Read] | list[Read], reader: Reader) -> Iterator[Finding]:
        for read in reads:
            if read.finding is not None:
                yield read.finding
            for reference in read.references:
                yield from self._reference(reference, read.where, reader)

    def _reference(self, reference: Reference, where: Loc, reader: Reader) -> Iterator[Finding]:
        if reference.unquoted:
            text = "{path}: a name belongs in quotes: ['{name}']"
            yield warning(UNQUOTED, text, where, path=reference.text, name=reference.unquoted)
        if reference.root == "TASK":
            yield from of_task(reference, self._graph.task, where)
        elif reference.root in ("ITEM", "INDEX"):
            yield from self._of_item(reference, where, reader)
        elif reference.root == "UPSTREAM":
            yield from self._of_upstream(reference, where)
        elif reference.root == "RESOURCE":
            text = "{path} is known only in the condition of a schedule"
            yield error(codes.UNKNOWN_FIELD, text, where, path=reference.text)
        elif reference.root in ("JOB", "ROUNDS") and reference.key is not None:
            yield from self._of_key(reference, where, reader)

    def _of_upstream(self, reference: Reference, where: Loc) -> Iterator[Finding]:
        """Only what a task waits for is known when it begins; itself by its own id."""
        task, name = self._graph.task, reference.key
        windows = {str(each.task or task.id): each.window for each in task.depends_on}
        if name is None:
            return
        if name not in windows:
            hint = did_you_mean(name, windows)
            text = "{path}: task '{task}' does not wait for '{name}'{hint}"
            facts = {"path": reference.text, "task": task.id, "name": name, "hint": hint}
            yield error(codes.UNKNOWN_REFERENCE, text, where, **facts)
            return
        indexed = isinstance(next(iter(reference.steps[2:]), None), (int, Members))
        several = windows[name] == "all_in_period"
        if several and len(reference.steps) > 2 and not indexed:
            text = "{path}: '{name}' has an instance for each time of the period; write ['{name}'][0] or [*]"
            yield error(codes.INDEX, text, where, path=reference.text, name=name)
        elif indexed and not several:
            text = "{path}: '{name}' is a single instance; leave the index out"
            yield error(codes.INDEX, text, where, path=reference.text, name=name)

    def _of_item(self, reference: Reference, where: Loc, reader: Reader) -> Iterator[Finding]:
        if reader.use is None or not reader.use.several:
            place = Message.of(
                " (node '{node}' of task '{task}')", node=reader.node, task=self._graph.task.id
            )
            text = "{path} is known only in a node with for_each{node}"
            yield error(
                codes.UNKNOWN_FIELD, text, where, path=reference.text, node=place if reader.node else ""
            )

    def _of_key(self, reference: Reference, where: Loc, reader: Reader) -> Iterator[Finding]:
        key = reference.key or ""
        running = reader.use is not None and key in (reader.use.name, reader.use.job.id)
        target = reader.use if running and not self._is_other_node(key, reader) else self._found(key, reader)
        if target is None:
            problem = self._missing(key)
            yield error(
                codes.UNKNOWN_REFERENCE, "{path}: {problem}", where, path=reference.text, problem=problem
            )
            return
        if target is not reader.use and not self._is_given(reference, target, reader):
            yield from self._order(reference, target, where, reader)
            yield from self._index(reference, target, where, reader)
        yield from self._field(reference, target, where)

    def _is_given(self, reference: Reference, target: Use, reader: Reader) -> bool:
        """Whether a member reads what its group was given; the rest is there when the group has ended."""
        given = reference.root == "JOB" and reference.steps[2:3] == ("PARAMS",)
        return given and reader.use is not None and target in self._known.around(reader.use)

    def _found(self, key: str, reader: Reader) -> Use | None:
        inside = self._known.inside(key, reader.use) if reader.use else None
        return inside or self._known.find(key)

    def _is_other_node(self, key: str, reader: Reader) -> bool:
        """Whether a node of that id comes before the id of the running job."""
        return key in self._known.by_name and reader.use is not None and key != reader.use.name

    def _missing(self, key: str) -> Message:
        users = [use.name for use in self._known.by_job.get(key, ())]
        if users:
            template = "the job '{job}' is used by several nodes ({nodes}); name the node"
            return Message.of(template, job=key, nodes=", ".join(users))
        hint = did_you_mean(key, self._known.by_name)
        template = "task '{task}' has no node or job '{name}'{hint}"
        return Message.of(template, task=self._graph.task.id, name=key, hint=hint)

    def _order(self, reference: Reference, target: Use, where: Loc, reader: Reader) -> Iterator[Finding]:
        if reader.ended or (reader.node is not None and self._is_before(target, reader)):
            return
        who = (
            f"'{reader.use.name if reader.use else reader.node}'"
            if reader.node
            else Message.of("the task's parameters")
        )
        text = "{path}: '{job}' is not upstream of {who} and may not have ended"
        yield warning(codes.NOT_UPSTREAM, text, where, path=reference.text, job=target.name, who=who)

    def _is_before(self, target: Use, reader: Reader) -> bool:
        if target.node.id == reader.node:
            return reader.use is not None and _is_earlier_member(target, reader.use)
        if is_handler(target.node.id):
            return False
        if self._upstream is None:
            self._upstream = Upstream(self._graph.outline.parents)
        return self._upstream.holds(target.node.id, reader.node or "")

    def _index(self, reference: Reference, target: Use, where: Loc, reader: Reader) -> Iterator[Finding]:
        steps = reference.steps[2:] if reference.root == "JOB" else reference.steps[3:]
        indexed = bool(steps) and isinstance(steps[0], (int, Members))
        beside = reader.use is not None and target.node.id == reader.node  # a member of the same group
        if not steps or (beside and not indexed):
            return
        if target.several and not indexed:
            text = "{path}: '{job}' becomes several jobs; write ['{job}'][0] or [*]"
            yield error(codes.INDEX, text, where, path=reference.text, job=target.name)
        elif indexed and not target.several:
            text = "{path}: '{job}' is a single job; leave the index out"
            yield error(codes.INDEX, text, where, path=reference.text, job=target.name)
        elif isinstance(steps[0], int) and not self._is_member(target, steps[0]):
            text = "{path}: '{job}' has {count} members; the first is [0]"
            yield error(
                codes.INDEX, text, where, path=reference.text, job=target.name, count=len(target.given)
            )

    def _is_member(self, target: Use, index: int) -> bool:
        return target.node.for_each is not None or -len(target.given) <= index < len(target.given)

    def _field(self, reference: Reference, target: Use, where: Loc) -> Iterator[Finding]:
        match _field_and_name(reference):
            case ("PARAMS", name):
                yield from self._param(reference, target, name, where)
            case ("RESULT", name):
                yield from self._result(reference, target, name, where)

    def _param(self, reference: Reference, target: Use, name: str, where: Loc) -> Iterator[Finding]:
        known = self._known.params_of(target)
        if name not in known:
            text = self._lacks(
                "{path}: '{job}' has no parameter '{name}'{hint}", reference, target, name, known
            )
            yield error(codes.UNKNOWN_FIELD, text, where)

    def _lacks(
        self, text: str, reference: Reference, target: Use, name: str, known: Iterable[str]
    ) -> Message:
        hint = did_you_mean(name, known)
        return Message.of(text, path=reference.text, job=target.name, name=name, hint=hint)

    def _result(self, reference: Reference, target: Use, name: str, where: Loc) -> Iterator[Finding]:
        results = self._known.results_of(target.job)
        if name in results.names:
            return
        text = self._lacks(
            "{path}: '{job}' has no result '{name}'{hint}", reference, target, name, results.names
        )
        if results.certain and "." not in name:  # a file that a job leaves in outputs/ has a suffix
            yield error(codes.UNKNOWN_FIELD, text, where)
        elif near(name, results.names):
            yield warning(codes.UNKNOWN_FIELD, text, where)


def _is_earlier_member(one: Use, other: Use) -> bool:
    """Whether ``one`` has ended when ``other``, a member of the same group, runs."""
    first, second = one.member, other.member
    return bool(first) and first < second[: len(first)]


def _field_and_name(reference: Reference) -> tuple[str, str] | None:
    """PARAMS or RESULT and the name after it; None where a position or a query follows."""
    steps = reference.steps[2:]
    field = next((at for at, step in enumerate(steps) if isinstance(step, str)), len(steps))
    match steps[field : field + 2]:
        case (str(first), str(name)):
            return first, name
    return None


def of_task(reference: Reference, task: Task, where: Loc) -> Iterator[Finding]:
    """What an expression of a task reads below ``$.TASK`` that is never there."""
    match reference.steps[1:3]:
        case ("PARAMS", str(name)) if name not in task.params:
            hint = did_you_mean(name, task.params)
            text = "{path}: task '{task}' has no parameter '{name}'{hint}"
            facts = {"path": reference.text, "task": task.id, "name": name, "hint": hint}
            yield error(codes.UNKNOWN_FIELD, text, where, **facts)
        case ("ERROR", str(name)) if name not in ERROR_FIELDS:
            hint = did_you_mean(name, ERROR_FIELDS)
            text = "{path}: the error of a task has no '{name}'{hint}"
            yield error(codes.UNKNOWN_FIELD, text, where, path=reference.text, name=name, hint=hint)


def alone_findings(definitions: Definitions, job_types: JobTypes) -> Iterator[Finding]:
    """Mistakes in the expressions of jobs and resources that can be seen without a task."""
    for id, job in definitions.jobs.items():
        where: Loc = ("jobs", id)
        yield from _mistakes(sites.read(sites.of_params(job), where))
        yield from _mistakes(sites.read(sites.of_job(job, job_types), where))
    for id, resource in definitions.resources.items():
        yield from _mistakes(sites.read(sites.of_resource(resource), ("resources", id)))


def _mistakes(reads: Iterator[Read]) -> Iterator[Finding]:
    return (read.finding for read in reads if read.finding is not None)
