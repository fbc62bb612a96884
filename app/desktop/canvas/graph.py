"""What a canvas shows, as frozen values: nodes, links, frames around nodes, notes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

Point = tuple[float, float]
LinkKind = Literal["after", "branch", "loop"]
LinkKey = tuple[str, str]

WIDTH, HEIGHT = 184.0, 56.0  # of a node, in units of the scene
GRID = 8.0
NOTE_SIZE = (200.0, 72.0)


@dataclass(frozen=True, slots=True)
class GraphNode:
    """One node. ``position`` is its upper left corner; None lets the layout decide.

    ``brief`` is said in the second line where there is no room for status and ``subtitle``; empty: those,
    cut. ``badges`` are short words such as ``×3`` for a batch of three; ``status`` is a state of the
    contract, None where nothing has run; ``faint`` nodes are drawn as switched off.
    """

    id: str
    title: str
    type: str = ""
    subtitle: str = ""
    status: str | None = None
    badges: tuple[str, ...] = ()
    position: Point | None = None
    faint: bool = False
    mark: Literal["", "error", "warning", "added", "removed", "changed"] = ""
    brief: str = ""


class GraphLink(NamedTuple):
    """An arrow: ``after``, a condition's ``branch`` with its key as label, or a ``loop`` back."""

    source: str
    target: str
    kind: LinkKind = "after"
    label: str = ""
    mark: Literal["", "added", "removed"] = ""

    @property
    def key(self) -> LinkKey:
        return self.source, self.target


@dataclass(frozen=True, slots=True)
class GraphFrame:
    """A titled frame around some nodes."""

    id: str
    title: str
    members: frozenset[str]


@dataclass(frozen=True, slots=True)
class GraphNote:
    """A comment that lies on the canvas."""

    id: str
    text: str
    position: Point
    size: Point = NOTE_SIZE


@dataclass(frozen=True, slots=True)
class CanvasGraph:
    nodes: tuple[GraphNode, ...] = ()
    links: tuple[GraphLink, ...] = ()
    frames: tuple[GraphFrame, ...] = ()
    notes: tuple[GraphNote, ...] = ()
    name: str = field(default="", compare=False)

    def only(self, ids: frozenset[str]) -> CanvasGraph:
        """The part between these nodes."""
        nodes = tuple(node for node in self.nodes if node.id in ids)
        links = tuple(link for link in self.links if link.source in ids and link.target in ids)
        return replace(self, nodes=nodes, links=links, frames=(), notes=())

    def positions(self) -> Mapping[str, Point]:
        """Where nodes want to be, of those that say so."""
        return {node.id: node.position for node in self.nodes if node.position is not None}
