"""The picture of a graph whose nodes and links can be selected, searched and marked."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from app.desktop.canvas.graph import HEIGHT, WIDTH, GraphLink, LinkKey
from app.desktop.canvas.node_item import NodeItem
from app.desktop.canvas.picture import Picture
from app.desktop.kernel.console import Console

_ROOM = 60  # pixels around what is brought into sight, where there are so many


class SelectablePicture(Picture):
    """``selection_changed`` brings a frozenset of node ids."""

    selection_changed = Signal(object)

    def __init__(self, console: Console, parent: QWidget | None = None) -> None:
        super().__init__(console, parent)
        self.scene().selectionChanged.connect(self._selected)

    def select(self, ids: Iterable[str], *, show: bool = False) -> None:
        """Select exactly these; with ``show`` bring the first into sight."""
        wanted = frozenset(ids) & self.items_by_id.keys()
        changed = wanted != self.selected()
        self._quiet = True
        for id, item in self.items_by_id.items():
            if item.isSelected() != (id in wanted):
                item.setSelected(id in wanted)
        self._quiet = False
        if len(wanted) == 1:
            self.shared.here = next(iter(wanted))
        if show and wanted:
            self._bring(self.items_by_id[min(wanted)])
        if changed:
            self._selected()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The one that is selected stays in sight where it was, as when something opens above the picture."""
        chosen = self.selected()
        item = self.items_by_id[min(chosen)] if len(chosen) == 1 else None
        place = self.mapFromScene(item.sceneBoundingRect()).boundingRect() if item is not None else QRect()
        was_seen = place.intersects(QRect(QPoint(), event.oldSize()))
        super().resizeEvent(event)
        if item is not None and was_seen and not self._fitted:
            self._bring(item)

    def _bring(self, item: NodeItem) -> None:
        """Scroll until it is in sight, with some room around it; what is fitted into the view stays."""
        port = self.viewport().rect()
        place = self.mapFromScene(item.sceneBoundingRect()).boundingRect()
        if self._fitted and port.contains(place):
            return
        left = port.size() - place.size()
        across, down = (max(0, min(_ROOM, side // 2)) for side in left.toTuple())
        self.ensureVisible(item, across, down)

    def _selected(self) -> None:
        if self._quiet:
            return
        chosen = self.selected()
        self._overview.recolour()
        self.links.chosen = None
        self.links.strong = frozenset(key for id in chosen if len(chosen) < 50 for key in self.links.of(id))
        self.viewport().update()
        self._describe()
        self.selection_changed.emit(chosen)

    def select_link(self, link: GraphLink | None) -> None:
        self.select(())
        self.links.chosen = link.key if link else None
        self.viewport().update()

    def selected(self) -> frozenset[str]:
        return frozenset(id for id, item in self.items_by_id.items() if item.isSelected())

    def highlight(self, ids: Iterable[str] | None) -> None:
        """Ring these nodes and dim the others; None: there is no search."""
        found = frozenset(ids or ())
        for id, item in self.items_by_id.items():
            item.found, item.dim = id in found, ids is not None and id not in found
            item.update()
        self._overview.recolour()
        self.viewport().update()

    def search(self, text: str) -> list[str]:
        """The nodes whose id, title, type, its name or subtitle holds a text, in the task's order; ringed."""
        wanted = text.strip().casefold()
        if not wanted:
            self.highlight(None)
            return []
        found = [id for id in self.order() if wanted in self._words(self.items_by_id[id])]
        self.highlight(found)
        return found

    def _words(self, item: NodeItem) -> str:
        node = item.node
        said = self.shared.type_names.get(node.type, "")
        return " ".join((node.id, node.title, node.type, said, node.subtitle)).casefold()

    def show_links(self, keys: Iterable[LinkKey]) -> None:
        """Draw these links strongly, such as the one that a value comes over."""
        self.links.strong = frozenset(keys)
        self.viewport().update()

    def inside(self, area: QRectF) -> frozenset[str]:
        """The nodes that a rectangle of the scene touches."""
        body = QRectF(0, 0, WIDTH, HEIGHT)
        found = self.items_by_id.items()
        return frozenset(id for id, item in found if area.intersects(body.translated(item.pos())))

    def node_at(self, where: QPointF) -> str | None:
        hit = next((item for item in self.scene().items(where) if isinstance(item, NodeItem)), None)
        inside = hit is not None and QRectF(0, 0, WIDTH, HEIGHT).adjusted(-6, 0, 6, 0).contains(
            where - hit.pos()
        )
        return hit.node.id if hit is not None and inside else None
