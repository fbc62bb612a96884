"""What is done to a worker from the window: each asks what has to be asked, then gives the command."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from PySide6.QtWidgets import QLineEdit, QWidget

from app.desktop.kernel.console import Console, Target
from app.desktop.kernel.language import tr, trn
from app.desktop.widgets.questions import Asking, confirm, message_box
from app.desktop.workers.checked_worker import CheckedWorker
from app.desktop.workers.host_keys import Vouching
from app.desktop.workers.worker_form import WorkerForm
from engine.api.service import Service
from engine.model.worker import Wanted
from engine.model.worker_request import WorkerRequest

Row = Mapping[str, Any]


def add(console: Console, owner: QWidget, _: Row) -> None:
    """By the assistant; the new one is shown selected."""

    def done(name: str) -> None:
        console.overview.soon()
        console.navigator.go(Target("worker", name))
        console.navigator.notify(tr("Worker {name} is registered", name=name))

    WorkerForm(console, owner, done).open()


def edit(console: Console, owner: QWidget, row: Row) -> None:
    """By the same form, filled with what is registered."""
    name = str(row["name"])

    def done(_: str) -> None:
        console.overview.soon()
        console.navigator.notify(tr("Worker {name} is changed", name=name))

    console.link.ask(
        lambda service: service.worker(name),
        lambda found: WorkerForm(console, owner, done, found).open(),
        owner=owner, failed=console.refused,
    )  # fmt: skip


def drain(console: Console, owner: QWidget, row: Row) -> None:
    text = trn(
        row["running"],
        "No job begins there any more; 1 that runs there goes on to its end.",
        "No job begins there any more; {n} that run there go on to their end.",
    )
    asked = Asking(owner, tr("Drain {name}", name=row["name"]), text, tr("Drain"))
    _want(console, owner, row, asked, "draining", tr("Worker {name} is draining", name=row["name"]))


def pause(console: Console, owner: QWidget, row: Row) -> None:
    text = tr("No job begins there until it is resumed. What runs there goes on.")
    asked = Asking(owner, tr("Pause {name}", name=row["name"]), text, tr("Pause"))
    _want(console, owner, row, asked, "paused", tr("Worker {name} is paused", name=row["name"]))


def resume(console: Console, owner: QWidget, row: Row) -> None:
    _do(console, owner, row, lambda service, name: service.want_worker(name, "online"),
        tr("Worker {name} goes on", name=row["name"]))  # fmt: skip


def gone(console: Console, owner: QWidget, row: Row) -> None:
    """The word of a person, with what it vouches for."""
    text = tr(
        "You vouch that nothing of its jobs lives any more: the machine is off, was installed again, or you "
        "have looked. The worker is paused, and its jobs may begin elsewhere. If one of them still ran, it "
        "would run twice. Your name and your reason stay in the audit."
    )
    asked = Asking(owner, tr("{name} is gone", name=row["name"]), text, tr("I vouch for it"))
    reason = asked.reason(needed=True)
    reason.setPlaceholderText(tr("How you know that nothing on it lives"))
    _ask(console, row, asked, reason, lambda service, name, why: service.worker_gone(name, why),
         tr("Worker {name} is gone", name=row["name"]))  # fmt: skip


def remove(console: Console, owner: QWidget, row: Row) -> None:
    """Refused at once while attempts there have not ended."""
    title, name = tr("Remove {name}", name=row["name"]), str(row["name"])
    if n := int(row["running"]):
        text = trn(
            n,
            "1 attempt there has not ended, so the worker cannot be removed. Drain it first.",
            "{n} attempts there have not ended, so the worker cannot be removed. Drain it first.",
        )
        message_box(owner, title, text).exec()
        return
    text = tr("Worker {name} and the key that was vouched for are forgotten. Runs keep its name.", name=name)
    if confirm(owner, title, text, tr("Remove")):
        _do(console, owner, row, lambda service, name: service.remove_worker(name),
            tr("Worker {name} is removed", name=name))  # fmt: skip


def trust(console: Console, owner: QWidget, row: Row) -> None:
    """Each key on the way is shown that is new or has changed; nothing is asked where all are as pinned."""
    name, vouched = str(row["name"]), dict[str, str]()

    def done() -> None:
        if not vouched:
            text = tr("Its key is the one that was vouched for, and it lets the user in.")
            return message_box(owner, tr("Host key of {name}", name=name), text).open()
        _do(console, owner, row, lambda service, name: service.trust_worker(name, None, vouched),
            tr("Worker {name} is trusted", name=name))  # fmt: skip

    Vouching(
        console, owner, name, WorkerRequest(), new=False, done=done, failed=console.refused,
        left=lambda: None, vouched=vouched,
    ).begin()  # fmt: skip


def check(console: Console, owner: QWidget, row: Row) -> None:
    """What was found about each step, once the host has answered."""
    name = str(row["name"])
    console.navigator.notify(tr("Checking {name}…", name=name))
    console.link.ask(
        lambda service: service.check_worker(name),
        lambda found: CheckedWorker(console, owner, found).open(),
        owner=owner, failed=console.refused,
    )  # fmt: skip


DOES: Final[Mapping[str, Callable[[Console, QWidget, Row], None]]] = {
    "add": add, "edit": edit, "drain": drain, "pause": pause, "resume": resume, "gone": gone,
    "remove": remove, "trust": trust, "check": check,
}  # fmt: skip


def _want(console: Console, owner: QWidget, row: Row, asked: Asking, state: Wanted, said: str) -> None:
    """Let nothing begin there any more, for a reason that may be given."""
    reason = asked.reason(needed=False)
    _ask(console, row, asked, reason, lambda service, name, why: service.want_worker(name, state, why), said)


def _ask(
    console: Console, row: Row, asked: Asking, reason: QLineEdit, call: Callable[[Service, str, str], Any],
    said: str,
) -> None:  # fmt: skip
    """The command with the reason, which stays in the form while it is refused."""
    name = str(row["name"])

    def make() -> Callable[[Service], Any]:
        why = reason.text().strip()
        return lambda service: call(service, name, why)

    asked.carry_out(console.link, make, lambda _: _came(console, said), reason)


def _do(console: Console, owner: QWidget, row: Row, call: Callable[[Service, str], Any], said: str) -> None:
    """Give the command, say what came of it, look again."""
    name = str(row["name"])
    ask = console.link.ask
    ask(lambda service: call(service, name), lambda _: _came(console, said), owner=owner,
        failed=console.refused)  # fmt: skip


def _came(console: Console, said: str) -> None:
    console.navigator.notify(said)
    console.overview.soon()
