"""Conditions as rows that are filled in: read from the contract's text and written back to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from app.desktop.design.picker.bindings import PathBinding
from engine.model.errors import SkerryError
from engine.model.expression import as_number, compile_condition
from engine.model.expression.condition import Compared, Joined, Negated
from engine.model.expression.texts import Extraction, Whole
from engine.model.expression.tokens import Constant


@dataclass(frozen=True, slots=True)
class Operand:
    """One side: bound to something, or a literal (text, True, False, None; a number is its text)."""

    binding: PathBinding | None = None
    literal: str | bool | None = ""

    @property
    def text(self) -> str:
        """As it is written in a condition."""
        if self.binding:
            return self.binding.operand
        if isinstance(self.literal, bool) or self.literal is None:
            return {True: "true", False: "false", None: "null"}[self.literal]
        return self.literal if as_number(self.literal) is not None else _quoted(self.literal)

    @property
    def empty(self) -> bool:
        """Whether nothing was typed or picked yet."""
        return self.binding is None and self.literal == ""


@dataclass(frozen=True, slots=True)
class Comparison:
    """``left operator right``; an empty operator: the left side alone must be true."""

    left: Operand
    operator: str = "=="
    right: Operand = Operand()
    negated: bool = False

    @property
    def empty(self) -> bool:
        """Whether it does not say yet what is looked at; an empty text is only ever compared *with*."""
        return self.left.empty


@dataclass(frozen=True, slots=True)
class Joint:
    """Several of which all, or any, must hold."""

    all: bool
    parts: tuple[Comparison | Joint, ...]
    negated: bool = False

    @property
    def empty(self) -> bool:
        return not self.parts


def read(text: str) -> Joint | None:
    """A condition as rows; None when it cannot be read as one."""
    if not text.strip():
        return Joint(True, ())
    try:
        found = _part(compile_condition(text).root)
    except (SkerryError, _Unreadable):
        return None
    return found if isinstance(found, Joint) else Joint(True, (found,))


def write(joint: Joint) -> str:
    """The text of a condition; empty when there are no rows."""
    return _text(joint, inside=False)


class _Unreadable(Exception):
    """A form that rows cannot show."""


def _part(found: Any) -> Comparison | Joint:
    if isinstance(found, Negated):
        inner = _part(found.part)
        if isinstance(inner, Joint):
            return Joint(inner.all, inner.parts, not inner.negated)
        return Comparison(inner.left, inner.operator, inner.right, not inner.negated)
    if isinstance(found, Joined):
        return Joint(found.all, tuple(_part(each) for each in found.parts))
    if isinstance(found, Compared):
        return _filled(Comparison(_operand(found.left), found.operator, _operand(found.right)))
    return _filled(Comparison(_operand(found), ""))


def _filled(found: Comparison) -> Comparison:
    """An empty text on the left would look like a row that is not filled in yet."""
    if found.empty:
        raise _Unreadable
    return found


def _operand(found: Any) -> Operand:
    if isinstance(found, Constant):
        return Operand(None, found.value)
    if isinstance(found, Whole):
        return Operand(PathBinding(found.path.text))
    if isinstance(found, Extraction):
        return Operand(PathBinding(found.path.text, found.pattern.text, found.optional))
    raise _Unreadable


def _joined(joint: Joint) -> str:
    word = " and " if joint.all else " or "
    return word.join(filter(None, (_text(each, len(joint.parts) > 1) for each in joint.parts)))


def _text(part: Comparison | Joint, inside: bool) -> str:
    if isinstance(part, Comparison):
        text = f"{part.left.text} {part.operator} {part.right.text}" if part.operator else part.left.text
        return f"not ({text})" if part.negated else text
    text = _joined(part)
    if not text:
        return ""
    if part.negated:
        return f"not ({text})"
    return f"({text})" if inside and len(part.parts) > 1 else text


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
