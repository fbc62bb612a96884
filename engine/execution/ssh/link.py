"""The link to one host: made, lost, made again; whatever is asked of the host goes over it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass

from engine.execution.ssh.quoting import call
from engine.execution.ssh.session import RemotePlace, ShellSession, open_session
from engine.execution.ssh.settings import SshSettings
from engine.model.codes import ssh as codes
from engine.model.errors import SkerryError
from engine.model.threads import Threads

_SOONEST, _LATEST = 1.0, 30.0  # seconds between two tries to connect
_BEGUN = {"began", "end"}  # of a program: the request that started it is answered by that
_REPORTS = {*_BEGUN, "outer"}
_HOPELESS = {codes.UNTRUSTED_HOST.number, codes.HOST_KEY_CHANGED.number}

Answer = list[str] | None  # the words behind the number of the request; None: the link was lost
Folder = Callable[[RemotePlace], str | None]
Text = Callable[[str, RemotePlace], bytes]  # a request from its number and what is known of the host


@dataclass(frozen=True, slots=True)
class LinkStanding:
    """``place`` while the host answers, else ``problem``; both None before the first try has ended."""

    place: RemotePlace | None = None
    problem: SkerryError | None = None

    @property
    def is_untrusted(self) -> bool:
        """Whether it is not even tried: the key there is unknown, or another one."""
        return self.problem is not None and self.problem.code in _HOPELESS


@dataclass(slots=True)
class _Question:
    text: Text
    answered: Callable[[Answer], None]
    lasting: bool
    folder: Folder | None = None


class SshLink:
    """Any thread asks; answers, reports and changes are called on threads of the link.

    ``reported`` takes lines that answer no open request; ``changed`` is called with each new standing.
    """

    def __init__(
        self,
        settings: SshSettings,
        threads: Threads,
        reported: Callable[[str, list[str]], None],
        changed: Callable[[LinkStanding], None],
    ) -> None:
        self.settings = settings
        self._threads = threads
        self._reported = reported
        self._changed = changed
        self._lock = threads.lock()
        self._closing = threads.event()
        self._wake = threads.event()
        self._waiting: deque[tuple[str, _Question]] = deque()
        self._sent: dict[str, _Question] = {}
        self._number = 0
        self._here: set[str] = set()  # lasting requests that were sent over this session
        self._session: ShellSession | None = None
        self.standing = LinkStanding()

    def start(self) -> None:
        """Begin to connect."""
        self._threads.start(self._live, f"skerry-ssh-{self.settings.name}")
        self._threads.start(self._send, f"skerry-ssh-{self.settings.name}-out")

    def close(self) -> None:
        """Nothing is asked any more; what runs there goes on."""
        self._closing.set()
        with self._lock:
            session = self._session
            self._wake.set()
        if session is not None:
            session.close()

    def change(self, settings: SshSettings) -> None:
        """Connect again, in this way."""
        self.settings = settings
        with self._lock:
            session, refused = self._session, self.standing.is_untrusted
        if session is not None:
            session.close()
        elif refused:  # the thread that connects has given up
            self._threads.start(self._live, f"skerry-ssh-{settings.name}")

    @property
    def session(self) -> ShellSession | None:
        """The one that stands now, for transfers of files."""
        return self._session

    def is_of_now(self, number: str) -> bool:
        """Whether a lasting request was sent over the session that stands, or is still to be sent."""
        with self._lock:
            return number in self._here or any(each == number for each, _ in self._waiting)

    def ask(
        self,
        text: Text,
        answered: Callable[[Answer], None],
        *,
        lasting: bool = False,
        folder: Folder | None = None,
    ) -> str:
        """Have a request sent; gives its number. A ``lasting`` one survives the loss of the link.

        ``folder`` gives that of an attempt, made before, or None. For requests that are sent together it is
        one program that makes them: each would cost the host as much as the start of a job.
        """
        with self._lock:
            self._number += 1
            number = str(self._number)
            lost = self.standing.place is None and not lasting
            if not lost:
                self._waiting.append((number, _Question(text, answered, lasting, folder)))
                self._wake.set()
        if lost:
            answered(None)
        return number

    def answer_to(self, text: Text, seconds: float) -> Answer:
        """Ask and wait for the answer; None: it cannot be had in ``seconds``."""
        found: list[Answer] = []
        came = self._threads.event()

        def answered(answer: Answer) -> None:
            found.append(answer)
            came.set()

        self.ask(text, answered)
        came.wait(seconds)
        return found[0] if found else None

    # -- the thread that connects and reads ------------------------------------------------------

    def _live(self) -> None:
        delay = _SOONEST
        while not self._closing.is_set():
            try:
                session, place = open_session(self.settings)
            except SkerryError as problem:
                self._stands(LinkStanding(problem=problem))
                if problem.code in _HOPELESS:
                    return
            else:
                delay = _SOONEST
                self._begin(session, place)
                self._read(session)
                self._lose(session)
            if self._closing.wait(delay):
                return
            delay = min(delay * 2, _LATEST)

    def _begin(self, session: ShellSession, place: RemotePlace) -> None:
        with self._lock:
            self._session = session
            self._here.clear()
        if self._closing.is_set():
            session.close()
        self._stands(LinkStanding(place=place))

    def _read(self, session: ShellSession) -> None:
        silent = False
        for words in session.lines():
            if words:
                silent = False
                self._take(words[0], words[1:])
            elif silent:
                return
            else:
                silent = True
                self.ask(lambda number, place: f"say {number} here\n".encode(), lambda answer: None)

    def _take(self, number: str, words: list[str]) -> None:
        with self._lock:
            answers = words[0] in _BEGUN or words[0] not in _REPORTS
            request = self._sent.pop(number, None) if answers else None
        if request is not None and words[0] not in _REPORTS:
            request.answered(words)
        else:
            self._reported(number, words)

    def _lose(self, session: ShellSession) -> None:
        session.close()
        with self._lock:
            self._session = None
            self.standing = LinkStanding()
            lost = [*self._sent.items(), *self._waiting]
            self._sent = {}
            self._waiting = deque(each for each in lost if each[1].lasting)
        if not self._closing.is_set():
            message = "the link to {where} was cut"
            self._stands(
                LinkStanding(
                    problem=SkerryError.at(codes.HOST_UNREACHABLE, message, str(self.settings.target))
                )
            )
        for _, request in lost:
            if not request.lasting:
                request.answered(None)

    def _stands(self, standing: LinkStanding) -> None:
        with self._lock:
            self.standing = standing
            self._wake.set()
        self._changed(standing)

    # -- the thread that sends ---------------------------------------------------------------------

    def _send(self) -> None:
        while not self._closing.is_set():
            session, place, taken = self._taken()
            if session is None or place is None or not taken:
                self._wake.wait()
                with self._lock:
                    if not self._closing.is_set():
                        self._wake = self._threads.event()
                continue
            with suppress(OSError, EOFError):  # the reading thread sees it too
                session.send(
                    _folders(taken, place) + b"".join(each.text(number, place) for number, each in taken)
                )

    def _taken(self) -> tuple[ShellSession | None, RemotePlace | None, list[tuple[str, _Question]]]:
        with self._lock:
            if self._session is None or self.standing.place is None:
                return None, None, []
            taken = list(self._waiting)
            self._waiting.clear()
            self._sent.update(taken)
            self._here.update(number for number, request in taken if request.lasting)
            return self._session, self.standing.place, taken


def _folders(taken: Iterable[tuple[str, _Question]], place: RemotePlace) -> bytes:
    made = [found for _, each in taken if each.folder is not None and (found := each.folder(place))]
    return call("folders", "0", *made) if made else b""
