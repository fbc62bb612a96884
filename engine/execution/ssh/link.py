"""The link to one host: made, lost, made again; whatever is asked of the host goes over it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass

from engine.execution.ssh.connect import offers
from engine.execution.ssh.quoting import call
from engine.execution.ssh.retries import Retries, is_refused
from engine.execution.ssh.session import RemotePlace, ShellSession, open_session
from engine.execution.ssh.settings import SshSettings
from engine.model.codes import ssh as codes
from engine.model.errors import SkerryError
from engine.model.plain_words import wording
from engine.model.threads import Threads

ANSWER = 30.0  # seconds that a host may take for an answer
_LOOK = 5.0  # seconds between two looks whether another key may log in meanwhile
_REPORT = "end"  # of a program: the request that started it is answered by that
_HOPELESS = {codes.UNTRUSTED_HOST.number, codes.HOST_KEY_CHANGED.number}

Answer = list[str] | None  # the words behind the number of the request; None: the link was lost
Folders = Callable[[RemotePlace], list[str]]
Text = Callable[[str, RemotePlace], bytes]  # a request from its number and what is known of the host


@dataclass(frozen=True, slots=True)
class LinkStanding:
    """``place`` while the host answers, else ``problem``; both None before the first try has ended.

    ``pause``: seconds until a login that was refused is tried again.
    """

    place: RemotePlace | None = None
    problem: SkerryError | None = None
    pause: float | None = None

    @property
    def is_untrusted(self) -> bool:
        """Whether it is not even tried: the key there is unknown, or another one."""
        return self.problem is not None and self.problem.code in _HOPELESS


@dataclass(slots=True)
class _Question:
    text: Text
    answered: Callable[[Answer], None]
    lasting: bool
    folders: Folders | None = None


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
        self._hurry = threads.event()  # it is to be connected to at once
        self._waiting: deque[tuple[str, _Question]] = deque()
        self._sent: dict[str, _Question] = {}
        self._number = 0
        self._here: set[str] = set()  # lasting requests over this session that nothing was said of
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
            self._hurry.set()
        if session is not None:
            session.close()

    def change(self, settings: SshSettings) -> None:
        """Connect again, in this way."""
        with self._lock:
            self.settings = settings
            session, has_given_up = self._session, self.standing.is_untrusted
            if has_given_up:
                self.standing = LinkStanding()
        if session is not None:
            session.close()
        elif has_given_up:
            self._threads.start(self._live, f"skerry-ssh-{settings.name}")
        else:
            self.hurry()

    def hurry(self) -> None:
        """Connect at once, if it is not connected to and only waits for its next try."""
        with self._lock:
            if self._session is None:
                self._hurry.set()

    @property
    def session(self) -> ShellSession | None:
        """The one that stands now, for transfers of files."""
        return self._session

    def is_of_now(self, number: str) -> bool:
        """Whether an answer to a lasting request is still to come, over this session or the next one."""
        with self._lock:
            return number in self._here or any(each == number for each, _ in self._waiting)

    def ask(
        self,
        text: Text,
        answered: Callable[[Answer], None],
        *,
        lasting: bool = False,
        folders: Folders | None = None,
    ) -> str:
        """Have a request sent; gives its number. A ``lasting`` one survives the loss of the link.

        ``folders`` gives those of attempts, which are made before. For requests that are sent together it is
        one program that makes them: each would cost the host as much as the start of a job.
        """
        with self._lock:
            self._number += 1
            number = str(self._number)
            lost = self.standing.place is None and not lasting
            if not lost:
                self._waiting.append((number, _Question(text, answered, lasting, folders)))
                if not self._wake.is_set():
                    self._wake.set()
        if lost:
            answered(None)
        return number

    def is_taken(self, number: str) -> None:
        """It is known that a lasting request came through: it is not sent again."""
        with self._lock:
            self._sent.pop(number, None)

    def answer_to(self, text: Text, seconds: float) -> Answer:
        """Ask and wait for the answer; None: it cannot be had in ``seconds``."""
        return self.asked(text)(seconds)

    def asked(self, text: Text) -> Callable[[float], Answer]:
        """Ask, and wait for the answer later, for so many seconds."""
        found: list[Answer] = []
        came = self._threads.event()

        def answered(answer: Answer) -> None:
            found.append(answer)
            came.set()

        def answer(seconds: float) -> Answer:
            came.wait(seconds)
            return found[0] if found else None

        self.ask(text, answered)
        return answer

    # -- the thread that connects and reads ------------------------------------------------------

    def _live(self) -> None:
        retries, settings = Retries(), self.settings
        while not self._closing.is_set():
            if settings != self.settings:
                retries, settings = Retries(), self.settings
            problem: SkerryError | None = None
            offered = offers(settings)
            try:
                session, place = open_session(settings)
            except SkerryError as error:
                problem = error
            pause = retries.after(problem)
            if problem is None:
                retries = Retries()
                self._begin(session, place, settings)
                self._lose(session, self._read(session))
            elif self._has_failed(settings, problem, pause):
                return
            self._rest(pause, settings, offered)

    def _rest(self, seconds: float, settings: SshSettings, offered: object) -> None:
        """Until the next try: it is due, to be made at once, or another key may be let in."""
        while seconds > 0 and not self._hurry.wait(min(seconds, _LOOK)):
            seconds -= _LOOK
            if offers(settings) != offered:
                break
        with self._lock:
            if not self._closing.is_set():
                self._hurry = self._threads.event()

    def _has_failed(self, settings: SshSettings, problem: SkerryError, pause: float) -> bool:
        """Whether it is given up; not when it is to be reached in another way meanwhile."""
        with self._lock:
            if problem.code in _HOPELESS and settings != self.settings:
                return False
            standing = self.standing = LinkStanding(None, problem, pause if is_refused(problem) else None)
        self._changed(standing)
        return standing.is_untrusted

    def _begin(self, session: ShellSession, place: RemotePlace, settings: SshSettings) -> None:
        with self._lock:
            self._session = session
            self._here.clear()
            is_stale = settings != self.settings
        if is_stale or self._closing.is_set():
            session.close()
        self._stands(LinkStanding(place=place))

    def _read(self, session: ShellSession) -> Exception | None:
        """Until the link is lost; an error of whatever kind ends the session, never the thread."""
        silent = False
        try:
            for words in session.lines():
                if words:
                    silent = False
                    self._take(words[0], words[1:])
                elif silent:
                    return None
                else:
                    silent = True
                    self.ask(lambda number, place: f"say {number} here\n".encode(), lambda answer: None)
        except Exception as error:
            return error
        return None

    def _take(self, number: str, words: list[str]) -> None:
        with self._lock:
            request = self._sent.pop(number, None)
            self._here.discard(number)
        if request is not None and words[0] != _REPORT:
            request.answered(words)
        else:
            self._reported(number, words)

    def _lose(self, session: ShellSession, error: Exception | None) -> None:
        session.close()
        with self._lock:
            self._session = None
            self.standing = LinkStanding()
            lost = [*self._sent.items(), *self._waiting]
            self._sent = {}
            self._waiting = deque(each for each in lost if each[1].lasting)
        if not self._closing.is_set():
            self._stands(LinkStanding(problem=self._cut(error)))
        for _, request in lost:
            if not request.lasting:
                request.answered(None)

    def _cut(self, error: Exception | None) -> SkerryError:
        where = str(self.settings.target)
        if error is None or isinstance(error, (OSError, EOFError)):
            return SkerryError.at(codes.HOST_UNREACHABLE, "the link to {where} was cut", where)
        message = "{where} cannot be reached: {error}"
        return SkerryError.at(codes.HOST_UNREACHABLE, message, where, error=wording(error))

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
            texts = [self._text(number, each, place) for number, each in taken]
            with suppress(OSError, EOFError):  # the reading thread sees it too
                session.send(_folders(taken, place) + b"".join(texts))

    def _text(self, number: str, question: _Question, place: RemotePlace) -> bytes:
        """What cannot be put into words is the fault of one request: the others are sent."""
        try:
            return question.text(number, place)
        except Exception as error:
            self._take(number, ["refused", *str(wording(error)).split(" ")])
            return b""

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
    made = [folder for _, each in taken if each.folders is not None for folder in each.folders(place)]
    return call("folders", "0", *made) if made else b""
