"""How well a colour can be told from the one behind it, by WCAG 2.2, and a colour that can."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

READABLE = 4.5  # WCAG 2.2, 1.4.3
_DARK, _LIGHT = "#000000", "#FFFFFF"
_STEPS = 20


def ratio(one: str, other: str) -> float:
    """The contrast of two colours ``#rrggbb``: 1 (the same) to 21 (black on white).

    >>> round(ratio("#000000", "#FFFFFF"))
    21
    """
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


@cache
def on(paper: str) -> str:
    """Black or white, whichever can be read better: 4.58 at least."""
    return max(_LIGHT, _DARK, key=lambda ink: ratio(ink, paper))


@cache
def readable(ink: str, papers: tuple[str, ...]) -> str:
    """The colour itself, or as little darker or lighter as makes it readable on all of these."""
    most = min((_LIGHT, _DARK), key=lambda end: -_least(end, papers))
    for step in range(_STEPS + 1):
        found = _mixed(ink, most, step / _STEPS)
        if _least(found, papers) >= READABLE:
            return found
    return most


def _least(ink: str, papers: Iterable[str]) -> float:
    return min(ratio(ink, paper) for paper in papers)


def _mixed(one: str, other: str, share: float) -> str:
    pairs = zip(_channels(one), _channels(other), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02X}" for a, b in pairs)


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


@cache
def _luminance(colour: str) -> float:
    red, green, blue = (_linear(each / 255) for each in _channels(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(channel: float) -> float:
    return float(channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4)
