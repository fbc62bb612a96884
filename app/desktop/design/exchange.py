"""Definitions that come in as text, and what they would change; definitions that go out. No Qt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from app.desktop.design.definition_files import text_of
from app.desktop.design.definition_library import DefinitionLibrary, read_library, tree_of
from engine.api.documents import Source
from engine.api.examine import examine
from engine.api.service import Service
from engine.definitions.writer import dump
from engine.model.findings import Finding
from engine.model.line_diff import line_diff
from engine.model.names import SECTIONS
from engine.planning.outline import map_of
from engine.runtime.library import gathered, references

_OTHERS = {"rule": "rules", "error": "errors"}  # what a file may have beside the library
Effect = Literal["new", "changed", "same"]


@dataclass(frozen=True, slots=True)
class Incoming:
    """One definition that comes in; ``lines`` are its difference to the one that is here."""

    kind: str
    id: str
    effect: Effect
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ImportPreview:
    """What an import would do; with an error among the findings it would be refused."""

    definitions: tuple[Incoming, ...]
    findings: tuple[Finding, ...]

    @property
    def possible(self) -> bool:
        """Whether there is anything to bring in, and nothing that forbids it."""
        wrong = any(each.severity == "error" for each in self.findings)
        return not wrong and any(each.effect != "same" for each in self.definitions)


def sources_of(paths: Sequence[Path]) -> list[Source]:
    """The texts of files; Invalid where one cannot be read."""
    return [Source(name=path.name, text=text_of(path)) for path in paths]


def preview_import(
    service: Service, sources: Sequence[Source], job_types: Any, resource_types: Any
) -> ImportPreview:
    """Compare texts with the workspace, on a worker thread; nothing is stored."""
    library = read_library(service)
    findings = examine(sources, job_types, resource_types, library.find).findings
    rules = {id: service.definition("rule", id)["definition"] for id in _ids(service.definitions("rule"))}
    here = {**library.raw, "rules": rules, "errors": service.own_errors()}
    found = [each for source in sources for each in _incoming(tree_of(source["text"]), here)]
    return ImportPreview(tuple(found), tuple(findings))


def _ids(summaries: Sequence[Mapping[str, Any]]) -> list[str]:
    return [str(each["id"]) for each in summaries]


def _incoming(tree: Any, here: Mapping[str, Any]) -> Iterator[Incoming]:
    for kind, section in {**SECTIONS, **_OTHERS}.items():
        known = {str(id): each for id, each in map_of(here.get(section)).items()}
        for id, content in _by_id(map_of(tree).get(section)):
            old = known.get(id)
            effect: Effect = "new" if old is None else "same" if old == content else "changed"
            yield Incoming(kind, id, effect, _lines(old, content) if effect == "changed" else ())


def _by_id(section: Any) -> Iterator[tuple[str, Any]]:
    """Rules are a list, all else is a map."""
    if isinstance(section, list):
        yield from ((str(map_of(each).get("id", "")), each) for each in section)
    else:
        yield from ((str(id), each) for id, each in map_of(section).items())


def _lines(old: Any, new: Any) -> tuple[str, ...]:
    before, after = (dump({"": each}).splitlines() for each in (old, new))
    found = list(line_diff(before, after, "-", "+"))
    return tuple(found[2:])  # without the names of two files


def exported(library: DefinitionLibrary, tasks: Sequence[str]) -> str:
    """The file of these tasks with all that they use, also the tasks that they run."""
    found = gathered(library.find, [("task", id) for id in tasks], references)
    return dump({section: dict(trees) for section, trees in found.items() if trees})
