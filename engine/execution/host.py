"""The host of an attempt: the port between an engine and a machine that runs its jobs.

The job's directory in the workspace is the truth of an attempt, whichever host ran it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from engine.execution.launch import Launch
from engine.execution.outcomes import Exit, Left, Lost, Unreachable
from engine.execution.tree_usage import TreeUsage
from engine.model.errors import SkerryError
from engine.model.job import StageName
from engine.plugins.resource_type import FileFacts

LOCAL = "local"  # the name of this machine as a worker
UNKNOWN = 0  # in place of a pid: whether something lives cannot be known now
LOOK_AGAIN = 0.005  # seconds between two looks at a stage that is only just beginning or ending

Attempts = Iterable[tuple[str | None, str]]  # the directory and the mark of each
GivenSecrets = tuple[str, ...] | None  # of an attempt; None: not all of them are known any more


@dataclass(frozen=True, slots=True)
class HostFacts:
    """What is known of a host while an engine uses it.

    ``boot`` is different after each start of the machine; ``unsupervised`` says why what jobs start cannot be
    kept together there, and is empty where it can.
    """

    name: str
    boot: str
    unsupervised: str = ""


class Turns(Protocol):
    """What a host needs of the engine's loop; all of it on the loop's thread."""

    def watch(self, fd: int, call: Callable[[], None]) -> None:
        """Make ``call`` once when ``fd`` becomes readable; it is no longer watched then."""

    def watches(self, fd: int) -> bool:
        """Whether ``fd`` is still watched: not once its call is due."""

    def unwatch(self, fd: int) -> None:
        """Stop watching ``fd``, which is watched."""

    def later(self, seconds: float, call: Callable[[], None]) -> Any:
        """Make ``call`` in ``seconds``."""


class LivingStage(Protocol):
    """A stage whose processes run on a host."""

    @property
    def pid(self) -> int:
        """The process there that ends with it."""

    def when_known(self, call: Callable[[], None]) -> None:
        """Call it once ``pid`` is known, where it is 0 until then."""

    @property
    def mark(self) -> str:
        """Its attempt's."""

    @property
    def directory(self) -> str:
        """The job's directory in the workspace."""


Found = LivingStage | Exit | Lost | Unreachable


class Remains(Protocol):
    """What the stages of one attempt left in the job's directory."""

    def has_started(self, stage: str) -> bool:
        """Whether a process of that stage was about to be started in this attempt."""

    def have_begun_in(self, boot: str) -> bool:
        """Whether a stage of the attempt was begun in that start of the machine."""

    def is_damaged(self, pid: int | None) -> bool:
        """Whether a process (``pid``, where that was stored) was started and no record tells so."""

    def forget_torn(self, stage: str) -> None:
        """A stage without a process whose record breaks off was never begun: the engine was killed before."""

    def assume_sent(self) -> bool:
        """Write every stage down as sent, whose record may be gone; False where there is no host to ask."""

    def forget(self, stage: str) -> None:
        """It is certain that this stage was never begun: it may be started after all."""

    def recorded(self, stage: str) -> Exit | Lost:
        """The end that a stage wrote down."""

    def ended_at(self, stage: str) -> float:
        """When it wrote that, in seconds of the epoch."""


class Growth(NamedTuple):
    """Bytes that an attempt has written: in its two logs, and in all files (None: not looked at)."""

    logs: int
    files: int | None = None


class Host(Protocol):
    """Starts the stages of attempts, finds them again and stops them.

    ``start``, ``look`` and ``wake`` are called on the loop's thread and do not wait; ``confirm``, ``stop``,
    ``kill_now``, ``look_at_file``, ``growth``, ``bring`` and ``living`` may take their time, on another one.
    """

    @property
    def facts(self) -> HostFacts:
        """What is known of it."""

    @property
    def base_env(self) -> Mapping[str, str]:
        """The variables that programs there are to get from the engine before any other."""

    def begin(self) -> None:
        """The engine begins to work: ends are noticed from now on."""

    def start(self, launch: Launch) -> LivingStage:
        """Start one stage of an attempt, once for a mark and a stage.

        Raises SkerryError: it was started before, it cannot be run, no room; see :func:`.spawn.spawn`.
        """

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
        """What became of a stage that an earlier engine started: it lives, its end, or lost.

        None: it only just begins or ends, so ask again after ``LOOK_AGAIN``, with one more of ``looks``.
        Unreachable says nothing about it: ask again. ``began_in``: the attempt's ``boot``, where known.
        ``secrets`` are to be masked in what arrives of it; what it prints stays there without them.
        """

    def wake(self, stage: LivingStage, ended: Callable[[Exit | Lost | SkerryError], None]) -> None:
        """Call ``ended`` once, on the loop's thread, when the stage has ended and its output is complete.

        SkerryError: what ``start`` would have raised, where a host knows it only later.
        """

    def confirm(self, stage: LivingStage) -> Exit | Lost | Unreachable | None:
        """What the machine itself has now of a stage that is taken to run; None: that it does.

        None also of one that is only just beginning, or ending.
        """

    def remains(self, directory: str | None, mark: str) -> Remains:
        """What its stages left; without a directory there is nothing."""

    def growth(self, directory: str, *, files: bool = False) -> Growth:
        """How much an attempt has written by now."""

    def usage(self, mark: str, most: int | None) -> TreeUsage | None:
        """What an attempt on another machine uses, as last seen there; on any thread, does not wait.

        Whoever asks each second keeps that machine looking. ``most``: the bytes that it may write, if that is
        limited. None: nothing was seen yet; this machine is looked at by whoever asks.
        """

    def look_at_file(self, path: str, digest: bool) -> FileFacts:
        """What is at an absolute path there; ``digest``: its SHA-256 too.

        Raises SkerryError: HOST_UNREACHABLE says that it can be asked again.
        """

    def bring(self, directory: str, mark: str) -> None:
        """Have all that an attempt has written by now in ``directory``, also while it goes on.

        Raises SkerryError: HOST_UNREACHABLE and what may pass say that it can be asked again.
        """

    def stop(self, directory: str | None, mark: str, grace: float) -> Left:
        """End everything that an attempt started, verified: TERM, ``grace`` seconds, KILL."""

    def kill_now(self, directory: str, mark: str) -> None:
        """KILL for what an attempt started; ``stop`` makes sure."""

    def living(self, attempts: Attempts) -> tuple[int, ...]:
        """The living processes of these attempts; ``UNKNOWN`` among them where that cannot be known now."""

    def forget(self, directory: str, mark: str) -> None:
        """The attempt has ended and that is durable: what is not in ``directory`` is needed no more."""

    def reach(self) -> None:
        """Try at once to reach it, where that waits for its time; from any thread."""

    def close(self) -> None:
        """The engine ends; what it started goes on."""


class OwnHost(Host, Protocol):
    """The machine of the engine itself, which can be asked at any moment."""

    def load(self) -> float | None:
        """The load average of the latest minute for each core; None: not known."""
