"""A task that starts: its values asked for if it has any, then its run shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.desktop.kernel.console import Console, Target
from app.desktop.kernel.language import tr
from engine.api.documents import RunRequest


def start_with(console: Console, task: str, specs: Any, parent: QWidget) -> None:
    """Ask for the parameters, if there are any, then start; the run is shown as soon as it is there."""
    if not isinstance(specs, Mapping) or not specs:
        launch(console, task, {}, parent)
        return
    from app.desktop.design.forms.run_form import RunForm  # it brings every editor along

    form = RunForm(console, task, specs, parent)
    form.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    form.chosen.connect(lambda params: launch(console, task, params, parent))
    form.open()


def launch(console: Console, task: str, params: Mapping[str, Any], owner: QWidget) -> None:
    """Start the task and go to its run."""

    def started(instance: int) -> None:
        target = Target("instance", str(instance))
        console.navigator.notify(tr("Run {n} of {task} has started", n=instance, task=task), target=target)
        console.navigator.go(target)

    request = RunRequest(task=task, params=dict(params))
    console.link.ask(
        lambda service: service.run(request), started, owner=owner,
        failed=console.refused,
    )  # fmt: skip
