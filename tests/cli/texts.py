"""The English texts of the command line, read from its source: those that people may read in Chinese."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

Known = dict[str, list[ast.expr]]
CLI = Path(__file__).parents[2] / "app" / "cli"
_SPOKEN = {"tell", "say", "state"}  # what is given to them is looked up
_NAMED = {"heads", "say_all", "facts"}  # each text of what is given to them


def files() -> list[Path]:
    """Every source file of the command line."""
    return sorted(CLI.glob("*.py"))


def spoken(file: Path) -> set[str]:
    """Texts that are looked up: given to ``tell`` or ``say``, heads of tables, names of facts."""
    tree = ast.parse(file.read_text("utf-8"))
    known = _constants(tree)
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    found = {text for call in calls for text in _of(call, known)} | set(_yielded(tree))
    return {text for text in found if any(sign.isalpha() for sign in text)}


def _yielded(tree: ast.Module) -> Iterator[str]:
    """The names that functions of facts give: ``yield "name", value``."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef) and function.name.endswith("facts"):
            for node in ast.walk(function):
                if isinstance(node, ast.Yield) and isinstance(node.value, ast.Tuple):
                    yield from _literals(node.value.elts[0], {})


def _of(call: ast.Call, known: Known) -> Iterator[str]:
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    if call.args and name in _SPOKEN:
        yield from _literals(call.args[0], known)
    elif call.args and name in _NAMED:
        for each in (node for meant in _meant(call.args[0], known) for node in ast.walk(meant)):
            if isinstance(each, ast.Tuple) and name == "facts":
                yield from _literals(each.elts[0], known)
            elif isinstance(each, ast.Constant) and isinstance(each.value, str) and name != "facts":
                yield each.value


def _literals(given: ast.expr, known: Known) -> Iterator[str]:
    """The texts that an expression may be."""
    for node in _meant(given, known):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.IfExp):
            yield from _literals(node.body, known)
            yield from _literals(node.orelse, known)
        elif isinstance(node, ast.Subscript):
            for table in _meant(node.value, known):
                for value in table.values if isinstance(table, ast.Dict) else ():
                    yield from _literals(value, known)


def _meant(node: ast.expr, known: Known) -> list[ast.expr]:
    """What a name may stand for."""
    return known.get(node.id, []) if isinstance(node, ast.Name) else [node]


def _constants(tree: ast.Module) -> Known:
    """All that names are given, anywhere in a file."""
    found: Known = {}
    for node in ast.walk(tree):
        named = isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        if named and not isinstance(node.value, ast.Name):
            found.setdefault(node.targets[0].id, []).append(node.value)
    return found
