"""The keys of a model as a reader of the documentation sees them: name, type in words, default."""

from __future__ import annotations

import types
from collections.abc import Mapping
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

from pydantic import BaseModel, BeforeValidator
from pydantic.fields import FieldInfo

from engine.model.job import Job, ResourceRef
from engine.model.quantities import seconds, size_bytes

Language = Literal["en", "zh"]

_WORDS: Mapping[Any, tuple[str, str]] = {
    str: ("text", "文本"),
    bool: ("boolean", "布尔值"),
    int: ("whole number", "整数"),
    float: ("number", "数字"),
    dict: ("map", "映射"),
    list: ("list", "列表"),
    tuple: ("list", "列表"),
    Any: ("any value", "任意值"),
    seconds: ("duration", "时长"),
    size_bytes: ("size", "大小"),
    ResourceRef: ("`{resource: id}`", "`{resource: id}`"),
    Job: ("job", "作业"),
}
_OR = {"en": " or ", "zh": "或"}


class KeyRow(NamedTuple):
    """One key: its name in the file, its type in words, whether it must be given, its default."""

    name: str
    type: str
    required: bool
    default: Any


def key_rows(model: type[BaseModel], language: Language = "en") -> list[KeyRow]:
    """The keys of a model in their order."""
    return [_row(name, field, language) for name, field in model.model_fields.items()]


def _row(name: str, field: FieldInfo, language: Language) -> KeyRow:
    annotation: Any = field.annotation
    if field.metadata:
        annotation = Annotated[annotation, *field.metadata]
    words = list(dict.fromkeys(_words(annotation, language)))
    default = None if field.is_required() else field.get_default(call_default_factory=True)
    if isinstance(default, float) and _word(seconds, language) in words:
        default = f"{default:g}s"
    return KeyRow(field.alias or name, _OR[language].join(words), field.is_required(), default)


def _word(key: Any, language: Language) -> str:
    return _WORDS[key][language == "zh"]


def _words(annotation: Any, language: Language) -> list[str]:
    """The alternatives of a type; null is left out, as it only means "not given"."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _annotated(arguments, language)
    if origin in (Union, types.UnionType):
        return [word for each in arguments for word in _words(each, language)]
    if origin is Literal:
        return [f"`{each}`" for each in arguments]
    if annotation is type(None):
        return []
    plain = origin or annotation
    return [_word(plain if plain in _WORDS else dict, language)]


def _annotated(arguments: tuple[Any, ...], language: Language) -> list[str]:
    readers = [each.func for each in arguments[1:] if isinstance(each, BeforeValidator)]
    known = [_word(reader, language) for reader in readers if reader in (seconds, size_bytes)]
    return known[:1] or _words(arguments[0], language)
