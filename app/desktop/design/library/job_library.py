"""The library of Jobs: reusable definitions, each used by any number of nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.desktop.design.forms.field_tables import job_fields
from app.desktop.design.forms.fields import Field
from app.desktop.design.library.definition_editor import DefinitionEditor
from engine.plugins.job_type import JobType
from engine.plugins.registry import JobTypes

# What a new job begins with, by its type: as little as the type's check accepts.
_SCRIPTS = {"shell": "true\n", "python": "print('hello')\n"}
_KEYS: dict[str, dict[str, Any]] = {
    "command": {"argv": ["true"]},
    "condition": {"value": "true", "branches": {"true": []}},
    "wait": {"for": "1s"},
    "approve": {"question": "Go on?"},
    "http": {"url": "http://127.0.0.1/"},
    "sql": {"resource": "database", "statements": ["select 1"]},
    "sql_query": {"resource": "database", "statement": "select 1"},
    "group": {"jobs": []},
    "task": {"task": "task"},
    "java": {"process": "public class Main { public static void main(String[] a) { } }\n"},
    "ftp_download": {"url": "ftp://127.0.0.1/", "path": "file"},
    "ftp_upload": {"url": "ftp://127.0.0.1/", "path": "file"},
    "sftp_download": {"resource": "server", "path": "file"},
    "sftp_upload": {"resource": "server", "path": "file"},
}


class JobLibrary(DefinitionEditor):
    """Make, edit, copy, delete; where used; revisions."""

    KIND, SECTION, ICON, NONE = "job", "jobs", "job", "Jobs of the library"

    def fields(self) -> Sequence[Field]:
        return job_fields(self.context.scope(), self.id) if self.context else ()

    def types(self) -> JobTypes:
        return self.console.job_types

    def fresh(self, kind: str) -> dict[str, Any]:
        return beginning(self.console.job_types[kind])


def beginning(found: JobType) -> dict[str, Any]:
    """The tree of a new job of a type; the person goes on from there."""
    made: dict[str, Any] = {"type": found.kind, **_KEYS.get(found.kind, {})}
    if found.process == "required":
        made["process"] = _SCRIPTS.get(found.kind, "")
    return made
