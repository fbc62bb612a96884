"""Checking a worker on demand: over a connection of its own, so that nothing which runs there notices."""

from __future__ import annotations

from collections.abc import Callable

from engine.api.documents import Document
from engine.execution.ssh.examination import Remark, examine
from engine.model.clock import Clock
from engine.model.codes.secrets import SECRET_UNKNOWN
from engine.model.codes.ssh import LOGIN_REFUSED
from engine.model.codes.workers import THIS_MACHINE
from engine.model.errors import Refused, SkerryError
from engine.model.message import with_facts
from engine.model.worker import LOCAL
from engine.runtime.upkeep.worker_hosts import root_of, settings_of
from engine.runtime.workspace import Workspace
from engine.store.rows import WorkerRow

_KEEPS_OUT = {LOGIN_REFUSED.number, SECRET_UNKNOWN.number}


def checked_worker(
    row: WorkerRow, workspace: Workspace, secret: Callable[[str], str], clock: Clock
) -> Document:
    """``{"name", "ok", "remarks": [{"step", "level", "message", "code"}]}``; blocks while the host answers.

    Refused: it is this machine. SkerryError: the password is stored and cannot be read.
    """
    if row.name == LOCAL:
        raise Refused(THIS_MACHINE, "this machine is reached without a network", where=row.name)
    remarks = _examined(row, workspace, secret, clock)
    ok = all(each.level != "error" for each in remarks)
    return {"name": row.name, "ok": ok, "remarks": [_document(each) for each in remarks]}


def _examined(
    row: WorkerRow, workspace: Workspace, secret: Callable[[str], str], clock: Clock
) -> tuple[Remark, ...]:
    worker = row.worker
    try:
        password = None if worker.password_secret is None else secret(worker.password_secret)
    except SkerryError as problem:
        if problem.code != SECRET_UNKNOWN.number:
            raise
        return (Remark("login", "error", problem.message, problem.code),)
    settings = settings_of(worker, row.host_keys, password, root_of(workspace))
    return examine(settings, clock, workspace.settings.max_skew)


def lets_in(checked: Document) -> bool:
    """Whether the worker let the user in, whatever else was found there."""
    return not any(each["code"] in _KEEPS_OUT for each in checked["remarks"])


def _document(remark: Remark) -> Document:
    facts: Document = with_facts({"message": remark.message})
    return {"step": remark.step, "level": remark.level, **facts, "code": remark.code}
