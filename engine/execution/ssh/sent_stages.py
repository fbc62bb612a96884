"""The stages that were sent to a host and are not forgotten yet."""

from __future__ import annotations

from engine.execution.outcomes import Exit
from engine.execution.ssh.stage import SshStage
from engine.model.job import STAGES


class SentStages:
    """Changed on the loop's thread; read from any."""

    def __init__(self) -> None:
        self._stages: dict[tuple[str, str], SshStage] = {}
        self._marks: set[str] = set()  # of attempts whose directory is there
        self._left: set[str] = set()  # of attempts that have ended, though not yet every stage of them
        self._going_on: set[str] = set()  # of earlier engines: jobs that have succeeded, whose programs go on

    def put(self, stage: SshStage) -> None:
        self._stages[stage.key] = stage

    def drop(self, stage: SshStage) -> None:
        """It was never begun."""
        self._stages.pop(stage.key, None)

    def is_not_there(self, mark: str) -> None:
        """Not all files of its first stage may be there."""
        self._marks.discard(mark)

    def find(self, mark: str, name: str) -> SshStage | None:
        return self._stages.get((mark, name))

    def all(self) -> list[SshStage]:
        return list(self._stages.values())

    def of(self, mark: str) -> list[SshStage]:
        """Those of one attempt."""
        return [each for name in STAGES if (each := self._stages.get((mark, name))) is not None]

    def running(self) -> list[SshStage]:
        """Those of which no end is known."""
        return [each for each in self.all() if each.end is None and not each.leaving]

    def marks(self) -> set[str]:
        """The attempts that have any."""
        return {mark for mark, _ in list(self._stages)}

    def goes_on(self, mark: str) -> None:
        """An attempt of an earlier engine has succeeded, and its program was left to itself."""
        self._going_on.add(mark)

    def answered_for(self) -> set[str]:
        """The attempts that are no strangers there: nothing has to wait for what is not sent any more."""
        return self.marks() | self._going_on.copy()

    def is_there(self, mark: str) -> bool:
        """Whether the attempt's directory was sent; from now on it is."""
        known = mark in self._marks
        self._marks.add(mark)
        return known

    def forget(self, mark: str) -> list[SshStage] | None:
        """Those of an attempt that has ended; None: what is not known for certain may still be asked for."""
        stages = self.of(mark)
        if any(not isinstance(each.end, Exit) for each in stages):
            self._left.add(mark)
            return None
        for each in stages:
            self.drop(each)
        self._marks.discard(mark)
        return stages

    def is_left(self, mark: str) -> bool:
        """Whether the attempt was to be forgotten before; asked once."""
        was = mark in self._left
        self._left.discard(mark)
        return was
