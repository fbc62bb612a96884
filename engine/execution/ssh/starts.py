"""The starts of stages on a host: sent once for each, and again until it is known that they came through."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from engine.execution.host import Turns
from engine.execution.launch import InputFile, Launch
from engine.execution.outcomes import RESTARTED, Lost
from engine.execution.remains import LocalRemains
from engine.execution.ssh import inputs, intents, refusals, requests
from engine.execution.ssh.answers import NO_FORK
from engine.execution.ssh.files import Files
from engine.execution.ssh.lease_keeper import Lease, LeaseKeeper
from engine.execution.ssh.link import ANSWER, Answer, SshLink
from engine.execution.ssh.mailbox import Mailbox
from engine.execution.ssh.quoting import call
from engine.execution.ssh.requests import Guarded, Sent
from engine.execution.ssh.room import RoomWaits
from engine.execution.ssh.sending import Sending
from engine.execution.ssh.sent_stages import SentStages
from engine.execution.ssh.session import RemotePlace
from engine.execution.ssh.spare_folders import SpareFolders
from engine.execution.ssh.stage import SshStage
from engine.execution.ssh.transfers import Transfers
from engine.model.codes import processes
from engine.model.errors import SkerryError
from engine.model.threads import Event, Threads

_AGAIN = 1.0  # seconds until what could not be sent is tried again
_LOOKS = ("exit", "fenced", "lives", "begins", "never", "restarted", "lost")


class Starts:
    """Loop thread only, but for ``give_up_attempt``.

    ``is_there`` says whether this is the machine that a stage was sent to, ``seen`` takes what
    it says of a stage, ``met`` what works in its root beside what this engine sent, ``remains`` gives those
    of an attempt, ``dropped`` takes a stage that was stopped before it was begun.
    """

    def __init__(
        self,
        link: SshLink,
        mail: Mailbox,
        turns: Turns,
        threads: Threads,
        files: Files,
        transfers: Transfers,
        sent: SentStages,
        keeper: LeaseKeeper,
        closing: Event,
        room: RoomWaits,
        spare: SpareFolders,
        *,
        is_there: Callable[[SshStage], bool],
        seen: Callable[[SshStage, Sequence[str]], None],
        remains: Callable[[str, str], LocalRemains],
        met: Callable[[list[str]], None],
        dropped: Callable[[SshStage], None],
    ) -> None:
        self._link = link
        self._mail = mail
        self._turns = turns
        self._files = files
        self._transfers = transfers
        self._sent = sent
        self._keeper = keeper
        self._closing = closing
        self._room = room
        self._spare = spare
        self._is_there = is_there
        self._seen = seen
        self._remains = remains
        self._met = met
        self._dropped = dropped
        self._lock = threads.lock()  # between a look whether a stage is given up and its start
        self._numbers: dict[str, SshStage] = {}  # by the request that started them over this link

    def begin(self, stage: SshStage, launch: Launch) -> None:
        """Have it sent, with the files that its program is to find."""
        again = self._sent.is_there(stage.mark)
        sent = requests.sent_with(stage.directory, again=again)
        spare = () if again else self._spare.begins(stage.mark, stage.intent.terms.root)
        if sent.files or (launch.inputs and not again):
            self._send_files(stage, launch, sent, () if again else launch.inputs)
        else:
            self._send(stage, launch, sent, spare)

    def is_reported(self, stage: SshStage) -> bool:
        """Whether its end is reported over the link of now."""
        return self._numbers.get(stage.number) is stage and self._link.is_of_now(stage.number)

    def ended(self, number: str) -> SshStage | None:
        """The stage whose end was reported."""
        return self._numbers.pop(number, None)

    def give_up_attempt(self, mark: str) -> None:
        """What is still being sent is not begun any more; from any thread."""
        with self._lock:
            for stage in self._sent.all():
                stage.given_up |= stage.mark == mark

    def give_up(self, stage: SshStage) -> None:
        """A request that is still on its way comes to nothing, also when the host is back."""
        with self._lock:
            stage.given_up = True
        self._link.ask(partial(requests.void, stage), lambda answer: None, lasting=True)

    # -- files first -----------------------------------------------------------------------------

    def _send_files(self, stage: SshStage, launch: Launch, sent: Sent, files: tuple[InputFile, ...]) -> None:
        """What is too long for a request goes before it, and so do files of this machine."""
        place = self._link.standing.place
        directory = stage.folder(place) if place is not None else None

        def sending() -> None:
            if directory is None or not self._is_there(stage):
                raise refusals.unreachable(self._link.settings.target)
            self._make_folders(directory, files)
            sending = Sending(self._files, stage, directory)
            for name in sent.files:
                sending.own(name, launch.inputs)
            for each in files:
                sending.input(each)

        def gone(problem: SkerryError | None) -> None:
            self._room.carried(stage.mark, problem)
            if stage.given_up:
                self._drop(stage)
            elif problem is None:
                self._send(stage, launch, sent)
            elif not refusals.passes(problem):
                stage.is_over(self._undone(stage, problem))
            elif not self._closing.is_set():
                self._turns.later(_AGAIN, lambda: self._send_files(stage, launch, sent, files))

        self._transfers.carry(sending, gone)

    def _make_folders(self, directory: str, files: tuple[InputFile, ...]) -> None:
        folders = [inputs.folder(each, directory) for each in files]
        answer = self._link.answer_to(
            lambda number, place: call("place", number, directory, *folders), ANSWER
        )
        target = self._link.settings.target
        if answer is None:
            raise refusals.unreachable(target)
        if answer[0] != "place":
            raise refusals.of_host(answer[0], str(target), " ".join(answer[1:]))

    # -- the start itself --------------------------------------------------------------------------

    def _send(self, stage: SshStage, launch: Launch, sent: Sent, spare: Sequence[str] = ()) -> None:
        def folders(place: RemotePlace) -> list[str]:
            own = [stage.folder(place)] if stage.end is None and self._is_there(stage) else []
            return own + [stage.beside(place, mark) for mark in self._spare.still(spare)]

        def again() -> None:
            if stage.end is None and not self._closing.is_set():
                self._send(stage, launch, sent)

        def answered(answer: Answer) -> None:
            if answer is not None:  # else it is sent again
                self._mail.post(partial(self._answered, stage, answer, again))

        with self._lock:
            if not stage.given_up:
                text = partial(self._text, stage, launch, sent)
                stage.number = self._link.ask(text, answered, lasting=True, folders=folders)
                self._numbers[stage.number] = stage
                return
        self._drop(stage)

    def _text(self, stage: SshStage, launch: Launch, sent: Sent, number: str, place: RemotePlace) -> bytes:
        if stage.end is not None:  # it was given up before it could be sent
            return f"say {number} off\n".encode()
        if not self._is_there(stage):  # it may have begun on the machine that was there before
            return f"say {number} elsewhere\n".encode()
        if stage.sent_in not in ("", place.boot):  # it may have begun before that was started again
            return requests.look(stage, number, place)
        stage.sent_in = place.boot
        renewed, guarded, terms = b"", None, stage.intent.terms
        if terms.fence is not None:
            lease = Lease(terms.root, terms.lease, terms.fence)
            renewed = self._keeper.renewal(lease, "0", place)
            guarded = Guarded(lease.path(place), terms.grace)
        file, token, known = (
            stage.intent.file(stage.stage),
            stage.intent.token,
            sorted(self._sent.answered_for()),
        )
        return renewed + requests.start(
            number, launch, stage.folder(place), file, token, sent, guarded, known
        )

    def _answered(self, stage: SshStage, answer: Sequence[str], again: Callable[[], None]) -> None:
        """Any answer but the report of its end says that this request has not begun it."""
        self._numbers.pop(stage.number, None)
        word, *facts = answer
        if word == "busy":
            self._met(facts)
        if word in ("unleased", "elsewhere") or (word == "busy" and not stage.is_first):
            # it was so long on its way that its lease had run out, others are there, or it is another machine
            self._turns.later(_AGAIN, again)
        elif word == NO_FORK:
            self._begin_again(stage, again)
        elif word == "again":  # it came through before the link was cut: its end is reported to nobody
            stage.number = ""
            if facts and facts[0]:
                stage.has_pid(int(facts[0]))
        elif word == "nothing":  # the host was started again, and nothing is left of what was sent
            stage.is_over(Lost(RESTARTED))
        elif word in _LOOKS:
            self._seen(stage, answer)
        elif word != "off":
            stage.is_over(self._refused(stage, word, facts))

    def _begin_again(self, stage: SshStage, again: Callable[[], None]) -> None:
        """The host had no process left for it, so nothing of it is there: under another name it may begin."""
        try:
            self._remains(stage.directory, stage.mark).forget(stage.stage)
            stage.intent = intents.renewed(stage.record, stage.mark, stage.sent_in, stage.intent)
        except SkerryError as problem:
            return stage.is_over(self._undone(stage, problem))
        self._turns.later(_AGAIN, again)

    def _refused(self, stage: SshStage, word: str, facts: list[str]) -> SkerryError:
        where = str(self._link.settings.target)
        if word == "already":
            return SkerryError.at(processes.ALREADY_STARTED, "it was started before on {where}", where)
        if word == "busy":
            return self._undone(stage, refusals.busy(self._link.settings.name, facts))
        return self._undone(stage, refusals.of_host(word, where, " ".join(facts)))

    def _undone(self, stage: SshStage, problem: SkerryError) -> SkerryError:
        """It was certainly never begun, so it may be started after all."""
        self._sent.drop(stage)
        if stage.is_first:
            self._sent.is_not_there(stage.mark)
        self._remains(stage.directory, stage.mark).forget(stage.stage)
        return problem

    def _drop(self, stage: SshStage) -> None:
        """Whoever stopped it needs no end of it."""
        self._sent.drop(stage)
        self._dropped(stage)
