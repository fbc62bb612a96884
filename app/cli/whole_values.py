"""Documents with whole values: the store has a reference to the file of a result over 256 KiB."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from engine.model.errors import SkerryError

if TYPE_CHECKING:
    from engine.context.files import FileReader

Described = TypeVar("Described", bound=Mapping[str, Any])
_HOLDERS = ("params", "results")


def whole(document: Described) -> Described:
    """The document of an instance with the values themselves, up to 64 MiB each.

    What cannot be read any more, or is no text, stays a reference: ``{"$file", "size", "sha256"}``.
    """
    if not _has_references(document):
        return document
    from export_import.packed_logs import CaseFiles

    folder, files = str(document["directory"]), CaseFiles()
    jobs = [{**job, **_loaded(job, folder, files)} for job in document["jobs"]]
    return {**document, **_loaded(document, folder, files), "jobs": jobs}  # type: ignore[return-value]


def _has_references(document: Mapping[str, Any]) -> bool:
    parts = (document, *document["jobs"])
    values = (value for part in parts for name in _HOLDERS for value in part[name].values())
    return any(isinstance(value, dict) and "$file" in value for value in values)


def _loaded(part: Mapping[str, Any], folder: str, files: FileReader) -> dict[str, Any]:
    return {
        name: {key: _value(value, folder, files) for key, value in part[name].items()} for name in _HOLDERS
    }


def _value(value: Any, folder: str, files: FileReader) -> Any:
    from engine.context.files import is_reference, read_reference

    if not is_reference(value):
        return value
    try:
        files.read(folder, value["$file"]).decode()  # bytes that are no text stay where they are
        return read_reference(value, folder, files)
    except (SkerryError, OSError, UnicodeDecodeError):
        return value
