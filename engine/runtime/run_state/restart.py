"""A further run of an instance: which nodes run again, which edits precede it, where it begins.

The original values stay in the log; an edit is a further line. What runs on an edited value says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from engine.model.expression.path import read_path
from engine.model.reason import Kind, Reason
from engine.model.states import JobState, RerunMode
from engine.planning.progress import Progress
from engine.planning.rerun import RerunSelection, resumed, select
from engine.planning.rules import Outcome
from engine.planning.shape import Plan

if TYPE_CHECKING:
    from engine.store.rows import JobRow

_SKIPPED_AS = {
    Kind.PARENT_FAILED: Outcome.BLOCKED,
    Kind.STOPPED: Outcome.BLOCKED,
    Kind.DISABLED: Outcome.OK,
}


@dataclass(frozen=True)
class Edit:
    """An operator's change of one value of the context."""

    path: str
    steps: tuple[str | int, ...]
    value: Any
    reason: str
    actor: str


@dataclass(frozen=True)
class Past:
    """The states of an instance's nodes after its earlier runs."""

    outcomes: Mapping[str, Outcome] = field(default_factory=dict)
    branches: Mapping[str, str] = field(default_factory=dict)  # condition -> the key it took
    rounds: Mapping[str, int] = field(default_factory=dict)
    based_on_edit: frozenset[str] = frozenset()

    @classmethod
    def of_rows(cls, plan: Plan, rows: Iterable[JobRow]) -> Past:
        """From the JobInstances in the order they were made: the last round of the last run counts."""
        latest: dict[str, dict[int | None, JobRow]] = {}
        for row in rows:
            group = latest.setdefault(row.node, {})
            if group and (row.run, row.round) != _run_and_round(group):
                group.clear()
            group[row.index] = row
        of_nodes = {id: list(latest[id].values()) for id in plan.nodes if id in latest}
        return cls(
            outcomes={id: outcome_of(plan, id, group) for id, group in of_nodes.items()},
            branches={id: group[0].branch for id, group in of_nodes.items() if group[0].branch is not None},
            rounds={id: group[0].round for id, group in of_nodes.items()},
            based_on_edit=frozenset(
                id for id, group in of_nodes.items() if any(row.based_on_edit for row in group)
            ),
        )


def _run_and_round(group: Mapping[int | None, JobRow]) -> tuple[int, int]:
    row = next(iter(group.values()))
    return row.run, row.round


def outcome_of(plan: Plan, node: str, group: list[JobRow]) -> Outcome:
    """What a node came to by the states of its members in one round."""
    states = [JobState(row.status) for row in group]
    if any(state.bad or not state.ended for state in states):
        return Outcome.OK if plan.nodes[node].node.continue_on_failure else Outcome.BAD
    if any(state is JobState.SUCCEEDED for state in states):
        return Outcome.OK
    why = group[0].because
    return _SKIPPED_AS.get(why.kind, Outcome.SKIPPED) if why else Outcome.SKIPPED


@dataclass(frozen=True)
class Restart:
    """What a further run begins with; it is kept with the run so that it can be taken up."""

    selection: RerunSelection
    past: Past
    afresh: bool = False  # all of it was asked for: edits are taken back
    after: tuple[int, ...] = ()  # the instances whose rerun brought this one about
    takes: Mapping[str, int] = field(default_factory=dict)  # task job -> the instance it need not start

    @classmethod
    def choose(
        cls,
        plan: Plan,
        past: Past,
        mode: RerunMode,
        nodes: Iterable[str] = (),
        *,
        with_upstream: bool = False,
    ) -> Restart:
        """Invalid when there is nothing to run or a node is not known."""
        selection = select(plan, past.outcomes, mode=mode, nodes=nodes, with_upstream=with_upstream)
        return cls(selection, past, afresh=mode == "all")

    @property
    def why(self) -> Reason | None:
        """What brought it about; None: it was asked for by itself."""
        return Reason.of(Kind.RUN_AGAIN, instances=list(self.after)) if self.after else None

    def progress(self, plan: Plan) -> Progress:
        """The rules from where the run begins."""
        again = set(self.selection.run)
        rounds = {id: round for id, round in self.past.rounds.items() if id not in again}
        return resumed(plan, self.selection, self.past.outcomes, branches=self.past.branches, rounds=rounds)

    def to_json(self) -> dict[str, Any]:
        """For the run's row."""
        past = {**asdict(self.past), "based_on_edit": sorted(self.past.based_on_edit)}
        payload = {"selection": asdict(self.selection), "past": past, "afresh": self.afresh}
        return {**payload, "after": list(self.after), "takes": dict(self.takes)}

    @classmethod
    def from_json(cls, tree: Mapping[str, Any]) -> Restart | None:
        """What a run began with; None for a first run."""
        if "selection" not in tree:
            return None
        chosen: dict[str, Any] = tree["selection"]
        fields: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in chosen.items()
        }
        past = dict(tree["past"])
        past["outcomes"] = {node: Outcome(value) for node, value in past["outcomes"].items()}
        past["based_on_edit"] = frozenset(past["based_on_edit"])
        more = {"after": tuple(tree.get("after", ())), "takes": tree.get("takes", {})}
        return cls(RerunSelection(**fields), Past(**past), bool(tree.get("afresh", False)), **more)


def place(node: str, index: int | None) -> str:
    """A name for a job or a member of a batch."""
    return node if index is None else f"{node}[{index}]"


def simple_steps(text: str) -> tuple[str | int, ...]:
    """The steps of a path as far as they are names and indices: ``$.JOB['x'][*].RESULT`` -> JOB, x."""

    return tuple(step for step in read_path(text).steps if isinstance(step, (str, int)))


def overlaps(edited: Iterable[tuple[str | int, ...]], read: tuple[str | int, ...]) -> bool:
    """Whether a path that was read is, holds or lies in one that was edited."""
    return any(path[: len(read)] == read[: len(path)] for path in edited)
