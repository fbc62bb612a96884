"""The texts in the source of window and command line that a person can come to see."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
APP = ROOT / "app"
Known = dict[str, list[ast.expr]]

_LOOKED_UP = {  # the arguments of these are looked up: they are in the catalogue, whatever they look like
    "tr": (0,), "trn": (1, 2), "both": (0,), "dock": (1,), "PaneEntry": (1, 2), "worded": (1,), "named": (1, 2), "tipped": (1,), "tool_button": (2,), "button": (0, 2), "add_action": (0,), "tell": (0,), "say": (0,), "state": (0,),
    "EmptyWords": (1,), "ActionSpec": (1, 7), "ModeEntry": (1, 5), "StatusLook": (4,), "TourStep": (0, 1),
}  # fmt: skip
_EACH_LOOKED_UP = {"heads", "facts"}  # each text of what is given to them
_SHOWN = re.compile(  # what these get is seen, so that no letter of it may be written there
    r"set(Text|WindowTitle|Title|ToolTip|TabText|TabToolTip|StatusTip|WhatsThis|PlaceholderText|ItemText"
    r"|InformativeText|AccessibleName|AccessibleDescription|SpecialValueText|H\w+Labels|HeaderLabels?)"
    r"|addItems?|addTab|addAction|addMenu|addRow|addToolBar|addSection|showMessage|drawText|echo"
    r"|Q(Label|PushButton|ToolButton|CheckBox|RadioButton|GroupBox|DockWidget|Action|Menu)"
)
_NOT_SHOWN = re.compile(  # patterns, styles, names of types; errors, which have a code of the catalogue; help
    r"\w*Error|Invalid|Refused|error|compile|search|fullmatch|sub|cast|setStyleSheet|TypeVar|getLogger"
    r"|option|argument|command|group|Cli\w+|version_option|Style|QFont|\w*Spec|ModeEntry|StatusLook"
)
_WORDS = re.compile(r"[A-Za-z]{2,}[,:;.]? [a-z]{2,}|\b[A-Z][a-z]{2,}")  # two in a row, or one with a capital
_NO_WORDS = re.compile(
    r"((Ctrl|Shift|Alt)\+)+.{0,6}|Esc|Del|Return|Enter|Backspace"  # keys
    r"|[\w.]+:\w+|[\w.]+\.|[a-z]+[A-Z]\w+"  # where a class is, something of Qt
    r"|\s*<[^<>]*>?\s*|.*[{};].*:.*",  # a tag, a style
)


def files() -> list[Path]:
    """Every source file of window and command line."""
    return sorted(set(APP.rglob("*.py")) - {APP / "regenerate_codes.py", APP / "regenerate_docs.py"})


@cache
def mentioned(file: Path) -> set[str]:
    """Every text literal of a file."""
    nodes = ast.walk(_tree(file))
    return {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def read_in(file: Path) -> set[str]:
    """The texts of a file that have to be in the catalogue."""
    mentioned(file)  # is asked for next: a file is parsed once
    tree = _tree(file)
    return _looked_up(tree) | set(_shown(tree, False))


def _looked_up(tree: ast.Module) -> set[str]:
    """The texts that are given to what looks texts up, also by the name of a constant or from a table."""
    known = _constants(tree)
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    found = {text for call in calls for text in _given(call, known)} | set(_names_of_facts(tree))
    return {text for text in found if any(sign.isalpha() for sign in text)}


@lru_cache(maxsize=1)  # all of them would fill the memory of each process of tests
def _tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text("utf-8"))


def _shown(node: ast.AST, seen: bool) -> Iterator[str]:
    """The texts below a node that read as words; ``seen``: it is an argument of something that shows it."""
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str) and _reads(node.value, seen):
            yield node.value
        return
    if isinstance(node, ast.Raise) or (isinstance(node, ast.Call) and _NOT_SHOWN.fullmatch(_name(node))):
        return
    if isinstance(node, ast.Call):
        yield from _shown(node.func, False)
        seen = bool(_SHOWN.fullmatch(_name(node)))
    for child in _parts(node):
        yield from _shown(child, seen and not isinstance(child, ast.Call | ast.Subscript | ast.Compare))


def _reads(text: str, seen: bool) -> bool:
    if seen:
        return bool(re.search("[A-Za-z]{2}", text))
    return bool(_WORDS.search(text)) and not _NO_WORDS.fullmatch(text)


def _parts(node: ast.AST) -> Iterator[ast.AST]:
    """What is below a node, without what is for readers of the source: docstrings and annotations."""
    if isinstance(node, ast.AnnAssign):
        yield from [node.value] if node.value else []
    elif isinstance(node, ast.FunctionDef):
        yield from (
            *node.args.defaults,
            *filter(None, node.args.kw_defaults),
            *node.body,
            *node.decorator_list,
        )
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return
    elif isinstance(node, ast.Call):
        yield from (*node.args, *(given.value for given in node.keywords))
    elif not _is_command(node):
        yield from ast.iter_child_nodes(node)


def _is_command(node: ast.AST) -> bool:
    """Where a command is and what it is for, which is help like all that click writes (test_help_words): ``("app.cli.x:y", "…")``."""
    first = node.elts[0] if isinstance(node, ast.Tuple) and node.elts else None
    return isinstance(first, ast.Constant) and bool(re.fullmatch(r"[\w.]+:\w+", str(first.value)))


def _given(call: ast.Call, known: Known) -> Iterator[str]:
    name = _name(call)
    for at in _LOOKED_UP.get(name, ()):
        if at < len(call.args):
            yield from _literals(call.args[at], known)
    if name == "ActionSpec":
        for given in call.keywords:
            if given.arg in ("text", "tip"):
                yield from _literals(given.value, known)
    if call.args and name in _EACH_LOOKED_UP:
        for each in (node for meant in _meant(call.args[0], known) for node in ast.walk(meant)):
            if isinstance(each, ast.Tuple) and name == "facts":
                yield from _literals(each.elts[0], known)
            elif isinstance(each, ast.Constant) and isinstance(each.value, str) and name != "facts":
                yield each.value


def _names_of_facts(tree: ast.Module) -> Iterator[str]:
    """The names that functions of facts give: ``yield "name", value``."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef) and function.name.endswith("facts"):
            for node in ast.walk(function):
                if isinstance(node, ast.Yield) and isinstance(node.value, ast.Tuple):
                    yield from _literals(node.value.elts[0], {})


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


def _name(call: ast.Call) -> str:
    return getattr(call.func, "attr", getattr(call.func, "id", ""))
