"""Documents of tasks for the tests of forms, over a real engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
import yaml
from pytestqt.qtbot import QtBot

from app.desktop.design.definition_library import DefinitionLibrary, read_library
from app.desktop.design.document import Document, opened
from app.desktop.design.forms.node_form import NodeForm
from app.desktop.kernel.console import Console
from engine.api.documents import InstanceQuery, Kind, RunRequest
from engine.api.service import Service
from tests.api.fake_service import FakeService
from tests.desktop.conftest import EXAMPLES, load_example

Open = Callable[[str], Document]
Show = Callable[[Document], NodeForm]
Play = Callable[[str, dict[str, Any]], Document]


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
def real_tour(engine_service: Service, open_task: Open) -> Document:
    """The tour, loaded into a real engine."""
    load_example(engine_service, "tour")
    return open_task("tour")


@pytest.fixture
def play(console: Console, service: Shelved) -> Iterator[Callable[[str, dict[str, Any]], Document]]:
    """The document of a task over an engine that is played."""
    documents: list[Document] = []

    def do(task: str, raw: dict[str, Any]) -> Document:
        service.raw = raw
        documents.append(opened(console, task, DefinitionLibrary(raw)))
        return documents[-1]

    yield do
    for document in documents:
        document.deleteLater()


@pytest.fixture
def tour(play: Play, service: Shelved) -> Document:
    """The tour over an engine that is played."""
    return play("tour", service.raw)


@pytest.fixture
def show(qtbot: QtBot) -> Show:
    """The form of a document in a window of its own."""

    def do(document: Document) -> NodeForm:
        form = NodeForm(document._console, document)
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


class Shelved(FakeService):
    """An engine that is played: it holds the definitions of a file and has run nothing."""

    def __init__(self, raw: dict[str, Any]) -> None:
        super().__init__()
        self.raw = raw

    def dump(self, ids: Sequence[str]) -> str:
        return yaml.safe_dump({"skerry": 1, **self.raw}, sort_keys=False, allow_unicode=True)

    def definitions(self, kind: Kind) -> list[dict[str, Any]]:
        return []

    def instances(self, query: InstanceQuery) -> list[Any]:
        return []


@pytest.fixture
def service() -> FakeService:
    """The engine that is played, with the tour in it."""
    tree = yaml.safe_load((EXAMPLES / "tour.yaml").read_text("utf-8"))
    return Shelved({key: part for key, part in tree.items() if key != "skerry"})
