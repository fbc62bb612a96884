"""Asking before a node's job goes into the library or comes out of it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QInputDialog, QLineEdit, QMessageBox, QWidget

from app.desktop.design.edits import free_id
from app.desktop.design.forms.form_context import FormContext
from app.desktop.design.library.converting import secrets_of, to_library, to_own
from app.desktop.kernel.language import tr
from engine.definitions.notes import id_problem


def convert(context: FormContext, node: str, parent: QWidget) -> None:
    """Turn the job of a node into the other kind, after asking."""
    if "job" in context.scope().node(node):
        _own(context, node, parent)
    else:
        _ask_id(context, node, parent)


def _own(context: FormContext, node: str, parent: QWidget) -> None:
    scope = context.scope()
    job, secrets = str(scope.node(node)["job"]), secrets_of(scope, node)
    if not scope.job(job):
        context.console.navigator.notify(tr("There is no job {job} to copy.", job=job), bad=True)
        return
    if secrets:
        words = tr(
            "{names} is a stored secret, which only a job of the library can use.", names=", ".join(secrets)
        )
        context.console.navigator.notify(words, bad=True)
        return
    box = QMessageBox(parent)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setWindowTitle(tr("A job of its own"))
    box.setText(tr("{node} gets its own copy of {job}.", node=node, job=job))
    box.setInformativeText(tr("Changes of {job} in the library do not reach it any more.", job=job))
    box.setStandardButtons(QMessageBox.StandardButton.Ok | QMessageBox.StandardButton.Cancel)
    box.accepted.connect(
        lambda: context.document.edit(
            lambda _tree: to_own(context.scope(), node), tr("Give {node} its own job", node=node)
        )
    )
    box.open()


def _ask_id(context: FormContext, node: str, parent: QWidget) -> None:
    dialog = QInputDialog(parent)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setWindowTitle(tr("Into the library"))
    dialog.setLabelText(tr("Id of the new job; other nodes and tasks can use it then:"))
    dialog.setTextValue(free_id(node, context.scope().section("jobs")))
    dialog.setTextEchoMode(QLineEdit.EchoMode.Normal)
    dialog.textValueSelected.connect(lambda id: _into(context, node, id.strip()))
    dialog.open()


def _into(context: FormContext, node: str, id: str) -> None:
    problem = id_problem(id)
    if id in context.scope().section("jobs"):
        problem = tr("There is a job {id} already.", id=id)
    if problem:
        context.console.navigator.notify(problem, bad=True)
        return
    text = tr("Put {node} into the library", node=node)
    context.document.edit(lambda _tree: to_library(context.scope(), node, id), text)
