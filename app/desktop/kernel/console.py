"""What a part of the window is given: the looks, the actions, the way to the engine and around the window."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtGui import QIcon

from app import wiring
from app.desktop.kernel.actions import Actions
from app.desktop.kernel.icons import Icons
from app.desktop.kernel.language import Language, code
from app.desktop.kernel.link import Link
from app.desktop.kernel.overview import Overview
from app.desktop.kernel.reasons import error_line
from app.desktop.kernel.settings import WindowSettings
from app.desktop.kernel.statuses import look_of
from app.desktop.kernel.theme import Theme

if TYPE_CHECKING:
    from engine.model.errors import SkerryError
    from engine.plugins.registry import JobTypes, ResourceTypes


@dataclass(frozen=True, slots=True)
class Target:
    """A place in the window.

    ``kind`` is task, job, resource, instance, code, exception, rule, queue, worker, history, monitor, mode,
    file (``id`` a path), definitions (``id`` a path a line) or admin (``id`` a page of it: secrets, room,
    settings, or export).

    ``id`` is its id as a text (``history``: a task, all of whose runs are shown);
    ``node`` a node of the task or instance; ``detail`` what to show of it
    (``error``, ``log``, ``definition`` …).
    """

    kind: str
    id: str = ""
    node: str | None = None
    detail: str | None = None


class Navigator(Protocol):
    """The window, as its parts see it."""

    def go(self, target: Target) -> None:
        """Show a place: switch the mode and select."""

    def notify(self, text: str, *, bad: bool = False, target: Target | None = None) -> None:
        """A message that does not interrupt; a click on it goes to the target."""


class Nowhere:
    """A navigator for a part that is alone (tests, a window of its own)."""

    def __init__(self) -> None:
        self.gone: list[Target] = []
        self.said: list[str] = []

    def go(self, target: Target) -> None:
        self.gone.append(target)

    def notify(self, text: str, *, bad: bool = False, target: Target | None = None) -> None:
        self.said.append(text)


@dataclass(slots=True)
class Console:
    """The parts that every mode uses; made once by the window, handed down."""

    workspace: Path
    link: Link
    settings: WindowSettings
    language: Language
    theme: Theme
    icons: Icons
    actions: Actions
    navigator: Navigator = field(default_factory=Nowhere)
    _overview: Overview | None = field(default=None, init=False)

    @property
    def job_types(self) -> JobTypes:
        """Every job type; loaded when first asked for."""
        return wiring.job_types()

    def type_label(self, kind: str) -> str:
        """The name of a job type as in the palette, in the language that is on; an unknown one as it is."""
        types = self.job_types
        return types[kind].label[code() != "en"] if kind in types else kind

    @property
    def resource_types(self) -> ResourceTypes:
        """Every resource type; loaded when first asked for."""
        return wiring.resource_types()

    @property
    def overview(self) -> Overview:
        """What the window as a whole watches; begins to beat when it is first asked for."""
        self._overview = self._overview or Overview(self.link, self.workspace, self.link)
        return self._overview

    def refused(self, error: SkerryError) -> None:
        """Say, without interrupting, what could not be done."""
        self.navigator.notify(error_line(error), bad=True)

    def status_icon(self, status: str | None) -> QIcon:
        """The shape of a status in its colour; in that of the text where its own is too pale for a shape."""
        return self.icons.get(look_of(status).icon, self.theme.status_ink(status))
