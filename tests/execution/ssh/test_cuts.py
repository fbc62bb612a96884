"""A link that is cut before and after every step of an attempt changes nothing but the time that it takes.

A request is cut at five moments: before it is sent, when it has been sent (the link, or the server's process ends),
when its answer is here and nobody has heard it, and when that was heard. Whatever else an engine does is cut
before and after it.
"""

from __future__ import annotations

import importlib
import os
import re
import signal
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from engine.execution.host import Found
from engine.execution.launch import InputFile, Launch
from engine.execution.outcomes import Exit, Left, Unreachable
from engine.execution.ssh import link, retries, ssh_host
from engine.execution.ssh.session import ShellSession
from engine.execution.ssh.ssh_host import SshHost
from engine.execution.ssh.stage import SshStage
from engine.model.codes.ssh import HOST_UNREACHABLE
from engine.model.errors import SkerryError
from tests.effort import ALL
from tests.execution.ssh.conftest import Site

# What is asked of a host in the life of an attempt, by the function of shell.sh: while its first stage is sent
# and runs, when a later engine takes it up, and when its second stage is stopped and all of it is removed.
RUNS = ("place", "beside", "lease", "begin", "look", "sizes", "usage", "written", "pulse", "strangers")
TAKEN_UP = ("void", "left", "seen")
REMOVED = ("members", "signal", "freeze", "forget", "marks")
MOMENTS = ("before", "sent", "killed", "unheard", "after")

# What an engine does beside that.
CONNECTS = ("connect._handshake", "connect._log_in", "session._execute", "session.ShellSession.first_answers")
SENDS = (
    "arrival.make_logs",
    "intents.create",
    "files.Files.put",
    "files.Files._copy_there",
    "requests.start",
)
FETCHES = ("intents.note_pid", "arrival.grow", "arrival.bring", "files.Files.read", "files.Files.fetch_all",
           "files.Files.fetch", "rounds._round", "files._copy", "files.Files._same", "intents.note_end")  # fmt: skip

_FUNCTIONS = (*CONNECTS, *SENDS, *FETCHES)

_ASKED = re.compile(rb"^(?:\{ )?([a-z]+) (\d+) ", re.MULTILINE)
_OUTPUT = 300_000  # bytes
_GRACE = 1.0  # seconds; so long that it is asked to end, also on a busy machine


def _process_of(host: SshHost) -> int:
    """The server's process that has the connection."""
    answer = host._link.answer_to(lambda number, place: f"say {number} $PPID\n".encode(), 20)
    assert answer
    return int(answer[0])


def _each(steps: Sequence[str], moments: Sequence[str]) -> list[tuple[str, str]]:
    """Every step at every moment before a release, else each step at one and each moment with some."""
    if ALL:
        return list(product(steps, moments))
    return [(step, moments[number % len(moments)]) for number, step in enumerate(steps)]


class Scissors:
    """Cut the link of a site once, at a step; it can be connected to at once after that."""

    def __init__(self, site: Site, step: str, when: str) -> None:
        self.used = False
        self._site = site
        self._step = step.encode()
        self._when = when
        self._server = _process_of(site.host)
        self._numbers: set[str] = set()  # of the requests that are the step

    def cut(self) -> None:
        if self.used:
            return
        self.used = True
        if self._when == "killed":
            os.kill(self._server, signal.SIGKILL)
        else:
            self._site.wire.cut()
            self._site.wire.mend()

    def at_request(self, patch: pytest.MonkeyPatch) -> None:
        send, take = ShellSession.send, link.SshLink._take

        def sent(session: ShellSession, text: bytes) -> None:
            found = {number.decode() for name, number in _ASKED.findall(text) if name == self._step}
            self._numbers |= found
            if found and self._when == "before":
                self.cut()
            send(session, text)
            if found and self._when in ("sent", "killed"):
                self.cut()

        def taken(host: link.SshLink, number: str, words: list[str]) -> None:
            is_step = number in self._numbers
            if is_step and self._when == "unheard" and not self.used:
                self.cut()
                raise EOFError
            take(host, number, words)
            if is_step and self._when == "after":
                self.cut()

        patch.setattr(ShellSession, "send", sent)
        patch.setattr(link.SshLink, "_take", taken)

    def at_call(self, patch: pytest.MonkeyPatch) -> None:
        module, _, name = self._step.decode().partition(".")
        place: Any = importlib.import_module(f"engine.execution.ssh.{module}")
        *inside, name = name.split(".")
        for each in inside:
            place = getattr(place, each)
        real = getattr(place, name)

        def called(*args: Any, **more: Any) -> Any:
            if self._when == "before":
                self.cut()
            result = real(*args, **more)
            if self._when == "after":
                self.cut()
            return result

        patch.setattr(place, name, called)


