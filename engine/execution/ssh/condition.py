"""How a host is, and what runs there that its engine does not know."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime

from engine.execution.ssh.link import Answer, SshLink
from engine.execution.ssh.mailbox import Mailbox
from engine.execution.ssh.quoting import call
from engine.execution.ssh.sent_stages import SentStages
from engine.execution.ssh.session import RemotePlace
from engine.execution.strangers import Stranger, strangers_in
from engine.execution.vitals import Vitals
from engine.model.clock import Clock
from engine.model.clock_skew import ClockAnswer

_HEARTBEAT = 10  # rounds between two questions how it is


class HostCondition:
    """``vitals`` is called each ten seconds with how the host is, ``strangers`` when what runs in its root
    has changed, beside what was ``sent`` and attempts of earlier engines that ``succeeded``.
    """

    def __init__(
        self,
        link: SshLink,
        mail: Mailbox,
        clock: Clock,
        sent: SentStages,
        vitals: Callable[[Vitals], None],
        strangers: Callable[[tuple[Stranger, ...]], None],
        succeeded: Callable[[Stranger], bool],
    ) -> None:
        self._link = link
        self._mail = mail
        self._clock = clock
        self._sent = sent
        self._vitals = vitals
        self._strangers = strangers
        self._succeeded = succeeded
        self._found: tuple[Stranger, ...] = ()

    def look(self, rounds: int, root: str) -> None:
        """Each second, with the count of them."""
        beats = rounds % _HEARTBEAT == 0
        if beats and self._link.standing.place is not None:
            self.measure()
        if beats or self._found:
            self.look_for_strangers(root)

    def measure(self, then: Callable[[], None] = lambda: None) -> None:
        """Ask how the host is, and call ``then`` once it answers; not when the link goes before that."""
        asked = self._clock.now()

        def answered(answer: Answer) -> None:
            if answer is not None:
                self._measured(answer, asked)
                then()

        self._link.ask(_pulse, lambda answer: self._mail.post(lambda: answered(answer)))

    def look_for_strangers(self, root: str) -> None:
        """Ask what runs in ``root``."""

        def text(number: str, place: RemotePlace) -> bytes:
            return call("strangers", number, place.path(root), *self._sent.answered_for())

        if self._link.standing.place is not None:
            self._link.ask(text, lambda answer: self._mail.post(lambda: self._looked_for_strangers(answer)))

    def _looked_for_strangers(self, answer: Answer) -> None:
        if answer is not None:
            self.met(answer[1:])

    def met(self, words: list[str]) -> None:
        """The host says that these run in the root."""
        known = self._sent.answered_for()
        found = tuple(
            each for each in strangers_in(words) if each.mark not in known and not self._goes_on(each)
        )
        if found != self._found:
            self._found = found
            self._strangers(found)

    def _goes_on(self, found: Stranger) -> bool:
        if succeeded := self._succeeded(found):
            self._sent.goes_on(found.mark)
        return succeeded

    def _measured(self, answer: list[str], asked: datetime) -> None:
        with suppress(IndexError, ValueError):  # a host that says it otherwise is none the worse
            load, memory, cores, epoch, disk = answer[1], answer[3], answer[4], answer[5], answer[7]
            skew = ClockAnswer.in_seconds(asked, epoch, self._clock.now()).skew.total_seconds()
            self._vitals(Vitals(float(load), int(memory) * 1024, int(disk) * 1024, skew, int(cores)))


def _pulse(number: str, place: RemotePlace) -> bytes:
    return call("pulse", number)
