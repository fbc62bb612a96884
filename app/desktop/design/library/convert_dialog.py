"""Asking before a node's job goes into the library or comes out of it."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.desktop.design.edits import free_id
from app.desktop.design.forms.form_context import FormContext
from app.desktop.design.library.converting import secrets_of, to_library, to_own
from app.desktop.design.questions import AskId, QuestionDialog
from app.desktop.kernel.language import tr


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

    def copy() -> None:
        context.document.edit(
            lambda _tree: to_own(context.scope(), node), tr("Give {node} its own job", node=node)
        )

    text = tr("{node} gets its own copy of {job}.", node=node, job=job)
    text += "\n\n" + tr("Changes of {job} in the library do not reach it any more.", job=job)
    QuestionDialog(tr("A job of its own"), text, ((tr("Give it a job of its own"), copy),), parent).open()


def _ask_id(context: FormContext, node: str, parent: QWidget) -> None:
    def put(id: str) -> None:
        context.document.edit(
            lambda _tree: to_library(context.scope(), node, id), tr("Put {node} into the library", node=node)
        )

    taken = context.scope().section("jobs")
    text = tr("Id of the new job; other nodes and tasks can use it then:")
    start = free_id(node, taken)
    dialog = AskId(context.console, tr("Into the library"), start, taken, parent, text=text)
    dialog.chosen.connect(put)
    dialog.open()
