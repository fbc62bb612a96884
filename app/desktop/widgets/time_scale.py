"""Time on a horizontal axis: pixels and moments, round marks, what is painted of a row; pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

_STEPS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600,
          900, 1800, 3600, 7200, 21600, 43200, 86400, 604800)  # fmt: skip
_APART = 90.0  # pixels


@dataclass(frozen=True, slots=True)
class Scale:
    """Time on the horizontal axis: ``begin`` to ``end`` in seconds over ``width`` pixels."""

    begin: float
    end: float
    width: float

    def x(self, time: float) -> float:
        """The pixel of a moment."""
        return (time - self.begin) * self.width / max(self.end - self.begin, 1e-6)

    def time(self, x: float) -> float:
        """The moment of a pixel."""
        return self.begin + x * (self.end - self.begin) / max(self.width, 1.0)

    def zoomed(self, x: float, factor: float) -> Scale:
        """The same with the moment under ``x`` held still."""
        middle = self.time(x)
        return replace(
            self, begin=middle - (middle - self.begin) / factor, end=middle + (self.end - middle) / factor
        )


class Stroke(NamedTuple):
    """A piece of a row as it is painted: pixels, the status of what lies there, how many bars."""

    left: float
    right: float
    status: str
    bars: int = 1


def marks(scale: Scale) -> list[float]:
    """Round moments for the axis, at least _APART pixels from one another."""
    wanted = (scale.end - scale.begin) * _APART / max(scale.width, 1.0)
    step = next((each for each in _STEPS if each >= wanted), _STEPS[-1])
    first = -(-scale.begin // step) * step
    count = int((scale.end - first) // step) + 1
    return [first + step * at for at in range(max(0, min(count, 1000)))]
