"""F5: a run of the task that is being drawn, with a form for its parameters when it has any."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.desktop.design.document import Document
from app.desktop.kernel.console import Console, Target
from app.desktop.kernel.language import tr
from engine.api.documents import RunRequest

if TYPE_CHECKING:
    from app.desktop.design.forms.run_form import RunForm


def start_run(console: Console, document: Document, parent: QWidget) -> RunForm | None:
    """Ask for the parameters, if there are any, then start; the run is shown as soon as it is there."""
    specs = document.task.get("params")
    task = document.task_id
    if not isinstance(specs, Mapping) or not specs:
        launch(console, task, {}, parent)
        return None
    from app.desktop.design.forms.run_form import RunForm

    form = RunForm(console, task, specs, parent)
    form.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    form.chosen.connect(lambda params: launch(console, task, params, parent))
    form.open()
    return form


def launch(console: Console, task: str, params: Mapping[str, Any], owner: QWidget) -> None:
    """Start the task and go to its run."""

    def started(instance: int) -> None:
        target = Target("instance", str(instance))
        console.navigator.notify(tr("Run {n} of {task} has started", n=instance, task=task), target=target)
        console.navigator.go(target)

    request = RunRequest(task=task, params=dict(params))
    console.link.ask(
        lambda service: service.run(request), started, owner=owner,
        failed=lambda error: console.navigator.notify(error.message, bad=True),
    )  # fmt: skip
