"""Workers of a site at the desk: the registry beside the records, and a fix that picks another one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.desktop.bundles.case_window import CaseWindow, open_case
from app.desktop.bundles.repair_dialog import RepairDialog
from app.desktop.kernel.console import Console, Target
from export_import.fix.applying import apply
from export_import.fix.checking import open_fix
from tests.desk.conftest import site as site
from tests.desk.test_fix_of_workers import BAD, CLOCK, GOOD, SHARED, SHORT, Sent, namesakes_only, sent
from tests.desktop.bundles.test_loop import LONG, click, desk, settled
from tests.desktop.forms.acting import row
from tests.desktop.forms.test_where import pick

__all__ = ["desk", "namesakes_only", "sent"]
pytestmark = pytest.mark.usefixtures("namesakes_only")


@pytest.fixture
def case(desk: Console, sent: Sent, qtbot: QtBot) -> Iterator[CaseWindow]:
    """The window of what the site has sent."""
    window = open_case(desk, sent.case)
    qtbot.waitUntil(lambda: window.run.session.look is not None, timeout=LONG)
    yield window
    window.close()


def test_the_registry_is_beside_the_records_under_pseudonyms(
    case: CaseWindow, sent: Sent, qtbot: QtBot
) -> None:
    pane = case.workers
    assert pane is not None
    names = sorted(sent.shown(name) for name in (GOOD, BAD, SHORT, SHARED))
    qtbot.waitUntil(lambda: sorted(row["name"] for row in pane.table.shown) == ["local", *names])
    case.go(Target("worker", sent.shown(BAD)))
    qtbot.waitUntil(lambda: pane.name.text() == sent.shown(BAD))
    assert not case.run.docks["workers"].isHidden()
    assert not pane.add.isVisible()  # what is registered is the site's
    every = " ".join(
        each.text() for each in case.findChildren(QWidget) if hasattr(each, "text") and callable(each.text)
    )
    assert GOOD not in every
    assert BAD not in every


def test_a_fix_picks_a_worker_and_a_group_of_the_case(case: CaseWindow, sent: Sent, qtbot: QtBot) -> None:
    # given the form of the node that failed
    dialog = case.repair()
    assert isinstance(dialog, RepairDialog)
    settled(dialog, qtbot)
    dialog.editor.canvas.select({"frames"}, show=True)
    form = dialog.editor.form.form()
    assert form is not None
    form.form.sections["where"].head.setChecked(True)
    said = row(form, "frames", "on").box.editor
    qtbot.waitUntil(lambda: said.context.console.overview.latest is not None)
    assert "On each of 4 workers" in said.words.text()

    # when only those are left that did not fail, and a group is picked
    row(form, "on", "workers").box.editor.settle([])
    for name in (SHORT, SHARED):
        pick(row(form, "on", "workers").box.editor.picks, sent.shown(name))
    pick(row(form, "on", "group").box.editor.picks, "farm")
    qtbot.waitUntil(lambda: "On each of 2 workers" in row(form, "frames", "on").box.editor.words.text())
    target = sent.case.parent / "fix.skerry"
    dialog.fix.title.setText("Elsewhere")
    click(dialog.build_button, qtbot)
    dialog.fix.title.setText("Elsewhere")
    dialog.build(target)
    settled(dialog, qtbot)
    assert dialog.written == target, dialog.said.text()
    dialog.reject()

    # then the site puts its own names there
    opened = open_fix([target], sent.keys, CLOCK)
    apply(opened, sent.service, sent.site.engine.store, sent.keys, CLOCK, rerun=False)
    on = sent.site.engine.store.content("task", "render")["nodes"]["frames"]["on"]
    assert on == {"workers": [SHORT, SHARED], "strategy": "all", "group": "farm"}
