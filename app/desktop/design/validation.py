"""What the engine's reader and planner say about a task that is being edited."""

from __future__ import annotations

from typing import Any

from app.desktop.design.definition_library import DefinitionLibrary, own_part
from app.desktop.design.tree import Tree, get
from engine.api.examine import examine
from engine.definitions.writer import dump
from engine.model.findings import Finding
from engine.model.names import SECTIONS
from engine.plugins.registry import JobTypes, ResourceTypes


def examined(
    tree: Tree, task: str, library: DefinitionLibrary, job_types: JobTypes, resource_types: ResourceTypes
) -> tuple[Finding, ...]:
    """Every finding, with its path in the tree and its line in ``Document.text``."""
    text = dump(own_part(tree, task))
    return examined_text(text, task, tree, library, job_types, resource_types)


def examined_text(
    text: str,
    task: str,
    tree: Tree,
    library: DefinitionLibrary,
    job_types: JobTypes,
    resource_types: ResourceTypes,
) -> tuple[Finding, ...]:
    """The same of a text that is being typed; what it only names is taken from the workspace."""

    def standing(kind: str, id: str) -> Any:
        section = SECTIONS.get(kind, "")
        return get(tree, (section, id)) or library.section(section).get(id)

    name = f"{task}.yaml"
    return examine([{"name": name, "text": text}], job_types, resource_types, standing).findings
