"""YAML text as nodes with places: one document, no surprises of YAML 1.1, no bottomless nesting."""

from __future__ import annotations

from typing import Any

import yaml
from yaml import Node

from engine.definitions import scalars
from engine.definitions.document import MAX_DEPTH, SourceDocument, build, failed
from engine.definitions.yaml_words import wording
from engine.model.codes import definitions as codes
from engine.model.message import Message


class _TooDeep(Exception):
    def __init__(self, node: Node | None) -> None:
        self.mark = node.start_mark if node else None


class _Strict(yaml.CSafeLoader):
    """Composes nodes whose tags follow the core types of YAML 1.2; it never constructs anything."""

    yaml_implicit_resolvers: dict[str, Any] = {}
    depth = 0

    def descend_resolver(self, current_node: Any, current_index: Any) -> None:
        """Called by the composer on its way down; it would follow any depth and crash."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise _TooDeep(current_node)

    def ascend_resolver(self) -> None:
        """Called on its way up."""
        self.depth -= 1


_DIGITS = list("-+0123456789")
_Strict.add_implicit_resolver(f"{scalars.TAG}null", scalars.NULL, ["~", "n", "N", ""])
_Strict.add_implicit_resolver(f"{scalars.TAG}bool", scalars.BOOLEAN, list("tTfF"))
_Strict.add_implicit_resolver(f"{scalars.TAG}int", scalars.INTEGER, _DIGITS)
_Strict.add_implicit_resolver(f"{scalars.TAG}float", scalars.FLOAT, [*_DIGITS, "."])
_Strict.add_implicit_resolver(f"{scalars.TAG}merge", scalars.MERGE, ["<"])


def parse_yaml(name: str, text: str) -> SourceDocument:
    """The document that ``text`` writes, or one whose findings say why there is none."""
    loader = _Strict(text)
    try:
        root = loader.get_single_node()
    except _TooDeep as problem:
        line, column = _place(problem.mark)
        message = Message.of("more than {most} levels deep", most=MAX_DEPTH)
        return failed(name, codes.NESTED_TOO_DEEP, message, line, column)
    except yaml.MarkedYAMLError as problem:
        return _syntax(name, text, problem)
    finally:
        loader.dispose()
    if root is None:
        return failed(name, codes.NOT_A_DEFINITION, "the file is empty")
    return build(name, root)


def _place(mark: Any) -> tuple[int, int]:
    return (mark.line + 1, mark.column + 1) if mark else (1, 1)


def _syntax(name: str, text: str, problem: yaml.MarkedYAMLError) -> SourceDocument:
    line, column = _place(problem.problem_mark or problem.context_mark)
    if problem.context == "expected a single document in the stream":
        return failed(name, codes.SEVERAL_DOCUMENTS, "another document begins here", line, column)
    words = wording(problem, _at(text, line, column))
    return failed(
        name, codes.YAML_SYNTAX, Message.of("not valid YAML: {problem}", problem=words), line, column
    )


def _at(text: str, line: int, column: int) -> str:
    lines = text.splitlines()
    return lines[line - 1][column - 1 : column] if line <= len(lines) else ""
