"""A person at the window: clicks what can be seen with the pointer of the X server, types, and counts both."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint

from tests.desktop.xvfb.eyes import Eyes, has_keyboard, is_listening, seen
from tests.desktop.xvfb.looks import Look
from tests.waiting import until

_STEPS = 12
_LOOKS = 10


@dataclass
class Person:
    """Acts from a thread of its own; ``clicks`` and ``keys`` are what it took (a typed text is one).

    The texts that it goes by are those of the English window; it finds them in every look.
    """

    eyes: Eyes
    look: Look
    clicks: int = 0
    keys: int = 0
    steps: list[str] = field(default_factory=list)
    _manager: subprocess.Popen[bytes] | None = None

    def click(self, text: str) -> None:
        """The first thing that shows ``text``, as soon as it can be seen and lies still."""
        self._move(text)
        self._hand("click", "1")
        self._counted(click=text)

    def double_click(self, text: str) -> None:
        """Counts as one."""
        self._move(text)
        self._hand("click", "--repeat", "2", "--delay", "60", "1")
        self._counted(click=text)

    def right_click(self, text: str) -> None:
        """For its menu."""
        self._move(text)
        self._hand("click", "3")
        self._counted(click=text)

    def drop_file(self, path: Path, text: str) -> None:
        """Out of another program, onto what shows ``text``; counts as a click."""
        command = [sys.executable, "-m", "tests.desktop.xvfb.file_manager", str(path)]
        self._manager = subprocess.Popen(command, stdout=subprocess.PIPE)
        assert self._manager.stdout is not None
        self._manager.stdout.readline()
        self._drag(QPoint(80, 30), self._still(text))
        self._counted(click=f"{path.name} onto {text}")

    def leave(self) -> None:
        """Close the other program."""
        if self._manager is not None:
            self._manager.terminate()
            self._manager.communicate()

    def press(self, *keys: str) -> None:
        """Each as xdotool names it, such as ``ctrl+k`` or ``Return``."""
        self.waits(is_listening, "the focus")
        for key in keys:
            self._hand("key", key)
            self.keys += 1
            self.steps.append(f"[{key}]")

    def type(self, text: str) -> None:
        """Into whatever has the focus."""
        self.waits(is_listening, "the focus")
        self._hand("type", "--delay", "15", text)
        self.keys += 1
        self.steps.append(f'"{text}"')

    def is_at(self, name: str) -> None:
        """Until the keyboard is where a person sees it before typing on; ``name`` is that of the field."""
        self.waits(lambda: has_keyboard(self.look.text(name)), f"the keyboard in {name!r}")

    def sees(self, text: str) -> QPoint:
        """Where ``text`` is, as soon as it is anywhere."""
        return until(
            lambda: self.eyes.find(self.look.text(text)),
            lambda: f"the sight of {text!r} after {self.steps}, among {self.eyes.look(seen)},",
        )  # type: ignore[no-any-return]

    def waits(self, holds: Callable[[], Any], what: str) -> Any:
        """Until something that is read on the window's thread is so."""
        return until(lambda: self.eyes.look(holds), lambda: f"{what} after {self.steps}")

    def comes(self, holds: Callable[[], Any], what: str) -> Any:
        """Until something outside of the window is so."""
        return until(holds, lambda: f"{what} after {self.steps}")

    def _drag(self, start: QPoint, end: QPoint) -> None:
        words = [*self._to(start), "mousedown", "1", "sleep", "0.2"]
        for step in range(1, _STEPS + 1):
            words += [*self._to(start + (end - start) * step / _STEPS), "sleep", "0.05"]
        self._hand(*words, "sleep", "0.3", "mouseup", "1")

    def _move(self, text: str) -> None:
        self._hand(*self._to(self._still(text)))

    def _to(self, place: QPoint) -> tuple[str, str, str]:
        return "mousemove", str(place.x() * self.look.scale), str(place.y() * self.look.scale)

    def _still(self, text: str) -> QPoint:
        """Its place, once several looks agree: nobody clicks what moves."""
        seen: list[QPoint] = []

        def rests() -> bool:
            seen.append(self.sees(text))
            return len(seen) >= _LOOKS and len({each.toTuple() for each in seen[-_LOOKS:]}) == 1

        until(rests, f"a rest of {text!r}")
        return seen[-1]

    def _hand(self, *words: str) -> None:
        subprocess.run(["xdotool", *words], check=True, timeout=30)

    def _counted(self, click: str) -> None:
        self.clicks += 1
        self.steps.append(f"<{click}>")
