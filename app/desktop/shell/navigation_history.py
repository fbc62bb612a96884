"""Where the person has been in the window, to go back and forward; no Qt."""

from __future__ import annotations

from dataclasses import dataclass, field

from app.desktop.kernel.console import Target

_MOST = 100


@dataclass(slots=True)
class NavigationHistory:
    """Places in order; going somewhere new drops what lay ahead."""

    _places: list[Target] = field(default_factory=list)
    _here: int = -1

    def went(self, target: Target) -> None:
        if self._here >= 0 and self._places[self._here] == target:
            return
        self._places = [*self._places[: self._here + 1], target][-_MOST:]
        self._here = len(self._places) - 1

    def back(self) -> Target | None:
        """The place before; None at the beginning."""
        if self._here <= 0:
            return None
        self._here -= 1
        return self._places[self._here]

    def forward(self) -> Target | None:
        """The place after; None at the end."""
        if self._here + 1 >= len(self._places):
            return None
        self._here += 1
        return self._places[self._here]
