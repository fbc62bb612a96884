"""Which editor a kind of field has."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from PySide6.QtWidgets import QWidget

from app.desktop.design.forms.desk import Desk
from app.desktop.design.forms.fields import Field
from app.desktop.design.forms.fields import FieldKind as K
from app.desktop.design.forms.kinds.base import Editor


def editor_for(desk: Desk, field: Field, parent: QWidget) -> Editor:
    """The editor of a field."""
    return _table()[field.kind](desk, field, parent)


@cache
def _table() -> Mapping[K, type[Editor]]:
    """Every kind; made when the first field is, since some editors are made of fields themselves."""
    from app.desktop.design.forms.kinds import (
        branches,
        choosing,
        code,
        condition,
        listing,
        mapping,
        members,
        path,
        results,
        several,
        specs,
        text,
    )

    return {
        K.TEXT: text.TextEditor, K.LINES: text.TextEditor, K.ANY: text.AnyEditor, K.NUMBER: text.NumberEditor,
        K.DURATION: text.QuantityEditor, K.SIZE: text.QuantityEditor, K.CODE: code.CodeEditor,
        K.BOOLEAN: choosing.BooleanEditor, K.CHOICE: choosing.ChoiceEditor, K.TASK: choosing.TaskEditor,
        K.RESOURCE: choosing.ResourceEditor, K.SECRET: choosing.SecretEditor, K.FILE: path.PathEditor,
        K.FOLDER: path.PathEditor, K.LIST: listing.ListEditor, K.MAP: mapping.MapEditor,
        K.NODES: several.NodesEditor, K.RESOURCES: several.ResourcesEditor,
        K.CONDITION: condition.ConditionEditor, K.SPECS: specs.SpecsEditor, K.RESULTS: results.ResultsEditor,
        K.BRANCHES: branches.BranchesEditor, K.MEMBERS: members.MembersEditor,
    }  # fmt: skip
