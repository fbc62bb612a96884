"""The one table of actions: menus, tool bars, shortcuts, the locator and the shortcut page come from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from app.desktop.kernel.icons import Icons
from app.desktop.kernel.language import tr, translated

MENUS = ("File", "Edit", "View", "Run", "Tools", "Window", "Help")


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """One thing a person can do.

    ``id`` like ``design.undo``; ``text`` and ``tip`` are English source texts; ``keys`` in Qt's
    portable form, the first is shown; ``mode`` None: everywhere; ``menu`` one of MENUS;
    ``group`` orders within the menu, a separator is drawn between groups.
    """

    id: str
    text: str
    keys: tuple[str, ...] = ()
    icon: str | None = None
    menu: str | None = None
    group: int = 0
    mode: str | None = None
    tip: str = ""
    tool: bool = False  # also on the tool bar
    checkable: bool = False


class Actions:
    """The actions of a window by id."""

    def __init__(self, icons: Icons) -> None:
        self._icons = icons
        self._made: dict[str, tuple[ActionSpec, QAction]] = {}
        self._refused: dict[str, str] = {}

    def add(self, spec: ActionSpec, owner: QWidget, do: Callable[[], object]) -> QAction:
        """Make an action of ``owner``; its shortcut works inside it (in the whole window with mode None)."""
        action = QAction(owner)
        action.setShortcuts([QKeySequence(key) for key in spec.keys])
        inside = Qt.ShortcutContext.WidgetWithChildrenShortcut
        action.setShortcutContext(inside if spec.mode else Qt.ShortcutContext.WindowShortcut)
        action.setCheckable(spec.checkable)
        action.triggered.connect(lambda _checked=False: do())
        owner.addAction(action)
        self._made[spec.id] = (spec, action)
        translated(owner, lambda: self._word(spec, action))
        self._dress(spec, action)
        return action

    def add_all(
        self, specs: Iterable[ActionSpec], owner: QWidget, does: Mapping[str, Callable[[], object]]
    ) -> None:
        """Make those of a table; ``does`` says by the id what each one does."""
        for spec in specs:
            self.add(spec, owner, does[spec.id])

    def get(self, id: str) -> QAction:
        """The action of an id; KeyError when there is none."""
        return self._made[id][1]

    def find(self, id: str) -> QAction | None:
        """The action of an id, if the window has it now."""
        made = self._made.get(id)
        return made[1] if made is not None and isValid(made[1]) else None

    def refuse(self, id: str, why: str) -> None:
        """Grey an action for a reason, an English source text that its tip says; empty: it can be done."""
        spec, action = self._made[id]
        action.setEnabled(not why)
        if self._refused.get(id, "") != why:
            self._refused[id] = why
            self._word(spec, action)

    def refusal(self, id: str) -> str:
        """Why an action is grey, as a source text; empty where it is not, or nobody said why."""
        return self._refused.get(id, "")

    def all(self) -> Iterator[tuple[ActionSpec, QAction]]:
        """Every action that still lives with its specification, in the order in which they were added."""
        yield from [each for each in self._made.values() if isValid(each[1])]

    def _dress(self, spec: ActionSpec, action: QAction) -> None:
        if spec.icon:
            action.setIcon(self._icons.get(spec.icon))

    def _word(self, spec: ActionSpec, action: QAction) -> None:
        action.setText(tr(spec.text))
        keys = f" ({spec.keys[0]})" if spec.keys else ""
        why = f"\n{tr(refused)}" if (refused := self._refused.get(spec.id)) else ""
        action.setToolTip(tr(spec.tip or spec.text).replace("&", "") + keys + why)
        action.setStatusTip(tr(refused) if refused else "")
