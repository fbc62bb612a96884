"""What a fix holds: what it repairs, what it changes, what runs again, and a letter in plain words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from datetime import timedelta
from typing import Any

from engine.model.codes.desk import NOT_A_FIX
from engine.model.errors import Refused
from engine.model.message import Message
from engine.model.plain_words import wording
from export_import.container.form import ReadLimits
from export_import.container.strict_json import parse

FORMAT = "skerry-fix/1"
PLAN = "plan.json"
LETTER = "letter.txt"
LARGEST = 16 << 20  # bytes of a plan
LONGEST = timedelta(days=3650)  # that a fix may be good for
_ID = re.compile(r"[0-9a-f]{32}")
_KINDS = frozenset({"resource", "job", "task", "calendar", "rule", "error"})
_MODES = frozenset({"all", "from", "failed", "only"})


@dataclass(frozen=True, slots=True)
class RepairedInstance:
    """The instance that is repaired, as the supporter saw it. ``site_hash`` is the site's own of its log."""

    instance: int
    task: str
    run: int
    seq: int
    time: str
    site_hash: str | None = None
    definitions_hash: str | None = None  # the site's own, of the definitions as run


@dataclass(frozen=True, slots=True)
class FixDefinition:
    """A definition as it is to be; ``was`` is what the supporter saw (None: there was none)."""

    kind: str
    id: str
    was: Any
    content: Any


@dataclass(frozen=True, slots=True)
class FixValue:
    """A value of the context as it shall be, and as the supporter saw it."""

    path: str
    was: Any
    value: Any
    reason: str


@dataclass(frozen=True, slots=True)
class RerunPlan:
    """What runs again when all is applied; ``current``: by the definitions current then."""

    mode: str
    nodes: tuple[str, ...] = ()
    with_upstream: bool = False
    current: bool = False


@dataclass(frozen=True, slots=True)
class Fix:
    """The whole. ``site`` is the fingerprint of the site's key, ``expires`` ISO 8601 with offset."""

    id: str
    title: str
    letter: str
    made_at: str
    expires: str
    site: str | None
    target: RepairedInstance | None = None
    definitions: tuple[FixDefinition, ...] = ()
    values: tuple[FixValue, ...] = ()
    rerun: RerunPlan | None = None

    def to_json(self) -> dict[str, Any]:
        return {"format": FORMAT, **asdict(self)}


def letter_of(fix: Fix) -> bytes:
    """The letter as it lies in the bundle, for who reads it without this program."""
    return f"{fix.title}\n\n{fix.letter}\n".encode()


def is_id(text: object) -> bool:
    """Whether that can be the id of a fix or a delivery: files here are called by it."""
    return isinstance(text, str) and _ID.fullmatch(text) is not None


def read_fix(data: bytes) -> Fix:
    """The fix that a plan describes; Refused when it has not the form of one. Only of a verified bundle."""
    tree = parse(data, ReadLimits(), PLAN)
    if tree.pop("format", None) != FORMAT:
        raise Refused.at(NOT_A_FIX, "{where} is no {format}", PLAN, format=FORMAT)
    try:
        return _fix(tree)
    except (TypeError, ValueError, KeyError, AttributeError) as problem:
        raise Refused.at(
            NOT_A_FIX, "{where}: {problem}", PLAN, problem=wording(problem, "it has not the form of a fix")
        ) from problem


def _fix(tree: dict[str, Any]) -> Fix:
    target = _typed(RepairedInstance, tree["target"], instance=int, run=int, seq=int, task=str, time=str)
    definitions = tuple(_typed(FixDefinition, each, kind=str, id=str) for each in tree["definitions"])
    values = tuple(_typed(FixValue, each, path=str, reason=str) for each in tree["values"])
    rerun = _typed(RerunPlan, tree["rerun"], mode=str, with_upstream=bool, current=bool)
    if any(each.kind not in _KINDS or each.content is None for each in definitions):
        raise ValueError("a definition of an unknown kind, or without content")
    _only_once([(each.kind, each.id) for each in definitions])
    _only_once([each.path for each in values])
    if not is_id(tree["id"]):
        raise ValueError("its id is not 32 hexadecimal digits")
    if rerun is not None:
        rerun = _rerun(rerun)
    rest = {**tree, "target": target, "definitions": definitions, "values": values, "rerun": rerun}
    found: Fix = _typed(Fix, rest, id=str, title=str, letter=str, made_at=str, expires=str)
    return found


def _only_once(names: Iterable[object]) -> None:
    seen: set[object] = set()
    for name in names:
        if name in seen:
            raise ValueError(Message.of("{name} is there twice", name=name))
        seen.add(name)


def _rerun(plan: RerunPlan) -> RerunPlan:
    nodes = tuple(plan.nodes)
    if plan.mode not in _MODES or not all(isinstance(node, str) for node in nodes):
        raise ValueError("the rerun is none that there is")
    return RerunPlan(plan.mode, nodes, plan.with_upstream, plan.current)


def _typed(made: Any, tree: Mapping[str, Any] | None, **kinds: type) -> Any:
    """``made`` from a map that has exactly its fields; ValueError where a value is of another type."""
    if tree is None:
        return None
    if set(tree) != {field.name for field in fields(made)}:
        raise ValueError(Message.of("{type} has other fields", type=made.__name__))
    for name, kind in kinds.items():
        if type(tree[name]) is not kind:
            raise ValueError(Message.of("{name} is no {type}", name=name, type=kind.__name__))
    return made(**tree)
