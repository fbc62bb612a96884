"""A resource is made where one is chosen, from what people know of it, and checked there."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app import wiring
from app.desktop.design.definition_library import read_library
from app.desktop.design.document import opened
from app.desktop.design.forms.kinds.several import ResourcesEditor
from app.desktop.design.forms.node_form import NodeForm
from app.desktop.design.resources.new_resource import PARTS, missing, parts_of, resource_tree
from app.desktop.design.resources.new_resource_dialog import NewResource
from app.desktop.design.tree import get
from app.desktop.kernel.console import Console
from engine.api.service import Service
from engine.definitions.reader import read_raw
from tests.desktop.forms.acting import click, row
from tests.desktop.forms.conftest import load

TASK = {"tasks": {"t": {"nodes": {"a": {"type": "shell", "process": "cat /x"}}}}}
TEXTS = {
    "path": "/data/a", "host": "box", "port": "99", "database": "ledger", "url": "http://box/x", "user": "me",
    "secret": "pin", "host_key": "ssh-ed25519 AAAA",
}  # fmt: skip


@pytest.mark.parametrize("kind", PARTS)
@pytest.mark.parametrize("product", ["sqlite", "postgresql"])
def test_what_is_made_of_the_parts_of_each_type_is_a_definition(kind: str, product: str) -> None:
    types = wiring.installed_types()
    made = resource_tree(kind, {**TEXTS, "product": product})

    found = read_raw({"skerry": 1, "resources": {"r": made}}, types.job_types, types.resource_types)

    assert found.resources["r"].type == kind
    assert missing(kind, TEXTS) == ""
    assert missing(kind, {}) in parts_of(kind, "")


@pytest.fixture
def form(engine_console: Console, engine_service: Service, qtbot: QtBot) -> NodeForm:
    load(engine_service, TASK)
    document = opened(engine_console, "t", read_library(engine_service))
    form = NodeForm(engine_console, document)
    document.setParent(form)
    qtbot.addWidget(form)
    form.resize(420, 900)
    with qtbot.waitExposed(form):
        form.show()
    qtbot.waitUntil(lambda: bool(form.standing.library.raw))
    form.show_node("a")
    for section in form.form.sections.values():
        section.head.setChecked(True)
    return form


def asked(form: NodeForm, qtbot: QtBot) -> NewResource:
    editor = row(form, "resources").box.editor
    assert isinstance(editor, ResourcesEditor)
    qtbot.waitUntil(lambda: editor.adds.height() > 0)  # sections that have just opened have their layout
    click(editor.adds)
    return form.findChildren(NewResource)[-1]


def test_a_file_is_chosen_checked_and_used_without_leaving_the_node(
    form: NodeForm, engine_service: Service, tmp_path: Path, qtbot: QtBot
) -> None:
    # given a file that is to be read, and is not there
    dialog = asked(form, qtbot)
    dialog.id.setText("incoming")
    dialog.lines["path"].setText(str(tmp_path / "in.csv"))

    # when it is checked, it is not in order
    click(dialog.check)
    qtbot.waitUntil(lambda: "Not in order" in dialog.problem.text())

    # and nothing is stored by that
    assert engine_service.definitions("resource") == []

    # and once it is there, it is, and the node waits for it
    (tmp_path / "in.csv").write_text("1")
    click(dialog.check)
    qtbot.waitUntil(lambda: "In order" in dialog.outcome.text())
    click(dialog.make)
    place = form.document.node_path("a", "resources")
    qtbot.waitUntil(lambda: get(form.document.tree, place) == ["incoming"])
    stored = engine_service.definition("resource", "incoming")["definition"]
    assert stored == {"type": "file", "uri": str(tmp_path / "in.csv"), "check": {"exists": True}}


def test_what_is_wrong_is_said_in_words_and_nothing_is_stored(
    form: NodeForm, engine_service: Service, qtbot: QtBot
) -> None:
    dialog = asked(form, qtbot)
    dialog.id.setText("no id!")
    click(dialog.make)
    assert dialog.problem.text()
    dialog.id.setText("incoming")

    click(dialog.make)

    assert dialog.problem.text() == "Path is needed."
    assert engine_service.definitions("resource") == []
    dialog.reject()


def test_only_what_the_type_needs_is_asked_for(form: NodeForm, qtbot: QtBot) -> None:
    dialog = asked(form, qtbot)
    seen: dict[str, set[str]] = {}
    for at in range(dialog.kind.count()):
        dialog.kind.setCurrentIndex(at)
        seen[str(dialog.kind.currentData())] = {
            key for key, each in dialog.rows.items() if dialog.form.isRowVisible(each)
        }

    assert seen["file"] == {"path", "written"}
    assert seen["database"] == {"product", "path"}
    assert seen["sftp"] == {"host", "port", "user", "secret", "host_key"}
    dialog.reject()
