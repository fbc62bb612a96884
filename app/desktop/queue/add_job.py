"""Queueing a reusable job by hand: which one, with which values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QComboBox, QLineEdit

from app.desktop.kernel.console import Target
from app.desktop.kernel.language import tr
from app.desktop.widgets.questions import Asking, confirm

if TYPE_CHECKING:
    from app.desktop.queue.tables import QueueTables
    from engine.api.service import Service

Trees = Mapping[str, Mapping[str, Any]]


def add_job(mode: QueueTables) -> None:
    mode.console.link.ask(trees, lambda found: _asked(mode, found), owner=mode)


def trees(service: Service) -> Trees:
    ids = [str(each["id"]) for each in service.definitions("job")]
    return {id: service.definition("job", id)["definition"] for id in ids}


def parameters(tree: Mapping[str, Any]) -> dict[str, str]:
    """The parameters of a job with their default as a hint.

    >>> parameters({"params": {"file": {"kind": "file", "value": "/tmp/a"}, "limit": 3}})
    {'file': '/tmp/a', 'limit': '3'}
    """
    found = {}
    for name, given in (tree.get("params") or {}).items():
        value = given.get("value") if isinstance(given, Mapping) else given
        found[str(name)] = "" if value is None else str(value)
    return found


class AddJob(Asking):
    """A job and a field for each of its parameters; an empty field keeps the default."""

    def __init__(self, mode: QueueTables, found: Trees) -> None:
        text = tr("The job runs alone, as an instance of a task that has nothing else.")
        super().__init__(mode, tr("Add a job"), text, tr("Queue it"))
        self._trees = found
        self.job = QComboBox(self)
        self.job.addItems(sorted(found))
        self.fields: dict[str, QLineEdit] = {}
        self.add(tr("Job"), self.job)
        self.job.currentTextChanged.connect(self._choose)
        self._choose(self.job.currentText())

    @property
    def texts(self) -> dict[str, str]:
        return {name: field.text() for name, field in self.fields.items() if field.text()}

    def _choose(self, job: str) -> None:
        while self.form.rowCount() > 1:
            self.form.removeRow(1)
        self.fields = {}
        for name, default in parameters(self._trees[job]).items():
            self.fields[name] = self.line(name)
            self.fields[name].setPlaceholderText(default)


def _asked(mode: QueueTables, found: Trees) -> None:
    if not found:
        title, text = tr("Add a job"), tr("There is no reusable job in this workspace yet.")
        if confirm(mode, title, text, tr("Make one")):
            mode.console.navigator.go(Target("mode", "design"))
        return
    asked = AddJob(mode, found)

    def call() -> Callable[[Service], Any]:
        job, texts = asked.job.currentText(), asked.texts
        return lambda service: service.queue_add(job, {}, texts)

    mode.asked(asked, call, lambda answer: tr("Instance {n} was queued", n=answer["instance"]), asked.job)
