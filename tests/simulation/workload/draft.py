"""A task that is being made up: its nodes so far, and what a further one may follow and read from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from random import Random
from typing import Any, NamedTuple

from tests.simulation.workload.features import FEATURES, OF_VALUES
from tests.simulation.workload.random_streams import one_of

Job = dict[str, Any]
Choose = Callable[[Random], Any]
_KINDS: dict[str, float] = {"n": 0.75, "ok": 0.15, "items": 0.25, "facts": 0.1, "word": 0.15, "paper": 0.08}
KIND_OF = {"n": "number", "ok": "boolean", "items": "list", "facts": "map", "word": "text", "paper": "file"}
LITERALS: tuple[Any, ...] = (0, 7, -2.5, "tide", "", "it's {x} $y", True, None, [1, 2], {"depth": 3}, "海")


class Source(NamedTuple):
    """A node that a later one may read: ``members``, if it becomes several jobs; ``rounds``, if it may run again."""

    node: str
    results: tuple[str, ...] = ()
    params: tuple[str, ...] = ()
    members: int | None = None
    rounds: bool = False
    program: bool = False


class Draft:
    """A task in the making. ``later`` are the tasks that it may start or wait for."""

    def __init__(self, tree: Job, task: str, later: Sequence[str], dice: Random) -> None:
        self.tree = tree
        self.task = task
        self.later = later
        self.dice = dice
        self.nodes: dict[str, Job] = {}
        self.open: list[str] = []  # what further nodes may come after
        self.sources: dict[str, Source] = {}
        self._above: dict[str, frozenset[str]] = {}

    @property
    def params(self) -> dict[str, Any]:
        """The parameters of the task."""
        return self.tree["tasks"][self.task].get("params", {})  # type: ignore[no-any-return]

    def has(self, feature: str) -> bool:
        """Whether the dice give that feature."""
        return self.dice.random() < FEATURES[feature]

    def pick(self, values: Iterable[Any]) -> Any:
        """One of them."""
        return self.dice.choice(tuple(values))

    # -- its nodes -----------------------------------------------------------------------------

    def name(self) -> str:
        """The id of the next node."""
        number = len(self.nodes)
        return "abcdefghijklmnopqrstuvwxyz"[number % 26] + (str(number // 26) if number >= 26 else "")

    def parents(self) -> list[str]:
        """What the next node comes after: mostly what was made last."""
        if not self.open or self.dice.random() < 0.15:
            return []
        many = self.dice.choices((1, 2, 3), (8, 3, 1))[0]
        near = self.open[-4:]
        return sorted(set(self.dice.choices(near, range(1, len(near) + 1), k=many)))

    def add(
        self,
        keys: Job,
        after: Iterable[str] = (),
        *,
        branch_of: str | None = None,
        source: Source | None = None,
        open: bool = True,
    ) -> str:
        """Put a node down; gives its id. In a branch it comes after the condition by itself."""
        name, parents = self.name(), list(after)
        if parents:
            keys["after"] = parents
        above = [*parents, branch_of] if branch_of else parents
        self._above[name] = frozenset(above).union(*(self._above[each] for each in above))
        self.nodes[name] = keys
        self.sources[name] = source or Source(name)
        if open:
            self.open.append(name)
        return name

    def upstream(self, parents: Iterable[str]) -> list[str]:
        """The nodes that have ended when one after ``parents`` begins."""
        found = set(parents).union(*(self._above[each] for each in parents))
        return [each for each in self.nodes if each in found]

    # -- what its jobs are made of -------------------------------------------------------------

    def results(self) -> Job:
        """Results that a program writes by itself."""
        return {
            name: {"kind": KIND_OF[name]}
            for name, often in _KINDS.items()
            if self.dice.random() < often * 0.7
        }

    def values(self, parents: Iterable[str], most: int = 3) -> Job:
        """Parameters, from wherever values come."""
        above = [self.sources[each] for each in self.upstream(parents)]
        return {name: self.value(above) for name in ("x", "y", "z")[: self.dice.randint(0, most)]}

    def given(self, parents: Iterable[str], most: int = 3) -> Job:
        """The key ``params`` with such values, or nothing."""
        params = self.values(parents, most)
        return {"params": params} if params else {}

    def value(self, above: Sequence[Source]) -> Any:
        """A value or an expression that reads one of ``above``."""
        readers = dict(_readers(above, tuple(self.params)))
        weights = {name: OF_VALUES[name] for name in readers}
        return readers[one_of(self.dice, weights)](self.dice)

    def number(self, parents: Iterable[str]) -> str | None:
        """An expression that gives a number of a node before, if there is one."""
        found = [each for each in self.upstream(parents) if self.sources[each].members is None]
        numbers = [each for each in found if "n" in self.sources[each].results]
        return f"$.JOB['{self.pick(numbers)}'].RESULT['n']" if numbers else None


def _readers(above: Sequence[Source], params: Sequence[str]) -> Iterator[tuple[str, Choose]]:
    """The kinds of values that can be had here, each with what gives one."""
    yield "literal", lambda dice: dice.choice(LITERALS)
    yield "date", lambda _: "{$.TASK.SCHEDULED_TIME}:DATE:-1d:%Y%m%d"
    if params:
        yield "task parameter", lambda dice: f"$.TASK.PARAMS['{dice.choice(params)}']"
    single = [each for each in above if each.members is None]
    if single:
        yield "attempt", lambda dice: f"$.JOB['{dice.choice(single).node}'].ATTEMPT"
    yield from _of_results([each for each in single if each.results])
    yield from _of_programs([each for each in single if each.program])
    if given := [each for each in single if each.params]:
        yield "parameter of a job", lambda dice: _field(dice, given, "PARAMS")
    if several := [each for each in above if each.members and each.results]:
        yield "of a member", lambda dice: _field(dice, several, "RESULT", "[0]")
        yield "of all members", lambda dice: _field(dice, several, "RESULT", "[*]")
    if again := [each for each in single if each.rounds]:
        yield "earlier round", lambda dice: f"$.ROUNDS['{dice.choice(again).node}'][0].RESULT['n']"


def _of_results(found: Sequence[Source]) -> Iterator[tuple[str, Choose]]:
    if found:
        yield "result", lambda dice: _field(dice, found, "RESULT")
        yield "result by position", lambda dice: f"$.JOB['{dice.choice(found).node}'].RESULT[0]"
        yield "text with a value", lambda dice: f"so much of {{{_field(dice, found, 'RESULT')}}}"


def _of_programs(found: Sequence[Source]) -> Iterator[tuple[str, Choose]]:
    if found:
        yield "output", lambda dice: f"$.JOB['{dice.choice(found).node}'].OUTPUT"
        yield "exit code", lambda dice: f"$.JOB['{dice.choice(found).node}'].EXIT_CODE"
        yield (
            "pattern",
            lambda dice: (
                f"{{$.JOB['{dice.choice(found).node}'].OUTPUT}}:REGEX{dice.choice(('', '?'))}:done (\\d+)"
            ),
        )


def _field(dice: Random, found: Sequence[Source], field: str, member: str = "") -> str:
    source = dice.choice(found)
    name = dice.choice(source.results if field == "RESULT" else source.params)
    return f"$.JOB['{source.node}']{member}.{field}['{name}']"
