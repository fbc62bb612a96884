"""One file as a tree of JSON values that still knows the position of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from yaml import MappingNode, Node, ScalarNode, SequenceNode

from engine.definitions.scalars import TAG, Scalar, UnfitScalar, scalar
from engine.model.codes import definitions as codes
from engine.model.errors import ErrorCode
from engine.model.findings import Finding, Loc, error
from engine.model.plain_words import wording

MAX_DEPTH = 100
MAX_ALIASED = 100_000  # values that aliases may stand for beside their anchors (contract, section 2)
_MERGE = f"{TAG}merge"
_Entries = dict[str, tuple[Node, Node]]


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """``value`` is the tree; ``root`` its nodes, which hold the positions (None: nothing was readable)."""

    name: str
    value: Any = None
    root: Node | None = field(default=None, repr=False, compare=False)
    findings: tuple[Finding, ...] = ()
    # The keys of the maps in which positions were looked up: files may have thousands of each.
    _known: dict[Node, _Entries] = field(default_factory=dict, repr=False, compare=False)

    def position(self, path: Loc, *, key: bool | None = None) -> tuple[int, int]:
        """Line and column from 1 of what ``path`` leads to, or of the last part of it that exists.

        ``key``: the position of its key, or (False) of its value, if that begins on the same line. None is
        what suits most: a map or list is shown at its key, a plain value at itself.
        """
        name, node = self.root, self.root
        for part in path:
            child = self._step(node, part)
            if child is None:
                key = None
                break
            name, node = child
        here = name if name is None or node is None or _by_key(name, node, key) else node
        return (here.start_mark.line + 1, here.start_mark.column + 1) if here else (1, 1)

    def has(self, path: Loc) -> bool:
        """Whether ``path`` leads to something in this file."""
        node = self.root
        for part in path:
            child = self._step(node, part)
            if child is None:
                return False
            node = child[1]
        return node is not None

    def _step(self, node: Node | None, part: str | int) -> tuple[Node, Node] | None:
        """Key node and value node under ``part``; for a list both are the item."""
        if isinstance(node, SequenceNode) and isinstance(part, int):
            return (node.value[part], node.value[part]) if 0 <= part < len(node.value) else None
        if not isinstance(node, MappingNode):
            return None
        if node not in self._known:
            self._known[node] = _entries(node)
        return self._known[node].get(str(part))


def failed(name: str, code: ErrorCode, message: str, line: int = 1, column: int = 1) -> SourceDocument:
    """A file that cannot be read at all, with the reason."""
    return SourceDocument(name, findings=(error(code, message).at(name, line, column),))


def build(name: str, root: Node) -> SourceDocument:
    """The tree under ``root``; everything that makes it less than plain JSON values is a finding."""
    builder = _ValueBuilder(name)
    try:
        value = builder.value(root)
    except _Stop:
        return SourceDocument(name, findings=tuple(builder.findings))
    return SourceDocument(name, value, root, tuple(builder.findings))


def _by_key(name: Node, node: Node, key: bool | None) -> bool:
    """Whether a value is shown at its key; an empty one has no position of its own."""
    if key or (isinstance(node, ScalarNode) and not node.value and not node.style):
        return True
    if isinstance(node, ScalarNode):
        return False
    return key is None or name.start_mark.line != node.start_mark.line


def _entries(node: Node) -> _Entries:
    """Key and value nodes by name: the map's own, the first of each, then those of its merge keys."""
    made: _Entries = {}
    for key, value in node.value if isinstance(node, MappingNode) else ():
        name = key_text(key) if key.tag != _MERGE else None
        if name is not None:
            made.setdefault(name, (key, value))
    for source in _merged(node):
        made = {**_entries(source), **made}
    return made


def _merged(node: Node) -> Iterator[Node]:
    """The maps that merge keys name, the one that counts least first."""
    for key, value in reversed(node.value) if isinstance(node, MappingNode) else ():
        if key.tag == _MERGE:
            yield from reversed(value.value) if isinstance(value, SequenceNode) else (value,)


def key_text(key: Node) -> str | None:
    """A key as JSON has it: ``012`` is '12', ``true`` is 'true'; None when it cannot be a name."""
    if not isinstance(key, ScalarNode):
        return None
    if key.tag == f"{TAG}str":
        return str(key.value)
    try:
        value = scalar(key.tag, key.value)
    except UnfitScalar:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return None if value is None else str(value)


