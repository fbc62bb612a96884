"""The ends of stages: what they left is brought here, then the end is written down and made known."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial

from engine.execution.outcomes import FENCED, Exit, Lost
from engine.execution.ssh import arrival, intents, refusals
from engine.execution.ssh.answers import EndThere
from engine.execution.ssh.arrival import Mirror
from engine.execution.ssh.files import Files
from engine.execution.ssh.link import ANSWER, SshLink
from engine.execution.ssh.quoting import call
from engine.execution.ssh.room import RoomWaits
from engine.execution.ssh.stage import SshStage
from engine.execution.ssh.transfers import Transfers
from engine.model.codes import processes
from engine.model.errors import SkerryError
from engine.model.threads import Threads


class Endings:
    """Loop thread only, but for ``bring``.

    ``is_there`` says whether this is the machine that a stage was sent to; ``ended`` is
    called with each stage whose end is durable here.
    """

    def __init__(
        self,
        link: SshLink,
        files: Files,
        transfers: Transfers,
        threads: Threads,
        room: RoomWaits,
        is_there: Callable[[SshStage], bool],
        ended: Callable[[SshStage], None],
    ) -> None:
        self._link = link
        self._files = files
        self._transfers = transfers
        self._threads = threads
        self._room = room
        self._is_there = is_there
        self._ended = ended
        self._mirrors: dict[str, Mirror] = {}
        self._growing: set[str] = set()  # attempts of which something is being brought while they run

    def take(self, stage: SshStage, end: EndThere) -> None:
        """The host has said that it ended so."""
        if stage.leaving or stage.end is not None:
            return
        if end.pid and not stage.pid:
            stage.is_known(end.pid)
        if end.flags == "-":
            return self._all_here(stage, end.status)
        stage.leaving = True
        bring = partial(arrival.bring, self._files, self.mirror(stage), end.flags)
        self._transfers.carry(bring, partial(self._brought, stage, end.status))

    def grow(self, stage: SshStage, sizes: tuple[int, ...]) -> None:
        """Bring what was added to the logs and the progress of one that runs; best effort.

        One at a time of each attempt: over a slow link they would come faster than they are done.
        """
        if stage.mark not in self._growing:
            self._growing.add(stage.mark)
            bring = partial(arrival.grow, self._files, self.mirror(stage), sizes)
            self._transfers.carry(bring, lambda problem: self._growing.discard(stage.mark))

    def bring(self, stage: SshStage) -> None:
        """All that it has written by now; blocks. Raises SkerryError."""
        mirror = self.mirror(stage)
        answer = self._link.answer_to(lambda number, place: call("left", number, mirror.remote), ANSWER)
        is_other = not self._is_there(stage) or mirror is not self._mirrors.get(stage.mark)
        if answer is None or is_other:
            raise refusals.unreachable(self._link.settings.target)
        arrival.bring(self._files, mirror, answer[1])

    def forget(self, mark: str) -> None:
        """Nothing of that attempt is brought any more."""
        self._mirrors.pop(mark, None)

    def mirror(self, stage: SshStage) -> Mirror:
        """How much of its attempt is here; from any thread."""
        place = self._link.standing.place
        known = self._mirrors.get(stage.mark)
        if known is None:
            root = place.path(stage.intent.terms.root) if place is not None else ""
            known = Mirror(stage.directory, f"{root}/{stage.mark}", stage.secrets, self._threads.lock())
            if place is not None:
                self._mirrors[stage.mark] = known
        known.is_given(stage.secrets)
        return known

    def _brought(self, stage: SshStage, status: int | None, problem: SkerryError | None) -> None:
        self._room.carried(stage.mark, problem)
        if problem is None:
            return self._all_here(stage, status)
        stage.leaving = False  # looked at again with the next round, or when the link is there again
        if self._is_there(stage) and not refusals.passes(problem):
            stage.is_over(problem)

    def _all_here(self, stage: SshStage, status: int | None) -> None:
        if status is None:
            return stage.is_over(Lost(FENCED))
        end = Exit.of(status)
        if status and not stage.pid:
            end = Exit(status, problem=processes.NOT_STARTED)
        with suppress(OSError):  # its directory is gone: the end itself is known
            intents.note_end(stage.record, stage.pid, end)
        stage.is_over(end)
        self._ended(stage)
