"""The outermost keys of definition files, and several files as one tree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from engine.definitions.fit import fit
from engine.definitions.notes import Notes, did_you_mean, shown
from engine.model.codes import definitions as codes
from engine.model.findings import Finding, Loc, error
from engine.model.rules import Rule

if TYPE_CHECKING:
    from engine.definitions.document import SourceDocument

FORMAT = 1
SECTIONS = ("resources", "jobs", "tasks", "calendars")
ASIDE = "x-"  # what a key begins with whose value is only there for YAML anchors
KEYS = frozenset({"skerry", "project", "rules", "errors", *SECTIONS})


def readable(document: SourceDocument) -> bool:
    """Whether a file is a map of this format version; one without a version is read as if it were."""
    value = document.value
    return isinstance(value, dict) and _is_format(value.get("skerry", FORMAT))


def _is_format(version: Any) -> bool:
    return type(version) is int and version == FORMAT


def check_outer(document: SourceDocument) -> Iterator[Finding]:
    """What is wrong with the outermost keys of one file."""
    if document.root is None:
        return
    notes = Notes()
    _check_version(document.value, notes)
    if readable(document):
        _check_keys(document.value, notes)
        _check_rules(document.value.get("rules", []), notes)
        _check_own_errors(document.value.get("errors", {}), notes)
    for finding, key in notes.all:
        yield finding.at(document.name, *document.position(finding.path, key=key))


def _check_version(value: Any, notes: Notes) -> None:
    if not isinstance(value, dict):
        message = "a definition is a map that begins with `skerry: {format}`, found {found}"
        notes.error(codes.NOT_A_DEFINITION, message, (), format=FORMAT, found=shown(value))
    elif "skerry" not in value:
        notes.error(codes.VERSION, "`skerry: {format}` (the format version) is required", (), format=FORMAT)
    elif not _is_format(value["skerry"]):
        message = "`skerry`: this program reads the format {format}, found {found}"
        notes.error(codes.VERSION, message, ("skerry",), format=FORMAT, found=shown(value["skerry"]))


def _check_keys(value: Mapping[str, Any], notes: Notes) -> None:
    for key in (key for key in value if key not in KEYS and not key.startswith(ASIDE)):
        message = "unknown key `{name}`{hint}"
        notes.error(codes.UNKNOWN_KEY, message, (key,), key=True, name=key, hint=did_you_mean(key, KEYS))
    for key in (*SECTIONS, "errors"):
        if key in value and not isinstance(value[key], dict):
            notes.wrong_type("`{name}`: expected a map, found {found}", (key,), value[key], name=key)
    if not isinstance(value.get("project", ""), str):
        notes.wrong_type("`project`: expected a text, found {found}", ("project",), value["project"])


def _check_own_errors(errors: Any, notes: Notes) -> None:
    for code, entry in errors.items() if isinstance(errors, dict) else ():
        if not (code.startswith("-1") and code[1:].isdigit() and len(code) == 12):
            message = "`{code}` is not an error code: a negative number of eleven digits, -1…"
            notes.error(codes.WRONG_VALUE, message, ("errors", code), key=True, code=code)
        if not isinstance(entry, dict):
            message = "expected a map of title, cause and remedy, found {found}"
            notes.wrong_type(message, ("errors", code), entry)


def _check_rules(rules: Any, notes: Notes) -> None:
    if not isinstance(rules, list):
        notes.wrong_type("`rules`: expected a list, found {found}", ("rules",), rules)
        return
    for position, rule in enumerate(rules):
        if isinstance(rule, dict):
            fit(Rule, rule, ("rules", position), notes)
        else:
            notes.wrong_type("expected a rule (a map), found {found}", ("rules", position), rule)
    for position, id in _again(rules):
        notes.error(
            codes.DEFINED_TWICE, "there is another rule `{id}` before", ("rules", position, "id"), id=id
        )


def _again(rules: list[Any]) -> Iterator[tuple[int, str]]:
    known: set[str] = set()
    for position, id in _rule_ids(rules):
        if id in known:
            yield position, id
        known.add(id)


def _rule_ids(rules: Any) -> Iterator[tuple[int, str]]:
    """The ids that the rules of a list name, each with its position."""
    for position, rule in enumerate(rules if isinstance(rules, list) else ()):
        if isinstance(rule, Mapping) and isinstance(rule.get("id"), (str, int)):
            yield position, str(rule["id"])


def merged(documents: Iterable[SourceDocument]) -> dict[str, Any]:
    """One tree of all files; an id that is defined twice keeps its first definition."""
    tree: dict[str, Any] = {}
    documents = tuple(documents)
    projects = {repr(each.value.get("project")) for each in documents if each.value.get("tasks")}
    for document in documents:
        for key, value in _sound(document.value, several=len(projects) > 1):
            tree[key] = _joined(tree.get(key), value)
    return tree


def _joined(first: Any, more: Any) -> Any:
    if isinstance(first, dict):
        return {**first, **{key: value for key, value in more.items() if key not in first}}
    return [*first, *more] if isinstance(first, list) else more


def _sound(value: Mapping[str, Any], *, several: bool) -> Iterator[tuple[str, Any]]:
    """The known keys of one file with the right shape; of several projects each goes to its tasks."""
    project = value.get("project")
    for key in ("project", *SECTIONS, "errors", "rules"):
        kind = str if key == "project" else list if key == "rules" else dict
        if not isinstance(value.get(key), kind) or (several and key == "project"):
            continue
        if several and key == "tasks" and isinstance(project, str):
            own = {"project": project}
            tasks = value[key].items()
            yield key, {name: {**own, **each} if isinstance(each, dict) else each for name, each in tasks}
        else:
            yield key, value[key]


def defined_twice(documents: tuple[SourceDocument, ...]) -> Iterator[Finding]:
    """The ids that two files define; shown at the later one."""
    known: dict[Loc, tuple[SourceDocument, Loc]] = {}
    for document in documents:
        for name, path in _ids(document.value):
            first, there = known.setdefault(name, (document, path))
            if first is not document:
                line, _ = first.position(there, key=True)
                message = "`{name}` is also defined at {file}:{line}"
                finding = error(codes.DEFINED_TWICE, message, path, name=name[-1], file=first.name, line=line)
                yield finding.at(document.name, *document.position(path, key=True))


def _ids(value: Mapping[str, Any]) -> Iterator[tuple[Loc, Loc]]:
    """What a file defines, section and id, each with the path to it."""
    for section in (*SECTIONS, "errors"):
        entries = value.get(section)
        yield from (((section, name),) * 2 for name in entries) if isinstance(entries, dict) else ()
    yield from ((("rules", id), ("rules", position, "id")) for position, id in _rule_ids(value.get("rules")))
