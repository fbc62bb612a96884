"""The library of Jobs, as a person uses it, over a real engine."""

from __future__ import annotations

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from app.desktop.design.forms.kinds.cards import CardsEditor
from app.desktop.design.library.converting import secrets_of, to_own
from app.desktop.design.library.job_library import JobLibrary
from app.desktop.design.library.revisions import RevisionsDialog
from app.desktop.design.questions import AskId, QuestionDialog
from app.desktop.kernel.console import Console, Nowhere, Target
from engine.api.service import Service
from tests.desktop.conftest import load_example
from tests.desktop.forms.acting import choose, click, opened, pick, type_into
from tests.desktop.picker.test_sources import scope


@pytest.fixture
def library(engine_console: Console, engine_service: Service, qtbot: QtBot) -> JobLibrary:
    load_example(engine_service, "tour")
    shown = JobLibrary(engine_console)
    shown.resize(900, 700)
    qtbot.addWidget(shown)
    with qtbot.waitExposed(shown):
        shown.show()
    qtbot.waitUntil(lambda: shown.id == "count_words", timeout=20_000)
    return shown


def test_a_job_is_made_edited_copied_brought_back_and_deleted(
    library: JobLibrary, engine_service: Service, qtbot: QtBot
) -> None:
    assert library.users.text() == "Used by:"
    link = library.user_links.itemAt(0).widget()
    assert isinstance(link, QToolButton)
    click(link)
    assert isinstance(library.console.navigator, Nowhere)
    assert library.console.navigator.gone == [Target("task", "tour")]

    # Made: its form asks for what its type needs, and its parameters are a table.
    click(library.adds)
    dialog = opened(AskId, qtbot)
    QTest.keyClicks(dialog.field, "count_words")
    assert not dialog.make.isEnabled()
    type_into(dialog.field, "greet")
    dialog.kind.setCurrentText("Shell script")
    click(dialog.make)
    qtbot.waitUntil(lambda: library.id == "greet" or library.error.isVisible(), timeout=10_000)
    assert not library.error.text()
    assert library.users.text() == "Not used yet"

    # Edited: a draft until it is saved.
    assert library.form is not None
    rows = library.form.rows
    type_into(rows["jobs/greet/process"].box.main(), "echo hello ${who}")
    editor = rows["jobs/greet/params"].box.editor
    assert isinstance(editor, CardsEditor)
    type_into(editor.name, "who")
    click(editor.adds)
    choose(editor.cards["who"].kind, "text")  # type: ignore[attr-defined]
    type_into(editor.cards["who"].box.main(), "you")  # type: ignore[attr-defined]
    assert library.title.text() == "greet *"
    assert engine_service.definition("job", "greet")["definition"]["process"] == "true\n"
    click(library.saves)
    qtbot.waitUntil(lambda: library.title.text() == "greet", timeout=10_000)
    stored = engine_service.definition("job", "greet")
    assert stored["definition"] == {
        "type": "shell", "process": "echo hello ${who}", "params": {"who": {"kind": "text", "value": "you"}},
    }  # fmt: skip

    # Brought back: the first revision, as a change that can be undone.
    click(library.revisions)
    revisions = opened(RevisionsDialog, qtbot)
    qtbot.waitUntil(lambda: revisions.list.topLevelItemCount() == 2)
    lines = [line.split() for line in revisions.text.toPlainText().splitlines()]
    assert ["-", "true"] in lines
    assert any(line[0] == "+" and "hello" in line for line in lines)
    revisions.list.setCurrentItem(revisions.list.topLevelItem(1))  # type: ignore[arg-type]
    click(revisions.back)
    assert library.own()["process"] == "true\n"
    click(library.reverts)
    assert library.own() == stored["definition"]

    # Copied, and deleted.
    click(library.copies)
    copy = opened(AskId, qtbot)
    assert copy.field.text() == "greet_2"
    click(copy.make)
    qtbot.waitUntil(lambda: library.id == "greet_2", timeout=10_000)
    click(library.deletes)
    opened(QuestionDialog, qtbot).buttons.buttons()[0].click()
    qtbot.waitUntil(lambda: "greet_2" not in library.standing.library.section("jobs"), timeout=10_000)


def test_a_job_in_use_stays_and_says_who_uses_it(library: JobLibrary, qtbot: QtBot) -> None:
    click(library.deletes)
    opened(QuestionDialog, qtbot).buttons.buttons()[0].click()

    qtbot.waitUntil(library.error.isVisible, timeout=10_000)
    assert "tour" in library.error.text()
    assert "count_words" in library.standing.library.section("jobs")


def test_a_result_of_a_job_is_bound_to_its_own_output(library: JobLibrary, qtbot: QtBot) -> None:
    assert library.form is not None
    assert library.form.focus(("jobs", "count_words", "results"))
    editor = library.form.rows["jobs/count_words/results"].box.editor
    assert isinstance(editor, CardsEditor)
    type_into(editor.name, "all")
    click(editor.adds)
    pick(editor.cards["all"].box.picks, "what it printed", qtbot)  # type: ignore[attr-defined]

    assert library.own()["results"]["all"] == "$.JOB['count_words'].OUTPUT"


def test_a_node_gets_its_own_copy_with_the_values_that_held() -> None:
    tree = {
        "jobs": {"greet": {
            "type": "shell", "process": "echo", "params": {"who": "you", "day": {"required": True}, "x": {}},
            "results": {"all": "$.JOB['greet'].OUTPUT"},
        }},
        "tasks": {"t": {"params": {"x": 1}, "job_params": {"greet": {"day": "monday"}}, "nodes": {
            "a": {"job": "greet", "params": {"who": "me"}, "after": ["b"]},
            "b": {"type": "shell", "process": "true"},
            "c": {"type": "shell", "process": "true", "params": {"y": "$.JOB['greet'].RESULT['all']"}},
        }}},
    }  # fmt: skip

    own = to_own(scope("t", tree), "a")["tasks"]["t"]["nodes"]

    assert own["a"] == {
        "type": "shell", "process": "echo", "results": {"all": "$.JOB['a'].OUTPUT"},
        "params": {"who": "me", "day": "monday", "x": "$.TASK.PARAMS['x']"}, "after": ["b"],
    }  # fmt: skip
    assert own["c"]["params"]["y"] == "$.JOB['a'].RESULT['all']"


def test_a_secret_is_known_so_that_it_stays_in_the_library() -> None:
    tree = {
        "jobs": {"j": {"type": "shell", "process": "true", "params": {"pw": {"secret": "db"}, "x": 1}}},
        "tasks": {"t": {"nodes": {"a": {"job": "j"}}}},
    }

    assert secrets_of(scope("t", tree), "a") == ("pw",)


def test_what_is_said_in_a_colour_keeps_it_readable_in_another_look(library: JobLibrary) -> None:
    theme = library.console.theme
    try:
        for dark in (True, False):
            theme.switch(dark=dark)

            for label, role in ((library.users, "muted"), (library.error, "danger")):
                label.ensurePolished()
                shown = label.palette().windowText().color().name()
                assert shown == getattr(theme.colours, role).lower()
    finally:
        theme.switch(dark=False)
