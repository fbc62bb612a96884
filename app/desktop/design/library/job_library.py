"""The library of Jobs: reusable definitions, each used by any number of nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.desktop.design.forms.field_tables import job_fields
from app.desktop.design.forms.fields import Field
from app.desktop.design.library.definition_editor import DefinitionEditor


class JobLibrary(DefinitionEditor):
    """Make, edit, copy, delete; where used; revisions."""

    KIND, SECTION, ICON, NONE = "job", "jobs", "job", "Jobs of the library"

    def fields(self) -> Sequence[Field]:
        return job_fields(self.context.scope(), self.id) if self.context else ()

    def kinds(self) -> Sequence[tuple[str, str]]:
        zh = self.console.language.current.startswith("zh")
        types = sorted(self.console.job_types.items())
        return [(name, each.label[zh]) for name, each in types if name == each.kind]

    def fresh(self, kind: str) -> dict[str, Any]:
        from app.desktop.design.library.job_templates import beginning

        return beginning(self.console.job_types[kind])
