"""The DAG of a task as its definition says it: jobs found, branches bound, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from engine.model.codes import planning as codes
from engine.model.codes.definitions import CONFLICTING_KEYS, WRONG_TYPE
from engine.model.control import Branch, ConditionKeys, Member
from engine.model.definitions import Definitions
from engine.model.errors import SkerryError
from engine.model.expression import compile_value, looks_like_condition
from engine.model.findings import Finding, Loc, error, warning
from engine.model.job import Job, ResourceRef
from engine.model.message import Message
from engine.model.names import HANDLER, is_handler
from engine.model.plain_words import quoted
from engine.model.task import Node, Task
from engine.planning.dag import cycles, reach
from engine.planning.names import did_you_mean
from engine.planning.outline import Arrow, Key, Outline, outline
from engine.planning.sequence import in_sequence


@dataclass(frozen=True, slots=True)
class Graph:
    """What can be understood of a task, right or not.

    ``jobs`` lacks the nodes whose job is unknown.
    """

    task: Task
    jobs: Mapping[str, Job]
    outline: Outline

    def branches(self, node: str) -> Mapping[str, Branch]:
        """The branches of a condition; nothing for any other node."""
        job = self.jobs.get(node)
        return job.settings.branches if job and isinstance(job.settings, ConditionKeys) else {}

    def conditions(self) -> Iterator[tuple[str, str, Branch]]:
        """Every branch of the task with its condition and key."""
        for node in self.jobs:
            for key, branch in self.branches(node).items():
                yield node, key, branch


def read(task: Task, definitions: Definitions) -> Graph:
    """The graph of ``task``; what does not fit together is left out here and reported by ``findings``."""
    jobs = {id: job for id, node in task.nodes.items() if (job := job_of(node, definitions))}
    bare = Graph(task, jobs, Outline())
    return Graph(task, jobs, outline(task.nodes, _arrows(bare)))


def _arrows(graph: Graph) -> Iterator[Arrow]:
    implied = _sequence(graph)
    for node in graph.task.nodes.values():
        yield from (Arrow(parent, node.id) for parent in (*node.after, *implied.get(node.id, ())))
    for condition, key, branch in graph.conditions():
        yield from (Arrow(condition, node, "branch", key) for node in branch.run)


def _sequence(graph: Graph) -> Mapping[str, list[str]]:
    nodes = graph.task.nodes
    if not graph.task.sequence:
        return {}
    own = {id for id, node in nodes.items() if "after" in node.model_fields_set}
    return in_sequence(nodes, own, {node for *_, branch in graph.conditions() for node in branch.run})


def job_of(node: Node | Member, definitions: Definitions) -> Job | None:
    """The job that a node, or a member of a group, uses: written inline, or found by its id."""
    return node.job if isinstance(node.job, Job) else definitions.jobs.get(node.job)


def node_path(task: Task, node: str, *rest: str | int) -> Loc:
    """The path of a node in the file's tree."""
    if is_handler(node):
        return ("tasks", task.id, "on_end", node.removeprefix(HANDLER), *rest)
    return ("tasks", task.id, "nodes", node, *rest)


def job_path(task: Task, node: str) -> Loc:
    """The path of a node's job in the file's tree: at the node when it is inline."""
    job = task.nodes[node].job
    return node_path(task, node) if isinstance(job, Job) else ("jobs", job)


def findings(graph: Graph, definitions: Definitions) -> Iterator[Finding]:
    """Everything that is wrong with the nodes and the arrows between them."""
    for node in graph.task.nodes.values():
        yield from _node_findings(graph, node, definitions)
    yield from _branch_findings(graph)
    for cycle in cycles(graph.outline.parents) if len(graph.outline.sorts) < len(graph.task.nodes) else ():
        path = " -> ".join((*cycle, cycle[0]))
        where = node_path(graph.task, cycle[0], "after")
        message = "the nodes of task '{task}' wait for each other: {path}"
        yield error(codes.CYCLE, message, where, task=graph.task.id, path=path)


