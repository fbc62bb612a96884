"""Does what the table of actions offers for the thing that is selected, whichever mode shows it."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from app.desktop.kernel.console import Console, Target
from app.desktop.kernel.language import tr
from app.desktop.kernel.subject import Subject
from app.desktop.subjects.start_task import ask_which
from app.desktop.subjects.table import OPEN_BUNDLE, OWN, SPECS, refusal
from app.desktop.subjects.worker_table import is_offered
from engine.api.documents import InstanceQuery

_IDS = frozenset(spec.id for spec in SPECS)


class SubjectActions:
    """The actions, owned by a window. ``subject`` says what is selected, ``mode`` which mode shows it.

    ``ids``: those that the window has at all; ``browse`` opens a folder (tests put their own here).
    """

    def __init__(
        self,
        console: Console,
        owner: QWidget,
        subject: Callable[[], Subject | None],
        mode: Callable[[], str],
        ids: Collection[str] = _IDS,
    ) -> None:
        self._console, self._owner, self._subject, self._mode = console, owner, subject, mode
        self.browse: Callable[[Path], object] = lambda path: QDesktopServices.openUrl(
            QUrl.fromLocalFile(str(path))
        )
        self._made = {spec.id: console.actions.add(spec, owner, partial(self._do, spec.id))
                      for spec in SPECS if spec.id in ids}  # fmt: skip
        console.link.state_changed.connect(self.refresh)

    def refresh(self) -> None:
        """What makes sense for what is selected now; a mode's own action goes before that of all modes."""
        subject, mode, locked = self._subject(), self._mode(), self._console.link.locked
        for id, action in self._made.items():
            here = mode not in OWN.get(id, ()) and is_offered(id, subject)
            action.setVisible(here)
            self._console.actions.refuse(id, refusal(id, subject, locked) if here else "")
            action.setEnabled(here and action.isEnabled())

    def _do(self, id: str) -> None:
        """By its name; what has none of its own is one of the run mode's."""
        subject = self._subject() or Subject()
        if id.startswith("worker."):
            return self._to_worker(id.partition(".")[2], subject)
        does: dict[str, Callable[[Subject], object]] = {
            "thing.start": self._start, "thing.send": self._send, "thing.rule": self._write_rule,
            "thing.last_run": self._show_last_run, "thing.runs": self._show_runs,
            "thing.definition": self._show_definition, "thing.copy": self._copy,
            "thing.folder": self._open_folder, OPEN_BUNDLE.id: self._open_bundle,
        }  # fmt: skip
        does.get(id, partial(self._in_run, id))(subject)

    def _in_run(self, id: str, subject: Subject) -> None:
        detail = "log" if id == "thing.show_log" else f"do:run.{id.partition('.')[2]}"
        self._console.navigator.go(Target("instance", str(subject.instance), subject.node, detail))

    def _to_worker(self, what: str, subject: Subject) -> None:
        from app.desktop.workers.commands import DOES  # it brings the assistant along

        DOES[what](self._console, self._owner, subject.worker or {})

    def _start(self, subject: Subject) -> None:
        ask_which(self._console, self._owner, subject.task)

    def _send(self, subject: Subject) -> None:
        from app.desktop.bundles.export_dialog import ExportDialog  # it brings bundles and keys along

        ExportDialog(self._console, [subject.choice], self._owner).open()

    def _write_rule(self, subject: Subject) -> None:
        match = {"code": subject.code, "task": subject.task, "node": subject.node}
        known = {key: value for key, value in match.items() if value is not None}
        self._console.navigator.go(Target("rule", detail=json.dumps(known)))

    def _show_runs(self, subject: Subject) -> None:
        self._console.navigator.go(Target("history", str(subject.task)))

    def _show_definition(self, subject: Subject) -> None:
        """That which the run followed, where there is a run."""
        if subject.instance is not None and subject.node is not None:
            return self._in_run("thing.definition", subject)
        return self._console.navigator.go(Target("task", str(subject.task), subject.node))

    def _show_last_run(self, subject: Subject) -> None:
        query = InstanceQuery(task=subject.task, limit=1)

        def came(found: Sequence[Mapping[str, Any]]) -> None:
            if not found:
                return self._console.navigator.notify(tr("{task} has not run yet.", task=subject.task))
            number = str(found[0]["instance"])
            return self._console.navigator.go(Target("instance", number, subject.node))

        self._console.link.ask(lambda service: service.instances(query), came, owner=self._owner,
                               failed=self._console.refused)  # fmt: skip

    def _copy(self, subject: Subject) -> None:
        QGuiApplication.clipboard().setText(subject.copied())
        self._console.navigator.notify(tr("Copied: {what}", what=subject.name or subject.copied()))

    def _open_folder(self, subject: Subject) -> None:
        instance, node = subject.instance, subject.node
        if instance is not None:
            ask = self._console.link.ask
            ask(lambda service: _folder(service, instance, node), self._opened, owner=self._owner,
                failed=self._console.refused)  # fmt: skip

    def _opened(self, folder: str | None) -> None:
        if folder is None:
            self._console.navigator.notify(tr("It has no folder: nothing of it ran, or it was cleaned up."))
        else:
            self.browse(Path(folder))

    def _open_bundle(self, _: Subject) -> None:
        files, _kind = QFileDialog.getOpenFileNames(self._owner, tr("Open a bundle"))
        if files:  # several volumes of one bundle lie in one folder: the first is enough
            self._console.navigator.go(Target("file", files[0]))


def _folder(service: Any, instance: int, node: str | None) -> str | None:
    """That of the latest attempt of a job, else of its instance; on a worker thread."""
    run = service.instance(instance)
    own = [job["directory"] for job in run["jobs"] if job["node"] == node and job["directory"]]
    folder = own[-1] if own else run["directory"]
    return str(folder) if folder is not None and Path(folder).is_dir() else None