class _Stop(Exception):
    """Reading on makes no sense; the finding is written down."""


class _ValueBuilder:
    """Turns nodes into values, counting what aliases multiply."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.findings: list[Finding] = []
        self._known: dict[Node, tuple[Any, int]] = {}  # what an alias may come back to: value, weight
        self._open: set[Node] = set()
        self._aliased = 0

    def value(self, node: Node, at: Node | None = None) -> Any:
        """The value of ``node``; ``at`` shows where an alias to it is."""
        return self._weighed(node, at or node)[0]

    def _weighed(self, node: Node, at: Node) -> tuple[Any, int]:
        """The value, and how many values it is when written out (a long text counts as several)."""
        known = self._known.get(node)
        if known is not None:
            self._count(known[1], at)
            return known
        if isinstance(node, ScalarNode):
            made = self._scalar(node), 1 + len(node.value) // 1024
        else:
            made = self._collection(node, at)
        self._known[node] = made
        return made

    def _count(self, weight: int, at: Node) -> None:
        self._aliased += weight
        if self._aliased > MAX_ALIASED:
            self._note(
                codes.ALIASES_TOO_LARGE, "aliases expand to more than {most:,} values", at, most=MAX_ALIASED
            )
            raise _Stop

    def _collection(self, node: Node, at: Node) -> tuple[Any, int]:
        if node in self._open:
            self._note(codes.ALIASES_TOO_LARGE, "an alias refers to what it is part of", at)
            raise _Stop
        self._open.add(node)
        made = self._list(node) if isinstance(node, SequenceNode) else self._map(node)
        self._open.discard(node)
        return made

    def _list(self, node: SequenceNode) -> tuple[list[Any], int]:
        self._check_tag(node, "seq")
        items = [self._weighed(item, node) for item in node.value]
        return [value for value, _ in items], 1 + sum(weight for _, weight in items)

    def _map(self, node: Node) -> tuple[dict[str, Any], int]:
        self._check_tag(node, "map")
        made: dict[str, Any] = {}
        weight = 1
        merges: list[tuple[Node, Node]] = []
        for key, value in node.value:
            if key.tag == _MERGE:
                merges.append((key, value))
                continue
            name = self._name(key, made)
            item, size = self._weighed(value, key)
            weight += size
            if name is not None:
                made[name] = item
        for key, value in merges:
            weight += self._merge(made, key, value)
        return made, weight

    def _name(self, key: Node, made: dict[str, Any]) -> str | None:
        name = key_text(key)
        if name is None:
            self._note(codes.KEY_NOT_TEXT, "a key must be a text or a number", key)
        elif name in made:
            self._note(codes.DUPLICATE_KEY, "the key `{name}` appears twice in this map", key, name=name)
            return None
        return name

    def _merge(self, made: dict[str, Any], key: Node, source: Node) -> int:
        """``<<``: what the map itself has wins, then the earlier source."""
        weight = 0
        for each in source.value if isinstance(source, SequenceNode) else (source,):
            value, size = self._weighed(each, key)
            weight += size
            if not isinstance(value, dict):
                self._note(codes.WRONG_TYPE, "`<<` takes a map or a list of maps", key)
                continue
            for name, item in value.items():
                made.setdefault(name, item)
        return weight

    def _scalar(self, node: ScalarNode) -> Scalar:
        if node.tag == f"{TAG}str":
            return str(node.value)
        try:
            return scalar(node.tag, node.value)
        except UnfitScalar as problem:
            if node.tag in {f"{TAG}{own}" for own in ("null", "bool", "int", "float")}:
                self._note(
                    codes.NUMBER_TOO_LARGE,
                    "`{value}` cannot be kept: {problem}",
                    node,
                    value=node.value[:40],
                    problem=wording(problem),
                )
            else:
                self._refuse_tag(node)
            return None

    def _check_tag(self, node: Node, own: str) -> None:
        if node.tag != f"{TAG}{own}":
            self._refuse_tag(node)

    def _refuse_tag(self, node: Node) -> None:
        shown = node.tag.replace(TAG, "!!")
        self._note(codes.TAG_REFUSED, "the tag `{tag}` is not allowed", node, tag=shown)

    def _note(self, code: ErrorCode, template: str, node: Node, **facts: object) -> None:
        mark = node.start_mark
        self.findings.append(error(code, template, **facts).at(self.name, mark.line + 1, mark.column + 1))
