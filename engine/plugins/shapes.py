"""The keys of a model as a reader of the documentation sees them: name, type in words, default."""

from __future__ import annotations

import types
from collections.abc import Mapping
from textwrap import indent
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

from pydantic import BaseModel, BeforeValidator
from pydantic.fields import FieldInfo

from engine.model.job import Job, ResourceRef
from engine.model.quantities import seconds, size_bytes

_WORDS: Mapping[Any, str] = {
    str: "text",
    bool: "boolean",
    int: "whole number",
    float: "number",
    dict: "map",
    list: "list",
    tuple: "list",
    Any: "any value",
    seconds: "duration",
    size_bytes: "size",
    ResourceRef: "`{resource: id}`",
    Job: "job",
}


class KeyRow(NamedTuple):
    """One key: its name in the file, its alternatives in words, whether it must be given, its default."""

    name: str
    types: tuple[str, ...]
    required: bool
    default: Any


def key_rows(model: type[BaseModel]) -> list[KeyRow]:
    return [_row(name, field) for name, field in model.model_fields.items()]


def _row(name: str, field: FieldInfo) -> KeyRow:
    annotation: Any = field.annotation
    if field.metadata:
        annotation = Annotated[annotation, *field.metadata]
    words = tuple(dict.fromkeys(_words(annotation)))
    default = None if field.is_required() else field.get_default(call_default_factory=True)
    if isinstance(default, float) and _WORDS[seconds] in words:
        default = f"{default:g}s"
    return KeyRow(field.alias or name, words, field.is_required(), default)


def _words(annotation: Any) -> list[str]:
    """The alternatives of a type; null is left out, as it only means "not given"."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _annotated(arguments)
    if origin in (Union, types.UnionType):
        return [word for each in arguments for word in _words(each)]
    if origin is Literal:
        return [f"`{each}`" for each in arguments]
    if annotation is type(None):
        return []
    plain = origin or annotation
    return [_WORDS.get(plain, _WORDS[dict])]


def _annotated(arguments: tuple[Any, ...]) -> list[str]:
    readers = [each.func for each in arguments[1:] if isinstance(each, BeforeValidator)]
    known = [_WORDS[reader] for reader in readers if reader in (seconds, size_bytes)]
    return known[:1] or _words(arguments[0])


def example_file(section: str, example: str) -> str:
    """The example of a job type (``jobs``) or resource type (``resources``) as a file that can be loaded."""
    return f"skerry: 1\n{section}:\n  example:\n{indent(example.rstrip(), '    ')}\n"