class Life:
    """One attempt of two stages, over engines that follow each other."""

    def __init__(self, site: Site, source: Path) -> None:
        self.site = site
        self.turns = site.turns
        self.host = site.host
        self.ran = Path(site.bench.instance.path, "ran")
        self.ends: list[object] = []
        self.launch = self._launch(source)
        self.directory = Path(self.launch.directory)
        self.there = site.root / self.launch.mark

    def _launch(self, source: Path) -> Launch:
        script = f"""\
echo ran >> {self.ran}; echo up; echo err >&2; read -r x < {self.site.bench.gate}; cat "$in"; echo done
echo 1 > "$SKERRY_STATUS"; head -c {_OUTPUT} /dev/zero > "$SKERRY_OUTPUTS/x"
echo small > "$SKERRY_OUTPUTS/y"; exit 5"""
        given = (InputFile("in", str(source)),)
        return self.site.launch(script, env={"in": str(source)}, inputs=given, secrets=())

    def begins(self) -> None:
        self.host.wake(self.host.start(self.launch), self.ends.append)
        self.turns.until(self.ran.exists)

    def is_watched(self, holds: Callable[[], bool] = lambda: True) -> None:
        """Until what it prints is here, and what it uses is known."""
        mark, log = self.launch.mark, self.directory / "job.log"

        def seen() -> bool:
            usage = self.host.usage(mark, 1 << 30)
            return usage is not None and usage.files is not None and log.read_text() == "up\n"

        self.turns.until(seen)
        self.turns.until(lambda: self.host.usage(mark, 1 << 30) is not None and holds())

    def next_engine(self) -> None:
        self.host.close()
        self.host = self.site.host = self.site.made(fence=self.site.settings.fence)

    def is_taken_up(self) -> None:
        found: Found | None = None

        def looked() -> bool:
            nonlocal found
            found = self.host.look(str(self.directory), "process", self.launch.mark)
            return found is not None and not isinstance(found, Unreachable)

        self.turns.until(looked)
        assert isinstance(found, SshStage), found
        self.host.wake(found, self.ends.append)

    def patiently(self, call: Callable[[], Any]) -> Any:
        """What an engine does with a host that cannot be reached now: ask again."""
        found: list[Any] = []

        def tried() -> bool:
            try:
                found.append(call())
            except SkerryError as error:
                if error.entry != HOST_UNREACHABLE:
                    raise
            return bool(found)

        self.turns.until(tried)
        return found[0]

    def ends_well(self) -> None:
        self.site.bench.open_gate()
        self.turns.until(lambda: bool(self.ends))
        assert self.ends == [Exit(5)]
        assert (self.directory / "job.log").read_text() == "up\nsent\ndone\n"
        assert (self.directory / "job-error.log").read_text() == "err\n"
        assert (self.directory / "status").read_text() == "1\n"
        assert (self.directory / "outputs" / "x").read_bytes() == bytes(_OUTPUT)
        assert (self.directory / "outputs" / "y").read_text() == "small\n"
        assert self.ran.read_text() == "ran\n"

    def is_stopped(self) -> None:
        """A second stage that ignores that it is asked to end."""
        argv = ("/bin/sh", "-c", f"trap '' TERM; echo end >> {self.ran}; while :; do sleep 0.05; done")
        stage = self.host.start(replace(self.launch, argv=argv, stage="end", inputs=()))
        ends: list[object] = []
        self.host.wake(stage, ends.append)
        self.turns.until(lambda: self.ran.read_text() == "ran\nend\n")
        assert self.host.stop(str(self.directory), self.launch.mark, _GRACE) == Left()
        self.turns.until(lambda: bool(ends))
        assert ends == [Exit(137, 9)]

    def is_removed(self) -> None:
        self.host.forget(str(self.directory), self.launch.mark)
        self.turns.until(lambda: not self.there.exists())

    def is_over(self, scissors: Scissors) -> None:
        self.turns.until(lambda: scissors.used)  # a directory is gone before the answer to its removal comes
        assert self.host.stop(str(self.directory), self.launch.mark, 0) == Left()


