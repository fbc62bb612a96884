"""A run that failed on a worker goes to the desk, is repaired there and applied here: all of it in windows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QPlainTextEdit
from pytestqt.qtbot import QtBot

from app.desktop.bundles.bundle_dialog import keys_at
from app.desktop.bundles.case_window import CaseWindow
from app.desktop.bundles.fix_dialog import FixDialog
from app.desktop.bundles.keys_page import KeysPage
from app.desktop.bundles.repair_dialog import RepairDialog
from app.desktop.kernel.console import Console, Target
from engine.api.documents import RunRequest, Source
from engine.api.service import Service
from engine.model.worker_request import WorkerRequest
from export_import.redaction.pseudonyms import Pseudonyms
from tests.desktop.bundles.test_loop import LONG, case_at_desk, click, desk, exported, settled
from tests.desktop.forms.acting import row
from tests.desktop.forms.test_where import pick
from tests.desktop.workers.conftest import build, pane, way

__all__ = ["build", "desk", "pane", "way"]
TASK = """
skerry: 1
tasks:
  far:
    params: {{journal: {{kind: text, value: {journal}}}}}
    nodes:
      first: {{type: shell, process: 'echo first >> "$journal"'}}
      work: {{type: shell, process: 'echo broken; exit 3', on: {{workers: [build]}}, after: [first]}}
      last: {{type: shell, process: 'echo last >> "$journal"', after: [work]}}
"""


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return tmp_path / "journal"


@pytest.fixture
def failed(
    build: str, way: WorkerRequest, engine_service: Service, journal: Path, tmp_path: Path, qtbot: QtBot
) -> int:
    """A run that failed on ``build``; ``spare`` is there too."""
    engine_service.add_worker("spare", replace(way, root=str(tmp_path / "spare")))
    engine_service.trust_worker("spare")
    engine_service.load([Source(name="far.yaml", text=TASK.format(journal=journal))])
    run = engine_service.run(RunRequest(task="far"))
    qtbot.waitUntil(lambda: engine_service.instance(run)["status"] == "failed", timeout=60_000)
    return run


@pytest.fixture
def case(engine_console: Console, desk: Console, failed: int, tmp_path: Path, qtbot: QtBot) -> CaseWindow:
    """What the site sent, exported and opened in windows; each side has the other's key."""
    site_keys, desk_keys = KeysPage(engine_console), KeysPage(desk)
    for each in (site_keys, desk_keys):
        qtbot.addWidget(each)
    site_keys.save_card(tmp_path / "site-card")
    desk_keys.save_card(tmp_path / "desk-card")
    desk_keys.trust(tmp_path / "site-card", roles=("site",))
    site_keys.trust(tmp_path / "desk-card", roles=("support",))
    bundle = exported(engine_console, failed, tmp_path / "stick.skerry", qtbot, "Encrypted and signed")
    return case_at_desk(desk, bundle, qtbot, "by a trusted key")


def _repairing(case: CaseWindow, qtbot: QtBot) -> RepairDialog:
    dialog = case.repair()
    assert dialog is not None
    settled(dialog, qtbot)
    assert dialog.editor.canvas.selected() == {"work"}
    return dialog


def _script(dialog: RepairDialog, text: str, qtbot: QtBot) -> None:
    form = dialog.editor.form.form()
    assert form is not None
    script = next(each for each in form.findChildren(QPlainTextEdit) if "broken" in each.toPlainText())
    script.selectAll()
    qtbot.keyClicks(script, text)
    qtbot.waitUntil(lambda: text in dialog.editor.text.document.text())


def _applied(dialog: RepairDialog, site: Console, fix: Path, qtbot: QtBot) -> FixDialog:
    """The fix is written at the desk, opened at the site, and applied there."""
    click(dialog.build_button, qtbot)
    dialog.fix.target.setText(str(fix))
    click(dialog.build_button, qtbot)
    settled(dialog, qtbot)
    assert dialog.written == fix, dialog.said.text()
    dialog.reject()
    applied = FixDialog(site, [fix])
    qtbot.addWidget(applied)
    applied.show()
    settled(applied, qtbot)
    assert applied.apply_button.isEnabled(), applied.said.text()
    click(applied.apply_button, qtbot)
    qtbot.waitUntil(lambda: "receipt" in applied.said.text().lower(), timeout=60_000)
    return applied


def _workers(service: Service, run: int) -> dict[str, str | None]:
    return {each["node"]: each["worker"] for each in service.instance(run)["jobs"]}


def test_another_script_runs_on_the_worker_from_the_job_that_failed(
    case: CaseWindow, engine_console: Console, engine_service: Service, failed: int, journal: Path,
    tmp_path: Path, qtbot: QtBot,
) -> None:  # fmt: skip
    # given the case, where the registry and the record of the worker are seen
    shown = Pseudonyms(keys_at(engine_console.workspace)).of("worker", "build")
    case.go(Target("instance", str(failed), node="work"))
    qtbot.waitUntil(lambda: case.run.session.job() is not None, timeout=LONG)
    job = case.run.session.job()
    assert job is not None
    assert job["worker"] == shown

    # when its script is changed in the form, and the fix is carried back and applied
    dialog = _repairing(case, qtbot)
    _script(dialog, "echo mended", qtbot)
    applied = _applied(dialog, engine_console, tmp_path / "fix.skerry", qtbot)

    # then the run goes on from that job on that worker, and what was done is not done again
    assert engine_service.instance(failed)["status"] == "succeeded"
    assert _workers(engine_service, failed)["work"] == "build"
    assert journal.read_text().split() == ["first", "last"]
    applied.reject()
    case.close()


def test_another_worker_is_picked_by_its_pseudonym_and_the_run_goes_on_there(
    case: CaseWindow, engine_console: Console, engine_service: Service, failed: int, journal: Path,
    tmp_path: Path, qtbot: QtBot,
) -> None:  # fmt: skip
    shown = Pseudonyms(keys_at(engine_console.workspace)).of("worker", "spare")
    dialog = _repairing(case, qtbot)
    _script(dialog, "echo mended", qtbot)
    form = dialog.editor.form.form()
    assert form is not None
    form.form.sections["where"].head.setChecked(True)
    said = row(form, "work", "on").box.editor
    qtbot.waitUntil(lambda: said.context.console.overview.latest is not None)  # the registry is known
    row(form, "on", "workers").box.editor.settle([])
    pick(row(form, "on", "workers").box.editor.picks, shown)
    qtbot.waitUntil(lambda: f"On {shown}." in row(form, "work", "on").box.editor.words.text(), timeout=LONG)

    applied = _applied(dialog, engine_console, tmp_path / "fix.skerry", qtbot)

    assert engine_service.instance(failed)["status"] == "succeeded"
    assert _workers(engine_service, failed) == {"first": "local", "work": "spare", "last": "local"}
    assert journal.read_text().split() == ["first", "last"]
    applied.reject()
    case.close()