def _node_findings(graph: Graph, node: Node, definitions: Definitions) -> Iterator[Finding]:
    task = graph.task
    if node.id not in graph.jobs:
        hint = did_you_mean(str(node.job), definitions.jobs)
        message = "there is no job '{job}'{hint}"
        yield error(codes.UNKNOWN_JOB, message, node_path(task, node.id, "job"), job=node.job, hint=hint)
    for index, parent in enumerate(node.after):
        where = node_path(task, node.id, "after", index)
        if parent not in task.nodes:
            yield _unknown_node(task, parent, where)
        elif parent in node.after[:index]:
            yield warning(
                codes.NO_EFFECT, "'{node}' is after '{parent}' twice", where, node=node.id, parent=parent
            )
    if node.parallel is not None and node.for_each is None and not isinstance(node.params, tuple):
        text = "`parallel` only means something for a batch or `for_each`"
        yield warning(codes.NO_EFFECT, text, node_path(task, node.id, "parallel"))
    if node.for_each is not None and isinstance(node.params, tuple):
        text = "a list of `params` and `for_each` are two ways to repeat a node: keep one of the two"
        yield error(CONFLICTING_KEYS, text, node_path(task, node.id, "for_each"))
    if node.for_each is not None and _is_never_a_list(node.for_each):
        text = "`for_each`: expected a list, or an expression that gives one, found {found}"
        where = node_path(task, node.id, "for_each")
        yield error(WRONG_TYPE, text, where, found=quoted(node.for_each))


def _is_never_a_list(value: object) -> bool:
    """A mistake in its writing is found by whoever reads expressions."""
    with suppress(SkerryError):
        return not isinstance(value, list | tuple) and compile_value(value).literal
    return False


def _unknown_node(task: Task, node: str, where: Loc) -> Finding:
    hint = did_you_mean(node, task.nodes)
    message = "task '{task}' has no node '{node}'{hint}"
    return error(codes.UNKNOWN_NODE, message, where, task=task.id, node=node, hint=hint)


def _branch_findings(graph: Graph) -> Iterator[Finding]:
    named: dict[str, Key] = {}
    for condition, key, branch in graph.conditions():
        where = (*job_path(graph.task, condition), "branches", key)
        for node in branch.run:
            if node not in graph.task.nodes:
                yield _unknown_node(graph.task, node, where)
            elif node in named:
                yield error(codes.BRANCH_TWICE, _twice(node, named[node], (condition, key)), where)
            named.setdefault(node, (condition, key))
        yield from _loop_findings(graph, condition, branch, where)
        yield from _reach_findings(graph, condition, key, branch, where)


def _twice(node: str, first: Key, then: Key) -> Message:
    if first == then:
        template = "node '{node}' is named twice in branch '{branch}' of '{condition}'"
        return Message.of(template, node=node, branch=first[1], condition=first[0])
    one, other = (
        Message.of("'{branch}' of '{condition}'", branch=key, condition=id) for id, key in (first, then)
    )
    return Message.of(
        "node '{node}' is named in two branches: {first} and {second}", node=node, first=one, second=other
    )


def _loop_findings(graph: Graph, condition: str, branch: Branch, where: Loc) -> Iterator[Finding]:
    start = branch.from_
    if start is None or not branch.again:
        return
    if start not in graph.task.nodes:
        yield _unknown_node(graph.task, start, (*where, "from"))
    elif start not in reach([condition], graph.outline.parents):
        text = "the loop of '{condition}' goes back to '{start}', from which no way leads to '{condition}'"
        yield error(codes.NOT_BEFORE, text, (*where, "from"), condition=condition, start=start)


def _reach_findings(graph: Graph, condition: str, key: str, branch: Branch, where: Loc) -> Iterator[Finding]:
    if not branch.run:
        return
    if not graph.task.nodes[condition].enabled:
        text = "'{condition}' is switched off, so its branch '{name}' is never taken"
        yield warning(codes.UNREACHABLE, text, where, condition=condition, name=key)
        return
    possible = _possible_keys(graph, condition)
    if possible and key not in possible:
        text = "branch '{name}' of '{condition}' can never be taken: its value is true or false"
        yield error(codes.UNREACHABLE, text, where, name=key, condition=condition)


def _possible_keys(graph: Graph, condition: str) -> set[str]:
    """The keys that a condition can take, where that is known; else nothing."""
    keys = graph.jobs[condition].settings
    assert isinstance(keys, ConditionKeys)
    if not _is_yes_or_no(keys.value):
        return set()
    certain = {"true", "false"}
    return certain if certain <= set(keys.branches) else certain | {"default"}


def _is_yes_or_no(value: object) -> bool:
    if isinstance(value, str):
        return looks_like_condition(value)
    return isinstance(value, (bool, ResourceRef))
