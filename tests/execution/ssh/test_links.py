"""The link to a host goes on whatever a host, a request or a moment brings: it is never given up in silence."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import paramiko
import pytest

from engine.execution.ssh import connect, link, session
from engine.execution.ssh.link import SshLink
from engine.execution.ssh.mailbox import Mailbox
from engine.execution.ssh.session import RemotePlace, ShellSession
from engine.execution.ssh.settings import SshSettings
from engine.execution.ssh.ssh_host import SshHost
from engine.model.codes import ssh as codes
from engine.model.errors import ErrorCode, SkerryError
from engine.runtime.clock import SystemClock
from engine.runtime.threads import SystemThreads
from tests.execution.ssh.conftest import Site
from tests.execution.turns import PolledTurns
from tests.servers.ssh_workers import Sshd, make_key
from tests.waiting import until

Words = list[str]


class Linked:
    """A link whose reports are kept; ``trouble`` is raised by whoever takes the next one."""

    def __init__(self, settings: SshSettings) -> None:
        self.trouble: Exception | None = None
        self.problems: list[SkerryError] = []
        self.link = SshLink(settings, SystemThreads(), self._reported, self._changed)

    def _reported(self, number: str, words: Words) -> None:
        if self.trouble is not None:
            trouble, self.trouble = self.trouble, None
            raise trouble

    def _changed(self, standing: link.LinkStanding) -> None:
        if standing.problem is not None:
            self.problems.append(standing.problem)

    def answers(self) -> bool:
        return self.link.answer_to(lambda number, place: f"say {number} yes\n".encode(), 20) == ["yes"]


@pytest.fixture
def linked(ssh_workers: Sshd, tmp_path: Path) -> Iterator[Linked]:
    made = Linked(ssh_workers.settings(tmp_path / "root"))
    yield made
    made.link.close()


def test_a_host_that_is_late_with_its_key_is_tried_again(
    linked: Linked, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given a library that returns without a key when the time for that is up
    real, late = paramiko.Transport.start_client, [True]

    def start_client(self: paramiko.Transport, event: object = None, timeout: float | None = None) -> None:
        if not late or not late.pop():
            real(self, timeout=timeout)

    monkeypatch.setattr(paramiko.Transport, "start_client", start_client)

    # when a link is made
    linked.link.start()

    # then the first try is a problem, and the next one succeeds
    until(linked.answers)
    assert [each.entry for each in linked.problems] == [codes.HOST_UNREACHABLE]


@pytest.mark.parametrize(
    ("entry", "pauses"),
    [
        (codes.HOST_UNREACHABLE, [1, 2, 4, 8, 16, 30, 30]),
        (codes.KEY_UNUSABLE, [1, 2, 4, 8, 16, 30, 30]),
        (codes.LOGIN_REFUSED, [600, 1200, 2400, 3600, 3600]),
    ],
)
def test_a_host_that_is_not_reached_is_tried_ever_later(
    entry: ErrorCode, pauses: list[float], linked: Linked, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given a host that is not there, or refuses who logs in: its account may be locked by that
    waited: list[float] = []

    def failed(settings: SshSettings) -> None:
        raise SkerryError(entry, "no")

    def rest(seconds: float, settings: SshSettings, offered: object) -> None:
        waited.append(seconds)
        if len(waited) == len(pauses):
            linked.link.close()

    monkeypatch.setattr(link, "open_session", failed)
    monkeypatch.setattr(linked.link, "_rest", rest)

    # when it is tried until somebody has enough of it
    linked.link._live()

    assert waited == pauses


@pytest.mark.parametrize("how", ["another key", "asked for"])
def test_a_login_that_was_refused_is_tried_again_at_once_when_something_changed(
    how: str, linked: Linked, tmp_path: Path, ssh_workers: Sshd, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given a key that is not let in
    monkeypatch.setattr(link, "_LOOK", 0.05)
    key = tmp_path / "other"
    make_key(key)
    linked.link.settings = replace(linked.link.settings, key_file=str(key))
    linked.link.start()
    until(lambda: linked.problems)

    # when it is let in there, or another one is here
    if how == "another key":
        key.write_bytes(ssh_workers.key.read_bytes())
    else:
        with (ssh_workers.place / "authorized_keys").open("ab") as keys:
            keys.write(key.with_suffix(".pub").read_bytes())
        linked.link.hurry()

    # then it is connected to long before its time
    until(linked.answers)
    assert [each.entry for each in linked.problems] == [codes.LOGIN_REFUSED]


def test_an_error_of_whatever_kind_is_tried_again(linked: Linked, monkeypatch: pytest.MonkeyPatch) -> None:
    # given a library that could not be loaded at the first try
    real, broken = connect._paramiko, [AttributeError("partially initialized module"), ImportError("none")]
    monkeypatch.setattr(connect, "_paramiko", lambda: _raised(broken.pop()) if broken else real())

    # when a link is made
    linked.link.start()

    # then each try that fails so is a problem, and the link is made (a busy machine may need one more try)
    until(linked.answers)
    assert [each.entry for each in linked.problems[:2]] == [codes.HOST_UNREACHABLE] * 2
    assert broken == []


def _raised(error: Exception) -> None:
    raise error


def test_a_server_that_stalls_at_any_step_is_tried_again(
    site: Site, linked: Linked, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (connect, session):
        monkeypatch.setattr(module, "SECONDS", 0.3)
    stalled = site.settings
    site.wire.stall()
    over_the_cable = Linked(replace(stalled, name="stalled"))
    over_the_cable.link.start()

    until(lambda: len(over_the_cable.problems) > 2)
    monkeypatch.undo()
    site.wire.mend()

    until(over_the_cable.answers)
    over_the_cable.link.close()


@pytest.mark.parametrize("trouble", [ValueError("a number was expected"), KeyError("x"), OSError("gone")])
def test_a_report_that_cannot_be_taken_costs_the_session_alone(linked: Linked, trouble: Exception) -> None:
    linked.link.start()
    until(linked.answers)

    linked.trouble = trouble
    linked.link.ask(lambda number, place: b"say 77 strange words\n", lambda answer: None)

    until(lambda: linked.problems)
    until(linked.answers)


def test_a_request_that_cannot_be_made_is_refused_and_others_are_sent(linked: Linked) -> None:
    linked.link.start()
    until(linked.answers)

    def text(number: str, place: RemotePlace) -> bytes:
        raise ValueError("a NUL")

    assert linked.link.answer_to(text, 20) == ["refused", "a", "NUL"]
    assert linked.answers()


def test_a_request_that_was_answered_is_not_remembered(linked: Linked) -> None:
    linked.link.start()
    until(linked.answers)
    answered: list[object] = []

    numbers = [
        linked.link.ask(lambda number, place: f"say {number} end 0\n".encode(), answered.append, lasting=True)
        for _ in range(3)
    ]

    assert linked.answers()
    assert not any(linked.link.is_of_now(number) for number in numbers)


def test_a_line_without_a_word_is_passed_over(linked: Linked) -> None:
    linked.link.start()
    until(linked.answers)

    linked.link.ask(lambda number, place: b'printf \'%s\\n\' "$K" "$K 5" >&8\n', lambda answer: None)

    assert linked.answers()
    assert linked.problems == []


@pytest.mark.parametrize("comes_up", [True, False])
def test_settings_that_change_during_a_try_are_those_that_hold(
    comes_up: bool, linked: Linked, ssh_workers: Sshd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given a try that ends with the old settings after the new ones have come
    new = ssh_workers.settings(tmp_path / "new")

    def open_session(settings: SshSettings) -> tuple[ShellSession, RemotePlace]:
        if settings != new:
            made = session.open_session(settings)
            linked.link.change(new)
            if comes_up:
                return made
            made[0].close()
            raise SkerryError.at(codes.UNTRUSTED_HOST, "the key of {where} was never compared", "it")
        return session.open_session(settings)

    monkeypatch.setattr(link, "open_session", open_session)

    linked.link.start()

    until(linked.answers)
    place = linked.link.standing.place
    assert place is not None
    assert place.root == str(tmp_path / "new")


def test_a_call_that_raises_holds_up_no_other_one() -> None:
    turns, called = PolledTurns(), threading.Event()
    mail = Mailbox(turns, SystemThreads())
    mail.begin()
    mail.post(lambda: [][0])
    mail.post(called.set)

    with pytest.raises(IndexError):
        turns.turn()
    turns.turn()

    assert called.is_set()
    mail.close()


def test_a_host_that_answers_late_makes_nothing_lost(site: Site) -> None:
    stage, directory = site.start("sleep 60")
    later = site.connected()

    # looked at for longer than any patience, while the answer is still to come
    found = later.look(str(directory), "process", stage.mark, looks=1_000_000)

    assert found is None
    later.stop(str(directory), stage.mark, 0)
    later.close()


def test_hosts_that_began_at_different_moments_look_round_in_the_same_turn(
    ssh_workers: Sshd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given two hosts that began at different moments
    later: list[float] = []
    turns = PolledTurns()
    monkeypatch.setattr(turns, "later", lambda seconds, call: later.append(seconds))
    unreached = ssh_workers.settings(tmp_path)
    unreached = replace(unreached, target=replace(unreached.target, host_key=None))
    for name, moment in (("a", 12.25), ("b", 12.75)):
        monkeypatch.setattr(SystemClock, "monotonic", lambda clock, moment=moment: moment)
        host = SshHost(replace(unreached, name=name), SystemClock(), turns, SystemThreads())
        monkeypatch.setattr(host._link, "start", lambda: None)

        # when each looks for its next round
        host.begin()
        host.close()

    # then it is the same moment
    assert later == [0.75, 0.25]
