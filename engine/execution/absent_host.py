"""The host of a worker that nothing is known of: nothing starts there, and nothing is known of what did."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from engine.execution.host import UNKNOWN, Attempts, Found, GivenSecrets, Growth, HostFacts, LivingStage
from engine.execution.launch import Launch
from engine.execution.outcomes import VOUCHED, Exit, Left, Lost, Unreachable
from engine.execution.remains import LocalRemains
from engine.execution.ssh.intents import terms_of
from engine.model.codes.workers import NO_SUCH_WORKER
from engine.model.errors import SkerryError
from engine.model.job import StageName
from engine.plugins.resource_type import FileFacts


class AbsentHost:
    """See :class:`engine.execution.host.Host`."""

    def __init__(self, name: str, vouched: int = 0) -> None:
        self._facts = HostFacts(name, "")
        self._vouched = vouched  # how often a person has vouched that nothing there lives

    @property
    def facts(self) -> HostFacts:
        return self._facts

    @property
    def base_env(self) -> Mapping[str, str]:
        return {}

    def begin(self) -> None:
        """Nothing is noticed."""

    def start(self, launch: Launch) -> LivingStage:
        raise self._missing()

    def look(
        self,
        directory: str,
        stage: StageName,
        mark: str,
        *,
        began_in: str | None = None,
        looks: int = 0,
        secrets: GivenSecrets = (),
    ) -> Found | None:
        return Lost(VOUCHED) if self._is_vouched(directory, mark) else Unreachable(self._missing().message)

    def wake(self, stage: LivingStage, ended: Callable[[Exit | Lost | SkerryError], None]) -> None:
        """It never ends."""

    def confirm(self, stage: LivingStage) -> Unreachable:
        return Unreachable(self._missing().message)

    def remains(self, directory: str | None, mark: str) -> LocalRemains:
        return LocalRemains(directory, mark, self.living)

    def growth(self, directory: str, *, files: bool = False) -> Growth:
        return Growth(0)

    def usage(self, mark: str, most: int | None) -> None:
        """It cannot be looked at."""

    def look_at_file(self, path: str, digest: bool) -> FileFacts:
        raise self._missing()

    def bring(self, directory: str, mark: str) -> None:
        raise self._missing()

    def stop(self, directory: str | None, mark: str, grace: float) -> Left:
        return Left() if self._is_vouched(directory, mark) else Left(doubt=self._missing().message)

    def kill_now(self, directory: str, mark: str) -> None:
        """Nothing can be sent there."""

    def living(self, attempts: Attempts) -> tuple[int, ...]:
        """0: it cannot be known."""
        return () if all(self._is_vouched(*each) for each in attempts) else (UNKNOWN,)

    def forget(self, directory: str, mark: str) -> None:
        """Nothing of it is here."""

    def reach(self) -> None:
        """Nobody knows how."""

    def close(self) -> None:
        """Nothing is open."""

    def _is_vouched(self, directory: str | None, mark: str) -> bool:
        terms = terms_of(directory, mark)
        return terms is not None and terms.vouched < self._vouched

    def _missing(self) -> SkerryError:
        return SkerryError.at(NO_SUCH_WORKER, "there is no worker {where!r}", self._facts.name)
