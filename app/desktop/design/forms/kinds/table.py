"""Which editor a kind of field has."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtWidgets import QWidget

from app.desktop.design.forms.fields import Field
from app.desktop.design.forms.fields import FieldKind as K
from app.desktop.design.forms.form_context import Editor, FormContext
from app.desktop.design.forms.kinds import (
    branches,
    choosing,
    code,
    coming,
    condition,
    dependencies,
    listing,
    mapping,
    members,
    schedule,
    several,
    specs,
    text,
    where,
)

_EDITORS: Mapping[K, type[Editor]] = {
    K.TEXT: text.TextEditor, K.LINES: text.TextEditor, K.ANY: text.AnyEditor, K.NUMBER: text.NumberEditor,
    K.DURATION: text.QuantityEditor, K.SIZE: text.QuantityEditor, K.CODE: code.CodeEditor,
    K.BOOLEAN: choosing.BooleanEditor, K.CHOICE: choosing.ChoiceEditor, K.TASK: choosing.TaskEditor,
    K.RESOURCE: choosing.ResourceChooser, K.SECRET: choosing.SecretEditor, K.FILE: text.PathEditor,
    K.FOLDER: text.PathEditor, K.LIST: listing.ListEditor, K.MAP: mapping.MapEditor,
    K.NODES: several.NodesEditor, K.RESOURCES: several.ResourcesEditor,
    K.CONDITION: condition.ConditionEditor, K.SPECS: specs.SpecsEditor, K.RESULTS: specs.ResultsEditor,
    K.BRANCHES: branches.BranchesEditor, K.MEMBERS: members.MembersEditor,
    K.LEVEL: schedule.LevelEditor, K.CALENDAR: schedule.CalendarEditor, K.NUMBERS: schedule.NumbersEditor,
    K.DATES: schedule.DatesEditor, K.WEEKDAYS: schedule.WeekdaysEditor, K.COMING: coming.ComingEditor,
    K.WORKERS: where.WorkersEditor, K.WORKER_GROUP: where.WorkerGroupEditor,
    K.WORKER_LABELS: where.WorkerLabelsEditor, K.CONSEQUENCE: where.ConsequenceEditor,
    K.UPSTREAM: dependencies.WindowEditor, K.UPSTREAMS: dependencies.UpstreamAdder,
}  # fmt: skip


def editor_for(context: FormContext, field: Field, parent: QWidget) -> Editor:
    return _EDITORS[field.kind](context, field, parent)
