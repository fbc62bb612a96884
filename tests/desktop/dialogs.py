"""One of each dialog of the window, filled with what makes it large, for tests that look at all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from PySide6.QtWidgets import QDialog, QWidget

from app.desktop.bundles.case_reading import CaseFacts
from app.desktop.bundles.delivery_dialog import DeliveryDialog
from app.desktop.bundles.export_dialog import ExportDialog
from app.desktop.bundles.fix_dialog import FixDialog
from app.desktop.bundles.given_results import GivenResults
from app.desktop.bundles.opening import OpeningDialog
from app.desktop.bundles.package_dialog import PackageDialog
from app.desktop.bundles.repair_dialog import RepairDialog
from app.desktop.bundles.replaced_lines import ReplacedLines
from app.desktop.bundles.run_picker import RunPicker
from app.desktop.codes.rule_form import RuleForm
from app.desktop.design.definition_library import DefinitionLibrary
from app.desktop.design.document import Document, opened
from app.desktop.design.exchange_dialogs import ExportDefinitions, ImportDialog
from app.desktop.design.forms.kinds.code_window import CodeWindow
from app.desktop.design.forms.kinds.members import MemberDialog
from app.desktop.design.forms.node_form import NodeForm
from app.desktop.design.forms.run_form import RunForm
from app.desktop.design.forms.task_table import TaskTableDialog
from app.desktop.design.forms.try_node import TryNode
from app.desktop.design.library.revisions import RevisionsDialog
from app.desktop.design.picker.bindings import PathBinding
from app.desktop.design.picker.date_builder import DateBuilder
from app.desktop.design.picker.picker import Picker
from app.desktop.design.picker.regex_builder import RegexBuilder
from app.desktop.design.questions import AskId, QuestionDialog
from app.desktop.design.resources.new_resource_dialog import NewResource
from app.desktop.kernel.console import Console, Target
from app.desktop.plan.backfill_assistant import BackfillAssistant
from app.desktop.queue.add_job import AddJob
from app.desktop.queue.mode import QueueMode
from app.desktop.run.compare_dialog import CompareDialog
from app.desktop.run.confirmation import Confirm, Confirmation
from app.desktop.run.edit_dialog import EditDialog
from app.desktop.run.mode import RunMode
from app.desktop.run.rerun_dialog import RerunDialog
from app.desktop.run.rerun_model import EditableValue, RerunChoice
from app.desktop.run.value_preview import ValuePreview
from app.desktop.shell.guide import Guide
from app.desktop.shell.shortcuts import Shortcuts
from app.desktop.subjects.start_task import WhichTask
from app.desktop.widgets.questions import Asking
from app.desktop.workers.checked_worker import CheckedWorker
from app.desktop.workers.host_keys import HostKeyQuestion
from app.desktop.workers.worker_form import WorkerForm
from engine.api.documents import Source
from export_import.replacements import Replacement
from tests.api.fake_service import FakeService, instance, job
from tests.desktop.conftest import EXAMPLES

LONG = "a sentence of several words about what will happen to all of them"
PARAMS = {"day": {"kind": "string", "required": True}, "limit": {"kind": "int", "value": 10}}
GROUP = {
    "tasks": {"t": {"nodes": {"all": {"type": "group", "jobs": [{"type": "shell", "process": "true"}]}}}}
}


class WholeService(FakeService):
    """Has the tour as its definitions, and answers what would run again."""

    def dump(self, ids: Any = ()) -> str:
        return (EXAMPLES / "tour.yaml").read_text("utf-8")

    def preview(self, rerun: Any) -> dict[str, Any]:
        return {"run": ["load"], "keep": ["extract"], "skip": [], "diff": [LONG] * 20}


@dataclass
class Room:
    """Where dialogs are made: over a widget, with what they need kept alive until the end."""

    console: Console
    service: FakeService
    over: QWidget
    folder: Path
    wait: Callable[[Callable[[], bool]], None]
    kept: list[Any] = field(default_factory=list)

    def document(self, raw: dict[str, Any] | None = None) -> Document:
        tree = raw or yaml.safe_load((EXAMPLES / "tour.yaml").read_text("utf-8"))
        task = next(iter(tree["tasks"]))
        made = opened(self.console, task, DefinitionLibrary(tree))
        self.kept.append(made)
        return made

    def form(self, raw: dict[str, Any] | None = None, node: str | None = None) -> NodeForm:
        """The form of the first node."""
        document = self.document(raw)
        made = NodeForm(self.console, document, self.over)
        made.show_node(node or next(iter(document.nodes)))
        return made

    def run(self) -> RunMode:
        self.service.found[1] = instance(1, "failed", jobs=[job("load", "failed"), job("index", "succeeded")])
        mode = RunMode(self.console)
        self.kept.append(mode)
        mode.open(Target("instance", "1", "load"))
        self.wait(lambda: mode.session.look is not None)
        return mode


def _asking(room: Room) -> QDialog:
    made = Asking(room.over, "Revoke the selected key", "\n".join([LONG] * 4), "Revoke it")
    made.line("A name that is used here", LONG, needed=True)
    made.ticks("What it may send", [(each, LONG) for each in ("site", "support", "author")], ["site"])
    made.reason(needed=True)
    return made


def _package(room: Room, dialog: PackageDialog) -> QDialog:
    """As it is once it was read."""
    room.wait(lambda: not dialog.task.busy)
    dialog.show_changes("\n".join([LONG] * 3), "\n".join([LONG] * 40), (), "No definition changes.")
    dialog.show_effects(())
    dialog.tabs.show()
    return dialog


def _repair(room: Room) -> QDialog:
    made = RepairDialog(room.console, room.folder, room.folder, 1, room.over)
    room.wait(lambda: not made.task.busy)
    tree = yaml.safe_load((EXAMPLES / "tour.yaml").read_text("utf-8"))
    values = tuple(EditableValue(f"$.TASK.PARAMS['p{n}']", LONG) for n in range(30))
    made._show_case(CaseFacts("tour", tree, None, values, frozenset()))
    made.written = Path("kept")  # it may close without a question
    return made


def _dates(room: Room) -> QDialog:
    binding = PathBinding("$.TASK.SCHEDULED_TIME")
    return DateBuilder(room.form().context, binding, room.over)


def _which_task(room: Room) -> WhichTask:
    made = WhichTask(room.console, None, room.over)
    made.show_tasks([{"id": f"{LONG}-{n}", "name": LONG} for n in range(40)])
    return made


DIALOGS: dict[type[QDialog], Callable[[Room], QDialog]] = {
    AddJob: lambda room: AddJob(
        room.kept.append(mode := QueueMode(room.console)) or mode,  # type: ignore[func-returns-value]
        {"load": {"type": "shell", "params": {f"p{n}": {"value": LONG} for n in range(12)}}},
    ),
    Asking: _asking,
    AskId: lambda room: AskId(
        room.console, "New", "task", (), room.over, text=LONG, kinds=(("a", LONG),), naming=True
    ),
    BackfillAssistant: lambda room: BackfillAssistant(room.console, ["nightly", LONG], room.over),
    CodeWindow: lambda room: CodeWindow(
        room.console, "Script: load", "echo 1\n" * 90, "shell", print, room.over
    ),
    CompareDialog: lambda room: CompareDialog(room.console, room.console.link, (1, 1), (1, 1), room.over),
    Confirm: lambda room: Confirm(
        Confirmation(
            "Settle", "\n".join([LONG] * 6), "Settle it", "It counts as", (("failed", 1),), reason=True
        ),
        lambda *_: None,
        room.over,
    ),
    DateBuilder: _dates,
    DeliveryDialog: lambda room: _package(
        room, DeliveryDialog(room.console, [room.folder / "none"], room.over)
    ),
    EditDialog: lambda room: EditDialog(
        "$.TASK.PARAMS['limit']", "\n".join([LONG] * 9), ("load",), room.over
    ),
    ExportDialog: lambda room: ExportDialog(room.console, ["1", "2"], room.over),
    ExportDefinitions: lambda room: ExportDefinitions(
        room.console, room.document().library, ["tour"], room.over
    ),
    FixDialog: lambda room: _package(room, FixDialog(room.console, [room.folder / "none"], room.over)),
    CheckedWorker: lambda room: CheckedWorker(
        room.console,
        room.over,
        {
            "name": LONG,
            "ok": False,
            "remarks": [{"step": "login", "level": "error", "message": LONG, "code": 0}] * 20,
        },
    ),
    Guide: lambda room: Guide(room.console, room.over),
    GivenResults: lambda room: GivenResults(
        "load", {f"r{n}": None for n in range(12)}, {"r0": LONG}, room.over
    ),
    HostKeyQuestion: lambda room: HostKeyQuestion(
        room.over,
        {
            "address": f"{LONG}:22",
            "kind": "ssh-ed25519",
            "fingerprint": f"SHA256:{'a' * 43}",
            "pinned": f"SHA256:{'b' * 43}",
        },
    ),
    ImportDialog: lambda room: ImportDialog(
        room.console, [Source(name="x.yaml", text=(EXAMPLES / "tour.yaml").read_text())], room.over
    ),
    NewResource: lambda room: NewResource(room.form().context, "database", room.over),
    MemberDialog: lambda room: MemberDialog(
        room.form(GROUP).context, ("tasks", "t", "nodes", "all", "jobs", 0), room.over
    ),
    OpeningDialog: lambda room: OpeningDialog(room.console, [room.folder / "none"], print, room.over),
    Picker: lambda room: Picker(
        (form := room.form()).context,
        next(each for each in form.fields() if each.bound or each.key.endswith("name")),
        None,
        parent=room.over,
    ),
    QuestionDialog: lambda room: QuestionDialog(
        "Close", LONG * 3, (("Save", print), ("Throw away", print)), room.over
    ),
    RegexBuilder: lambda room: RegexBuilder(
        room.form().context, PathBinding("$.TASK.PARAMS['day']"), room.over
    ),
    RepairDialog: _repair,
    ReplacedLines: lambda room: ReplacedLines(
        "job.log", [Replacement(n, LONG, LONG) for n in range(60)], room.over
    ),
    RerunDialog: lambda room: RerunDialog(
        room.console, room.run().session, RerunChoice("from", ("load",)), room.over
    ),
    RevisionsDialog: lambda room: RevisionsDialog(room.console, "task", "nightly", room.over),
    RuleForm: lambda room: RuleForm(room.console, room.over),
    RunForm: lambda room: RunForm(room.console, "nightly", PARAMS, room.over),
    RunPicker: lambda room: RunPicker(room.console, ["1"], room.over),
    Shortcuts: lambda room: Shortcuts(room.console, room.over),
    TaskTableDialog: lambda room: TaskTableDialog(room.form().context, room.over),
    TryNode: lambda room: TryNode((form := room.form()).context, str(form.node), 0, room.over),
    ValuePreview: lambda room: ValuePreview("$.TASK", "\n".join([LONG] * 90), True, room.over),
    WorkerForm: lambda room: WorkerForm(room.console, room.over, print),
    WhichTask: _which_task,
}
