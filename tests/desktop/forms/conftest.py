"""Documents of tasks for the tests of forms, over a real engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import yaml
from pytestqt.qtbot import QtBot

from app.desktop.design.document import Document, opened
from app.desktop.design.forms.node_form import NodeForm
from app.desktop.design.store import read_library
from app.desktop.kernel.console import Console
from engine.api.service import RunRequest, Service
from tests.desktop.conftest import load_example

Open = Callable[[str], Document]
Show = Callable[[Document], NodeForm]


@pytest.fixture
def open_task(engine_console: Console, engine_service: Service) -> Iterator[Open]:
    """Open a task of the workspace, or a new one of that id."""
    documents: list[Document] = []

    def do(task: str) -> Document:
        documents.append(opened(engine_console, task, read_library(engine_service)))
        return documents[-1]

    yield do
    for document in documents:
        document.deleteLater()


@pytest.fixture
def tour(engine_service: Service, open_task: Open) -> Document:
    """The tour, loaded."""
    load_example(engine_service, "tour")
    return open_task("tour")


@pytest.fixture
def show(engine_console: Console, qtbot: QtBot) -> Show:
    """The form of a document in a window of its own."""

    def do(document: Document) -> NodeForm:
        form = NodeForm(engine_console, document)
        form.resize(420, 900)
        qtbot.addWidget(form)
        with qtbot.waitExposed(form):
            form.show()
        qtbot.waitUntil(lambda: bool(form.standing.library.raw), timeout=10_000)
        return form

    return do


def load(service: Service, tree: dict[str, Any]) -> None:
    """Put definitions into the workspace."""
    service.load([{"name": "test.yaml", "text": yaml.safe_dump({"skerry": 1, **tree}, sort_keys=False)}])


def run(service: Service, task: str, qtbot: QtBot, **params: Any) -> int:
    """Run a task to its end."""
    instance = service.run(RunRequest(task, params=params))
    ended = ("succeeded", "failed", "cancelled", "timed_out")
    qtbot.waitUntil(lambda: service.instance(instance)["status"] in ended, timeout=60_000)
    return instance
