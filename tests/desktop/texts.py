"""The English texts of the window, read from its source: which are translated, which any file mentions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

DESKTOP = Path(__file__).parents[2] / "app" / "desktop"
_PLACES = {"tr": (0,), "trn": (1, 2), "dock": (1,)}
_NAMED = {"ActionSpec": (1,), "ModeEntry": (1, 5), "Look": (4,), "Step": (0, 1)}


def files() -> list[Path]:
    """Every source file of the window."""
    return sorted(DESKTOP.rglob("*.py"))


def must_be_translated(file: Path) -> set[str]:
    """Literals given to ``tr``, ``trn``, ``dock``, and the texts of the tables."""
    tree = ast.parse(file.read_text("utf-8"))
    return {text for call in ast.walk(tree) if isinstance(call, ast.Call) for text in _texts(call)}


def mentioned(file: Path) -> set[str]:
    """Every text literal of a file."""
    tree = ast.parse(file.read_text("utf-8"))
    return {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


def _texts(call: ast.Call) -> Iterator[str]:
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    for place in {**_PLACES, **_NAMED}.get(name, ()):
        if place < len(call.args):
            yield from _literal(call.args[place])
    if name == "ActionSpec":
        for given in call.keywords:
            if given.arg in ("text", "tip"):
                yield from _literal(given.value)


def _literal(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value:
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from _literal(node.body)
        yield from _literal(node.orelse)
