"""One stream of chance for each decision of a life, so that leaving one out does not shift the others."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random


def chance(seed: int, purpose: str, key: object = "") -> Random:
    """The stream of one decision: the same for the same seed, purpose and key, whatever else is decided."""
    return Random(f"{seed}/{purpose}/{key}")


def one_of(dice: Random, weights: Mapping[str, float]) -> str:
    """A name, as often as its weight says."""
    return dice.choices(list(weights), list(weights.values()))[0]


def between(dice: Random, least: float, most: float) -> float:
    """A number whose size is as uncertain as can be: each tenfold is as likely as the next."""
    return float(least * (most / least) ** dice.random())
