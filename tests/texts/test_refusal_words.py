"""Whatever is refused is a template with facts, and the template has its Chinese: in every package, at every place."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from app.texts import catalogue
from tests.texts.source import ROOT

ERRORS = {"SkerryError", "Refused", "Invalid"}
PACKAGES = ("app", "engine", "export_import", "jobs_builtin", "resources")
Values = dict[str, list[ast.expr]]


@pytest.mark.parametrize("package", PACKAGES)
def test_every_refusal_is_a_template_that_has_its_chinese(package: str) -> None:
    texts = dict(_templates(ROOT / package))

    assert len(texts) > 20
    assert {text: place for text, place in texts.items() if text not in catalogue("zh", "failures*")} == {}


@pytest.mark.parametrize("package", PACKAGES)
def test_no_refusal_is_put_together_where_it_is_raised(package: str) -> None:
    assert [place for place, each in _messages(ROOT / package) if isinstance(each, ast.JoinedStr)] == []


def _templates(folder: Path) -> Iterator[tuple[str, str]]:
    for place, each in _messages(folder):
        if isinstance(each, ast.Constant) and isinstance(each.value, str) and each.value:
            yield each.value, place


def _messages(folder: Path) -> Iterator[tuple[str, ast.expr]]:
    """Each expression that an error of the folder has as its message, and where it is."""
    for file in sorted(folder.rglob("*.py")):
        tree = ast.parse(file.read_text("utf-8"))
        functions = [each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)]
        of_module = _assigned(tree.body)
        for function in functions:
            known = _assigned(ast.walk(function))
            for call in (each for each in ast.walk(function) if isinstance(each, ast.Call)):
                for given in _given(call):
                    place = f"{file.relative_to(ROOT)}:{call.lineno}"
                    yield from ((place, each) for each in _meant(given, {**of_module, **known}))


def _given(call: ast.Call) -> list[ast.expr]:
    """What a call makes a message of, if it makes one."""
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr="at", value=ast.Name(id=name)) if name in ERRORS:
            return call.args[1:2]
        case ast.Name(id="refused") | ast.Name(id="unfit") | ast.Attribute(attr="unfit"):
            return call.args[1:2]
        case ast.Name(id="damaged") if len(call.args) == 1:
            return call.args
        case ast.Attribute(attr="of", value=ast.Name(id="Message")) | ast.Attribute(attr="reword"):
            return call.args[:1]
    return []


def _meant(given: ast.expr, known: Values) -> Iterator[ast.expr]:
    """The expressions that it may be, names that stand for a text looked up."""
    match given:
        case ast.IfExp(body=first, orelse=second):
            yield from (*_meant(first, known), *_meant(second, known))
        case ast.Name(id=name):
            yield from (each for value in known.get(name, ()) for each in _meant(value, {}))
        case _:
            yield given


def _assigned(nodes: Iterable[ast.AST]) -> Values:
    found: Values = {}
    for each in nodes:
        match each:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                found.setdefault(name, []).append(value)
    return found
