"""Looks at the stages that run on a host: what it says of each, and how much each has written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from engine.execution.outcomes import Lost
from engine.execution.ssh import answers, requests
from engine.execution.ssh.beginnings import Beginnings
from engine.execution.ssh.endings import Endings
from engine.execution.ssh.link import Answer, SshLink
from engine.execution.ssh.mailbox import Mailbox
from engine.execution.ssh.quoting import call
from engine.execution.ssh.session import RemotePlace
from engine.execution.ssh.stage import SshStage

_ALL = 10  # rounds after which everything is looked at: what reports the end may have been killed itself


class StageLooks:
    """Loop thread only. ``is_reported``: whether the end of a stage is reported over the link of now."""

    def __init__(
        self,
        link: SshLink,
        mail: Mailbox,
        endings: Endings,
        beginnings: Beginnings,
        is_reported: Callable[[SshStage], bool],
    ) -> None:
        self._link = link
        self._mail = mail
        self._endings = endings
        self._beginnings = beginnings
        self._is_reported = is_reported

    def round(self, number: int, running: Sequence[SshStage]) -> None:
        """Each second, with the count of them."""
        if self._link.standing.place is None or not running:
            return
        for each in running:
            if not number % _ALL or not each.seen or not self._is_reported(each):
                self._look(each)
        self._ask_for_sizes(running)

    def take(self, stage: SshStage, answer: Sequence[str]) -> None:
        """What the host says of a stage."""
        if stage.end is not None or stage.leaving:
            return
        word = answer[0]
        if word != "begins":
            self._beginnings.over(stage.key)
        if (end := answers.end_in(answer)) is not None:
            self._endings.take(stage, end)
        elif word == "lives":
            self._lives(stage, int(answer[1]))
        elif (lost := self._lost(stage, answer)) is not None:
            stage.is_over(lost)

    def _look(self, stage: SshStage) -> None:
        def answered(answer: Answer) -> None:
            if answer is not None:
                self._mail.post(partial(self.take, stage, answer))

        self._link.ask(partial(requests.look, stage), answered)

    def _lives(self, stage: SshStage, pid: int) -> None:
        stage.seen = True
        self._link.is_taken(stage.number)
        if not stage.pid:
            stage.has_pid(pid)

    def _lost(self, stage: SshStage, answer: Sequence[str]) -> Lost | None:
        if answer[0] == answers.NO_FORK:
            return None  # it is begun again, under another name
        if answer[0] in answers.ABSENT:
            return answers.FOLDER_GONE if stage.pid else None  # its request may still be on its way
        if answer[0] == "begins":
            return None if self._beginnings.is_believed(stage.key) else answers.NOT_KNOWN
        return answers.lost_in(answer)

    def _ask_for_sizes(self, stages: Sequence[SshStage]) -> None:
        def text(number: str, place: RemotePlace) -> bytes:
            return call("sizes", number, *(each.folder(place) for each in stages))

        def answered(answer: Answer) -> None:
            if answer is not None:
                self._mail.post(partial(self._sized, stages, answer))

        self._link.ask(text, answered)

    def _sized(self, stages: Sequence[SshStage], answer: Sequence[str]) -> None:
        words = [each for each in answer[1:] if each]
        cut = words.index(":")
        bytes_of = iter(map(int, words[cut + 1 :]))
        sizes = [next(bytes_of, 0) if each == "+" else 0 for each in words[:cut]]
        for place, stage in enumerate(stages):
            three = tuple(sizes[3 * place : 3 * place + 3])
            if any(three) and stage.end is None and not stage.leaving:
                self._endings.grow(stage, three)
