"""What pydantic found wrong with a value, in the words of the file's author."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from engine.definitions.notes import did_you_mean, id_problem, listed, shown
from engine.model.codes import definitions as codes
from engine.model.errors import ErrorCode
from engine.model.findings import Loc
from engine.model.message import Message
from engine.model.names import meant
from engine.model.plain_words import wording
from engine.model.quantities import seconds, size_bytes


class DefinitionProblem(NamedTuple):
    """One mistake; ``path`` leads through the tree as it was written."""

    code: ErrorCode
    message: Message
    path: Loc
    key: bool = False
    about: str = ""  # the key that is missing, or the one that was probably meant
    lone: bool = False  # one value, where a list of them is expected


class _Location(NamedTuple):
    """Where an error of pydantic lies: in the tree, in the models, and in which alternative."""

    path: Loc  # the part of the location that the tree has
    value: Any
    model: type[BaseModel] | None  # the innermost model that the location leads into
    choice: tuple[Loc, Any, Any] | None  # of an alternative: its path, its annotation, its value
    tag: Any  # which alternative


def explain(
    model: type[BaseModel], tree: Any, errors: Iterable[ErrorDetails], also: Iterable[str] = ()
) -> list[DefinitionProblem]:
    """Each mistake once; ``also`` names further keys that ``tree`` may have, for suggestions."""
    problems = [_problem(_located(model, tree, each["loc"]), each, frozenset(also)) for each in errors]
    unique = {(each.path, each.code.number, each.message): each for each in problems if each}
    meant = {(each.path[:-1], each.about) for each in unique.values() if each.code is codes.UNKNOWN_KEY}
    # a missing key that is there under a wrong name is a finding already
    return [
        each
        for each in unique.values()
        if each.code is not codes.MISSING_KEY or (each.path, each.about) not in meant
    ]


def names(model: type[BaseModel]) -> frozenset[str]:
    """The keys that a model takes, as they are written in the file."""
    return frozenset(field.alias or name for name, field in model.model_fields.items())


def _located(model: type[BaseModel], tree: Any, loc: Loc) -> _Location:
    """Follow ``loc`` through tree and annotations at once; each may lack steps the other has."""
    path: Loc = ()
    value, choice, tag = tree, None, None
    kind: Any = model
    inner: type[BaseModel] | None = model
    for part in loc:
        kind = _bare(kind)
        if len(members := _members(kind)) > 1:
            choice, tag = choice or (path, kind, value), part
            kind = next((each for each in members if getattr(_bare(each), "__name__", "") == part), None)
        else:
            value, path = _into(value, part, path)
            kind = _inside(kind, part)
        inner = _bare(kind) if _is_model(_bare(kind)) else inner
    return _Location(path, value, inner, choice, tag)


def _into(value: Any, part: str | int, path: Loc) -> tuple[Any, Loc]:
    if isinstance(value, Mapping) and part in value:
        return value[part], (*path, part)
    if isinstance(value, list) and isinstance(part, int) and part < len(value):
        return value[part], (*path, part)
    return value, path


def _bare(kind: Any) -> Any:
    """An annotation without ``Annotated`` and ``| None``."""
    if get_origin(kind) is Annotated:
        return _bare(get_args(kind)[0])
    members = _members(kind)
    return _bare(members[0]) if len(members) == 1 else kind


def _members(kind: Any) -> list[Any]:
    if get_origin(kind) not in (Union, types.UnionType):
        return []
    return [each for each in get_args(kind) if each is not type(None)]


def _inside(kind: Any, part: str | int) -> Any:
    if _is_model(kind):
        fields = kind.model_fields
        known = next((f for name, f in fields.items() if part in (f.alias, name)), None)
        return known.annotation if known else None
    arguments = get_args(kind)
    return arguments[-1 if get_origin(kind) is dict else 0] if arguments else None


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def _problem(at: _Location, error: ErrorDetails, also: frozenset[str]) -> DefinitionProblem | None:
    if at.choice:
        return _of_alternatives(at, error)
    if error["loc"] and error["loc"][-1] == "[key]":
        name, tell = error["loc"][-2], _said if error["type"] == "value_error" else _id_message
        return DefinitionProblem(*tell(name, error.get("ctx") or {}), at.path, key=True)
    known = names(at.model) if at.model else frozenset()
    return _of_keys(at, error, known | also if len(error["loc"]) == 1 else known) or _of_value(at, error)


def _of_alternatives(at: _Location, error: ErrorDetails) -> DefinitionProblem | None:
    """One finding for all alternatives; inside a map, those of the alternative that is a map."""
    assert at.choice
    path, kind, value = at.choice
    maps = [each for each in _members(kind) if _is_model(_bare(each))]
    if isinstance(value, Mapping) and maps:
        if _bare(maps[0]).__name__ != at.tag:
            return None
        return _of_keys(at, error, names(_bare(maps[0]))) or _of_value(at, error)
    expected = listed(dict.fromkeys(describe(each) for each in _members(kind)))
    words = [word for each in _members(kind) if get_origin(_bare(each)) is Literal for word in get_args(each)]
    return DefinitionProblem(
        codes.WRONG_TYPE, _about(path, _unlike(expected, value, _nearest(value, words))), path
    )


def _of_keys(at: _Location, error: ErrorDetails, known: frozenset[str]) -> DefinitionProblem | None:
    last = error["loc"][-1] if error["loc"] else ""
    match error["type"]:
        case "missing" if isinstance(last, str):
            return DefinitionProblem(codes.MISSING_KEY, required(last), at.path, True, last)
        case "extra_forbidden":
            message = Message.of("unknown key `{name}`{hint}", name=last, hint=did_you_mean(last, known))
            return DefinitionProblem(codes.UNKNOWN_KEY, message, at.path, True, meant(last, known) or "")
    return None


def _of_value(at: _Location, error: ErrorDetails) -> DefinitionProblem:
    maker = _MESSAGES.get(error["type"], _unfit)
    code, message = maker(at.value, error.get("ctx") or {})
    lone = error["type"] in _LISTS and _can_be_listed(at.value)
    return DefinitionProblem(code, _about(at.path, message), at.path, lone=lone)


def _about(path: Loc, message: Message) -> Message:
    """With the key that it is about before it; an item of a list is named by its list."""
    name = next((part for part in reversed(path) if isinstance(part, str)), None)
    return message if name is None else Message.of("`{name}`: {message}", name=name, message=message)


def required(name: str) -> Message:
    """What is wrong with a map that lacks the key ``name``."""
    return Message.of("`{name}` is required here", name=name)


def describe(kind: Any) -> str:
    """An annotation in plain words."""
    rule = next((getattr(each, "func", None) for each in get_args(kind)[1:]), None)
    if get_origin(kind) is Annotated and rule in _RULES:
        return Message.of(_RULES[rule])
    kind = _bare(kind)
    if get_origin(kind) is Literal:
        return listed(get_args(kind))
    if _is_model(kind):
        keys = [name for name, f in kind.model_fields.items() if f.is_required()]
        return Message.of("a map {{{key}: …}}", key=keys[0]) if len(keys) == 1 else Message.of("a map")
    return Message.of(_PLAIN.get(get_origin(kind) or kind, "another value"))


_RULES: dict[Any, str] = {seconds: "a duration such as 30s", size_bytes: "a size such as 64KiB"}
_PLAIN: dict[Any, str] = {
    str: "a text",
    bool: "true/false",
    int: "a whole number",
    float: "a number",
    dict: "a map",
    tuple: "a list",
    list: "a list",
}

_Message = tuple[ErrorCode, Message]


def _id_message(value: object, _: Mapping[str, Any] = {}) -> _Message:
    return codes.BAD_ID, id_problem(value) or Message.of("`{text}` is not an id", text=value)


def _expected(what: str) -> Callable[[Any, Mapping[str, Any]], _Message]:
    return lambda value, _: (codes.WRONG_TYPE, _unlike(Message.of(what), value, _hint(what, value)))


def _unlike(expected: str, value: Any, hint: str) -> Message:
    template = "expected {expected}, found {found}{hint}"
    return Message.of(template, expected=expected, found=shown(value), hint=hint)


def _nearest(value: Any, words: Iterable[str]) -> str:
    return did_you_mean(value, words, most=0) if isinstance(value, str) else ""


def _hint(what: str, value: Any) -> str:
    if what == "true or false" and str(value).lower() in ("yes", "no", "on", "off", "y", "n"):
        return Message.of(": write {value}", value=str(str(value).lower() in ("yes", "on", "y")).lower())
    if what == "a text" and isinstance(value, (bool, int, float)):
        return Message.of(": put it in quotes")
    if what == "a list" and _can_be_listed(value):
        return Message.of(": write [{value}]", value=value) if len(str(value)) <= 40 else ""
    return ""


def _can_be_listed(value: Any) -> bool:
    return isinstance(value, (str, int)) and not isinstance(value, bool)


def _one_of(value: Any, context: Mapping[str, Any]) -> _Message:
    words = str(context.get("expected", "")).replace("'", "").replace(" or ", ", ").split(", ")
    return codes.WRONG_VALUE, _unlike(listed(words), value, _nearest(value, words))


def _pattern(value: Any, context: Mapping[str, Any]) -> _Message:
    if "A-Za-z_" in str(context.get("pattern")) or "max_length" in context or "min_length" in context:
        return _id_message(value)
    form = context.get("pattern")
    return codes.WRONG_VALUE, Message.of("{found} has not the form {form}", found=shown(value), form=form)


def _said(value: Any, context: Mapping[str, Any]) -> _Message:
    problem = wording(context.get("error"))
    return codes.WRONG_VALUE, Message.of("{problem}, found {found}", problem=problem, found=shown(value))


def _bound(template: str, name: str) -> Callable[[Any, Mapping[str, Any]], _Message]:
    return lambda value, context: (codes.WRONG_VALUE, Message.of(template, bound=context[name], found=value))


def _items(value: Any, context: Mapping[str, Any]) -> _Message:
    return codes.WRONG_VALUE, Message.of("{found} has too few or too many items", found=shown(value))


def _unfit(value: Any, context: Mapping[str, Any]) -> _Message:
    return codes.WRONG_VALUE, Message.of("{found} does not fit here", found=shown(value))


_LISTS = ("list_type", "tuple_type", "set_type", "frozen_set_type", "iterable_type")


def _messages() -> Iterator[tuple[str, Callable[[Any, Mapping[str, Any]], _Message]]]:
    shapes = {
        "a text": "string_type",
        "true or false": "bool_type bool_parsing",
        "a whole number": "int_type int_parsing int_from_float",
        "a number": "float_type float_parsing finite_number",
        "a list": " ".join(_LISTS),
        "a map": "dict_type mapping_type model_type model_attributes_type",
    }
    for what, kinds in shapes.items():
        yield from ((kind, _expected(what)) for kind in kinds.split())
    yield from (("literal_error", _one_of), ("enum", _one_of), ("value_error", _said))
    yield from (("assertion_error", _said), ("missing", _items), ("too_long", _items), ("too_short", _items))
    yield from ((f"string_{what}", _pattern) for what in ("pattern_mismatch", "too_long", "too_short"))
    yield ("greater_than_equal", _bound("must be at least {bound}, found {found}", "ge"))
    yield ("greater_than", _bound("must be more than {bound}, found {found}", "gt"))
    yield ("less_than_equal", _bound("must be at most {bound}, found {found}", "le"))
    yield ("less_than", _bound("must be less than {bound}, found {found}", "lt"))


_MESSAGES = dict(_messages())
