"""Definition files as values of the model, with everything that is wrong found at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from engine.definitions.calendars import read_calendar
from engine.definitions.jobs import Bench, read_job
from engine.definitions.notes import FindingNote, Notes
from engine.definitions.outer import FORMAT, KEYS, SECTIONS, check_outer, defined_twice, merged, readable
from engine.definitions.resources import read_resource
from engine.definitions.tasks import read_task
from engine.definitions.text_source import SourceFile, parse
from engine.model.codes import definitions as codes
from engine.model.definitions import Definitions
from engine.model.errors import Invalid
from engine.model.findings import Finding, Loc, finding_document
from engine.plugins.registry import JobTypes, ResourceTypes

if TYPE_CHECKING:
    from engine.definitions.document import SourceDocument


@dataclass(frozen=True, slots=True)
class ReadDefinitions:
    """What files hold: the definitions as far as they are valid, and every finding with its place."""

    definitions: Definitions
    findings: tuple[Finding, ...]
    documents: tuple[SourceDocument, ...] = field(default=(), repr=False)

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings that make the definitions invalid."""
        return tuple(each for each in self.findings if each.severity == "error")

    def valid(self) -> Definitions:
        """The definitions; Invalid with every finding in its details."""
        if self.errors:
            raise _invalid(self.errors, [finding_document(each) for each in self.findings])
        return self.definitions


def read(
    sources: Iterable[SourceFile], job_types: JobTypes, resource_types: ResourceTypes
) -> ReadDefinitions:
    """Read files together, as one set of ids."""
    documents = tuple(parse(source) for source in sources)
    findings = [finding for document in documents for finding in document.findings]
    findings += [finding for document in documents for finding in check_outer(document)]
    proper = tuple(each for each in documents if readable(each))
    findings += defined_twice(proper)
    notes = Notes()
    definitions = _definitions(merged(proper), Bench(job_types, resource_types, notes))
    reading = ReadDefinitions(definitions, (), proper)
    findings += [_placed(reading, note) for note in notes.all]
    order = {document.name: i for i, document in enumerate(documents)}
    findings.sort(key=lambda each: (order.get(each.file, -1), each.line, each.column))
    return ReadDefinitions(definitions, tuple(findings), proper)


def read_raw(raw: Mapping[str, Any], job_types: JobTypes, resource_types: ResourceTypes) -> Definitions:
    """Definitions from the trees that the store keeps, by section; Invalid when one is not valid."""
    notes = Notes()
    made = _definitions(raw, Bench(job_types, resource_types, notes))
    errors = [note.finding for note in notes.all if note.finding.severity == "error"]
    if errors:
        raise _invalid(errors, [str(each) for each in errors])
    return made


def locate(reading: ReadDefinitions, findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings of other layers, which carry only a path, with their file, line and column."""
    return tuple(each if each.file else _placed(reading, FindingNote(each, key=None)) for each in findings)


def _placed(reading: ReadDefinitions, note: FindingNote) -> Finding:
    finding = note.finding
    document = _owner(reading.documents, finding.path)
    if document is None:
        return finding
    return finding.at(document.name, *document.position(finding.path, key=note.key))


def _owner(documents: tuple[SourceDocument, ...], path: Loc) -> SourceDocument | None:
    """The file that a path leads into: the first that defines the id, else the first with the section."""
    for depth in (2, 1):
        owner = next((each for each in documents if each.has(path[:depth])), None)
        if owner:
            return owner
    return documents[0] if len(documents) == 1 else None


def _invalid(errors: Iterable[Finding], findings: list[object]) -> Invalid:
    first, *more = errors
    where = f"{first.file}:{first.line}:{first.column}" if first.file else ".".join(map(str, first.path))
    details: dict[str, object] = {"findings": findings}
    error = Invalid.at(codes.INVALID, "{where}: {message}", where, details=details, message=first.message)
    if more:
        error.reword("{message} (and {count} more)", count=len(more))
    return error


def _definitions(raw: Mapping[str, Any], bench: Bench) -> Definitions:
    """The values of a tree; what cannot be read is noted and left out."""
    project = raw.get("project")
    resources = {name: read_resource(name, each, path, bench) for name, each, path in _part(raw, "resources")}
    jobs = {name: read_job(name, each, path, bench) for name, each, path in _part(raw, "jobs")}
    tasks = {
        name: read_task(name, each, path, bench, jobs, project) for name, each, path in _part(raw, "tasks")
    }
    calendars = {
        name: read_calendar(name, each, path, bench.notes) for name, each, path in _part(raw, "calendars")
    }
    return Definitions(resources, jobs, tasks, project, raw, calendars)


def _part(raw: Mapping[str, Any], section: str) -> Iterator[tuple[str, Any, Loc]]:
    yield from ((name, each, (section, name)) for name, each in raw.get(section, {}).items())


__all__ = ["FORMAT", "KEYS", "SECTIONS", "ReadDefinitions", "SourceFile", "locate", "read", "read_raw"]