@pytest.fixture
def life(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Life:
    monkeypatch.setattr(retries, "_SOONEST", 0.05)
    monkeypatch.setattr(ssh_host, "_EACH", 0.1)
    source = tmp_path / "source"
    source.write_text("sent\n")
    site.host.close()
    site.settings = replace(site.settings, fence=120.0)
    site.host = site.connected()
    return Life(site, source)


@pytest.mark.parametrize(("step", "when"), _each(RUNS, MOMENTS))
def test_what_begins_and_runs_is_the_same_after_a_cut_at_any_request(
    life: Life, step: str, when: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    scissors = Scissors(life.site, step, when)
    scissors.at_request(monkeypatch)

    life.begins()
    ends_it = step == "begin" and when in ("unheard", "after")
    life.is_watched(lambda: scissors.used or ends_it)
    life.ends_well()

    life.is_over(scissors)


@pytest.mark.parametrize(("step", "when"), _each(TAKEN_UP, MOMENTS))
def test_what_the_next_engine_takes_up_is_the_same_after_a_cut_at_any_request(
    life: Life, step: str, when: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    life.begins()
    life.is_watched()
    scissors = Scissors(life.site, step, when)
    scissors.at_request(monkeypatch)

    life.next_engine()
    life.is_taken_up()
    life.patiently(lambda: life.host.bring(str(life.directory), life.launch.mark))
    facts = life.patiently(lambda: life.host.look_at_file(str(life.ran), False))

    assert (life.directory / "job.log").read_text() == "up\n"
    assert facts.size == 4
    life.ends_well()
    life.is_over(scissors)


@pytest.mark.parametrize(("step", "when"), _each(REMOVED, MOMENTS))
def test_what_is_stopped_and_removed_is_gone_after_a_cut_at_any_request(
    life: Life, step: str, when: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    life.begins()
    life.is_watched()
    life.ends_well()
    scissors = Scissors(life.site, step, when)
    scissors.at_request(monkeypatch)

    life.is_stopped()
    if step == "marks":
        life.next_engine()
        life.turns.until(lambda: life.launch.mark in life.host.marks())
        life.host.sweep(life.launch.mark)
        life.turns.until(lambda: not life.there.exists())
    else:
        life.is_removed()

    life.is_over(scissors)


@pytest.mark.parametrize(("step", "when"), _each(_FUNCTIONS, ("before", "after")))
def test_a_job_is_the_same_after_a_cut_before_and_after_whatever_its_engine_does(
    life: Life, step: str, when: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    scissors = Scissors(life.site, step, when)
    if step in CONNECTS:
        life.site.wire.cut()
        life.turns.until(lambda: life.host.standing.place is None)
    scissors.at_call(monkeypatch)
    life.site.wire.mend()

    life.begins()
    life.is_watched()
    life.ends_well()

    life.is_over(scissors)
