"""A machine that is reached over SSH as the host of attempts; nothing is installed on it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from types import MappingProxyType

from engine.execution import stage_file
from engine.execution.files import directory_errors
from engine.execution.host import LOOK_AGAIN, UNKNOWN, Attempts, Found, Growth, HostFacts, LivingStage, Turns
from engine.execution.launch import InputFile, Launch
from engine.execution.outcomes import (
    FENCED,
    FENCED_UNSEEN,
    RESTARTED,
    VOUCHED,
    Exit,
    Left,
    Lost,
    Unreachable,
)
from engine.execution.output_size import log_sizes, written
from engine.execution.ssh import arrival, inputs, intents, refusals, requests
from engine.execution.ssh.arrival import Mirror
from engine.execution.ssh.condition import HostCondition
from engine.execution.ssh.files import Files
from engine.execution.ssh.intents import Intent, SshRemains, Terms
from engine.execution.ssh.lease_keeper import Lease, LeaseKeeper
from engine.execution.ssh.leases import Leases
from engine.execution.ssh.link import Answer, LinkStanding, SshLink, Text
from engine.execution.ssh.mailbox import Mailbox
from engine.execution.ssh.quoting import call
from engine.execution.ssh.removals import Removal, Removals, removing
from engine.execution.ssh.requests import Guarded, Sent
from engine.execution.ssh.sending import Sending
from engine.execution.ssh.session import RemotePlace
from engine.execution.ssh.settings import SshSettings
from engine.execution.ssh.stage import Ended, SshStage
from engine.execution.ssh.stopping import Tree, pid_of
from engine.execution.ssh.transfers import Transfers
from engine.execution.strangers import Stranger
from engine.execution.vitals import Vitals
from engine.model.clock import Clock
from engine.model.codes import processes
from engine.model.codes import ssh as codes
from engine.model.errors import SkerryError
from engine.model.job import STAGES, StageName
from engine.model.threads import Threads

_EACH = 1.0  # seconds between two looks at what grows there, and at what an earlier link started
_ALL = 10  # rounds after which everything is looked at: what reports the end may have been killed itself
_LEAVE = 2.0  # seconds that an engine which ends waits for the removal of what it has fetched
_PATIENCE = 60.0  # seconds that who waits for an answer waits for a host that is not there
_ANSWER = 30.0  # seconds that a host may take for an answer
_BEGINS_LOOKS = 6000  # at 5 ms; a shell that was ended between making the file and the process

Key = tuple[str, str]  # mark and stage
_MARK = re.compile(r"\d+\.\d+\.[0-9a-f]+")
_OTHER_KEY = "its host shows another key than when it was sent there"
_OWN = MappingProxyType[str, str]({})


class SshHost:
    """See :class:`engine.execution.host.Host`.

    ``stands`` is called on the loop's thread whenever the host is reached or not any more, ``vitals`` each
    ten seconds with how it is, ``strangers`` when what runs there unknown to this engine has changed,
    ``bounded`` when leases without end have one again.
    """

    def __init__(
        self,
        settings: SshSettings,
        clock: Clock,
        turns: Turns,
        threads: Threads,
        stands: Callable[[LinkStanding], None] = lambda standing: None,
        vitals: Callable[[Vitals], None] = lambda vitals: None,
        strangers: Callable[[tuple[Stranger, ...]], None] = lambda found: None,
        leases: Leases | None = None,
        bounded: Callable[[], None] = lambda: None,
    ) -> None:
        self.settings = settings
        self._clock = clock
        self._turns = turns
        self._stands = stands
        self._leases = leases or Leases(settings.name, clock, threads)
        self._mail = Mailbox(turns, threads)
        self._link = SshLink(settings, threads, self._reported, self._changed)
        self._files = Files(self._link, threads)
        self._transfers = Transfers(settings.name, self._mail, threads)
        self._closing = threads.event()
        self._removals = Removals(self._link, turns, self._closing)
        self._keeper = LeaseKeeper(self._link, self._mail, self._leases, self._leased, bounded)
        self._condition = HostCondition(self._link, self._mail, clock, self._known, vitals, strangers)
        self._threads = threads
        self._stages: dict[Key, SshStage] = {}
        self._numbers: dict[str, SshStage] = {}  # by the request that started them over this link
        self._found: dict[Key, Found | None] = {}  # what an earlier engine's stage was looked up to be
        self._mirrors: dict[str, Mirror] = {}
        self._sent: set[str] = set()  # marks whose directory is there
        self._left: set[str] = set()  # marks whose attempt has ended, though not yet every stage of it
        self._starting = threads.lock()  # between a look whether a stage is given up and its start
        self._rounds = 0
        self._facts = HostFacts(settings.name, "")

    # -- the port --------------------------------------------------------------------------------

    @property
    def facts(self) -> HostFacts:
        """``boot`` is empty until the host has answered once."""
        return self._facts

    @property
    def base_env(self) -> Mapping[str, str]:
        """Nothing of the engine's: programs there have the variables of the user who logs in."""
        return _OWN

    @property
    def standing(self) -> LinkStanding:
        """Whether it answers, and else why not."""
        return self._link.standing

    def begin(self) -> None:
        self._mail.begin()
        self._link.start()
        self._turns.later(_EACH, self._look_round)

    def start(self, launch: Launch) -> SshStage:
        if launch.secrets and self.settings.secrets == "refuse":
            message = "{where} takes no job that was given a secret"
            raise SkerryError.at(codes.SECRETS_REFUSED, message, self.settings.name)
        requests.checked(launch)
        directory = os.fspath(launch.directory)
        with directory_errors(directory):
            arrival.make_logs(directory)
        path = f"{directory}/.skerry/{launch.stage}"
        intent = intents.create(path, launch.mark, self._facts.boot or "?", self._terms())
        stage = SshStage(directory, launch.stage, launch.mark, intent, launch.secrets)
        self._stages[launch.mark, launch.stage] = stage
        self._send(stage, launch)
        return stage

    def look(
        self, directory: str, stage: StageName, mark: str, *, began_in: str | None = None, looks: int = 0
    ) -> Found | None:
        key = mark, stage
        if (known := self._stages.get(key)) is not None:
            return known if known.end is None or isinstance(known.end, SkerryError) else known.end
        path = f"{directory}/.skerry/{stage}"
        record = stage_file.read(path)
        if record is not None and record.mark == mark and record.exit is not None:
            return Exit.of(record.exit)
        intent = intents.read(path, self._terms())
        if (end := self._ended_unseen(intent.terms)) is not None:
            return end
        if not self._is_the_same(intent.terms):
            return Unreachable(_OTHER_KEY)
        if began_in is not None and self._facts.boot and began_in != self._facts.boot:
            return Lost(RESTARTED)
        if record is None or (record.torn(mark) and not record.begun):
            return Lost("it was never started", begun=False)
        if record.mark != mark:
            return Lost("the record in its directory is of another attempt", begun=False)
        return self._looked_up(key, directory, intent, looks)

    def wake(self, stage: LivingStage, ended: Ended) -> None:
        assert isinstance(stage, SshStage)
        stage.listen(ended)

    def remains(self, directory: str | None, mark: str) -> SshRemains:
        return SshRemains(directory, mark, self._terms)

    def growth(self, directory: str, *, files: bool = False) -> Growth:
        """Of what is here by now."""
        return Growth(sum(log_sizes(directory)), written(directory) if files else None)

    def bring(self, directory: str, mark: str) -> None:
        stage = self._stages.get((mark, "process"))
        if stage is None or isinstance(stage.end, Exit):
            return  # it came with the end
        mirror = self._mirror(stage)
        answer = self._link.answer_to(lambda number, place: call("left", number, mirror.remote), _ANSWER)
        if answer is None or mirror is not self._mirrors.get(mark):
            raise refusals.unreachable(self.settings.target)
        arrival.bring(self._files, mirror, answer[1])

    def stop(self, directory: str | None, mark: str, grace: float) -> Left:
        with self._starting:  # what is still being sent is not begun any more
            for stage in [each for each in list(self._stages.values()) if each.mark == mark]:
                stage.given_up = True
        return self._tree(directory, mark).stop(grace)

    def kill_now(self, directory: str, mark: str) -> None:
        self._tree(directory, mark).kill_now()

    def living(self, attempts: Attempts) -> tuple[int, ...]:
        return tuple(sorted({pid for each in attempts for pid in self._living(*each)}))

    def _living(self, directory: str | None, mark: str) -> list[int]:
        terms = intents.terms_of(directory, mark)
        if terms is not None and self._ended_unseen(terms) is not None:
            return []
        if terms is not None and not self._is_the_same(terms):
            return [UNKNOWN]
        members = self._tree(directory, mark).members()
        return [UNKNOWN] if members is None else list(map(pid_of, members))

    def forget(self, directory: str, mark: str) -> None:
        known = [self._stages.get((mark, each)) for each in STAGES]
        if any(each is not None and not isinstance(each.end, Exit) for each in known):
            self._left.add(mark)  # what is not known for certain may still be asked for
            return
        stages = [self._stages.pop((mark, each), None) for each in STAGES]
        pids = tuple(each.outer for each in stages if each is not None and each.outer)
        terms = intents.terms_of(directory, mark) or self._terms()
        self._mirrors.pop(mark, None)
        self._sent.discard(mark)
        self._removals.add(Removal(terms.root, mark, pids))

    def marks(self) -> list[str]:
        """The attempts that have a directory there and are not known here; blocks."""
        answer = self._link.answer_to(lambda number, place: call("marks", number, place.root), _ANSWER)
        found = [each for each in (answer or ["marks"])[1:] if each]
        known = self._known()
        return [mark for mark in found if mark not in known and _MARK.fullmatch(mark)]

    def sweep(self, mark: str) -> None:
        """Remove what an attempt left that has ended, unless something of it lives; blocks."""
        if self.living([(None, mark)]) == ():
            self._link.answer_to(partial(removing, [Removal(self.settings.root, mark)]), _ANSWER)

    def change(self, settings: SshSettings) -> None:
        """Reach it so from now on; attempts stay where they are."""
        if settings != self.settings:
            self.settings = settings
            self._link.change(settings)

    @property
    def has_leases(self) -> bool:
        """Whether something there ends itself without its engine."""
        return bool(self._leased())

    def leave(self) -> None:
        """The engine ends in an orderly way: what runs goes on without it. Takes two seconds at most."""
        self._keeper.leave(_LEAVE)

    def close(self) -> None:
        self._removals.finish(_LEAVE)
        self._closing.set()
        self._link.close()
        self._mail.close()
        self._transfers.close()

    # -- under what it is sent -----------------------------------------------------------------------

    def _terms(self) -> Terms:
        settings, key = self.settings, self.settings.target.host_key
        shown, fence = "" if key is None else key.fingerprint, settings.fence
        lease = "" if fence is None else self._leases.file(fence)
        return Terms(settings.root, shown, fence, settings.grace, lease, settings.vouched)

    def _is_the_same(self, terms: Terms) -> bool:
        """Whether this is the machine that something was sent to."""
        return terms.key in ("", self._terms().key)

    def _ended_unseen(self, terms: Terms) -> Lost | None:
        """What is certain without asking: a person vouched for it, or its fence has ended it."""
        if terms.vouched < self.settings.vouched:
            return Lost(VOUCHED)
        if terms.fence is not None and self._leases.is_over(terms.fence, terms.grace):
            return Lost(FENCED_UNSEEN)
        return None

    def _leased(self) -> set[Lease]:
        """The leases that something has, or will have."""
        every = [self._terms(), *(each.intent.terms for each in list(self._stages.values()))]
        return {Lease(each.root, each.lease, each.fence) for each in every if each.fence is not None}

    def _known(self) -> set[str]:
        """The marks of attempts."""
        return {mark for mark, _ in list(self._stages)}

    # -- what was started --------------------------------------------------------------------------

    def _send(self, stage: SshStage, launch: Launch) -> None:
        again = stage.mark in self._sent
        sent = requests.sent_with(stage.directory, again=again)
        self._sent.add(stage.mark)
        if sent.files or (launch.inputs and not again):
            self._send_files(stage, launch, sent, () if again else launch.inputs)
        else:
            self._send_start(stage, launch, sent)

    def _send_files(self, stage: SshStage, launch: Launch, sent: Sent, files: tuple[InputFile, ...]) -> None:
        """What is too long for a request goes before it, and so do files of this machine."""
        place, terms = self._link.standing.place, stage.intent.terms
        directory = f"{place.path(terms.root)}/{stage.mark}" if place is not None else None

        def sending() -> None:
            if directory is None:
                raise refusals.unreachable(self.settings.target)
            self._make_folders(directory, files)
            sending = Sending(self._files, stage, directory)
            for name in sent.files:
                sending.own(name, launch.inputs)
            for each in files:
                sending.input(each)

        def gone(problem: SkerryError | None) -> None:
            if stage.given_up:
                self._never_started(stage)
            elif problem is None:
                self._send_start(stage, launch, sent)
            elif not refusals.passes(problem):
                stage.is_over(self._undone(stage, problem))
            elif not self._closing.is_set():
                self._turns.later(_EACH, lambda: self._send_files(stage, launch, sent, files))

        self._transfers.carry(sending, gone)

    def _make_folders(self, directory: str, files: tuple[InputFile, ...]) -> None:
        folders = [inputs.folder(each, directory) for each in files]
        answer = self._link.answer_to(
            lambda number, place: call("place", number, directory, *folders), _ANSWER
        )
        if answer is None:
            raise refusals.unreachable(self.settings.target)
        if answer[0] != "place":
            raise refusals.of_host(answer[0], str(self.settings.target), " ".join(answer[1:]))

    def _send_start(self, stage: SshStage, launch: Launch, sent: Sent) -> None:
        file, terms = stage.intent.file(stage.stage), stage.intent.terms

        def text(number: str, place: RemotePlace) -> bytes:
            if stage.end is not None:  # it was given up before it could be sent
                return f"say {number} off\n".encode()
            root, renewed, guarded = place.path(terms.root), b"", None
            if terms.fence is not None:
                lease = Lease(terms.root, terms.lease, terms.fence)
                renewed = self._keeper.renewal(lease, "0", place)
                guarded = Guarded(lease.path(place), terms.grace)
            directory, token = f"{root}/{stage.mark}", stage.intent.token
            return renewed + requests.start(number, place.key, launch, directory, file, token, sent, guarded)

        def folder(place: RemotePlace) -> str | None:
            return f"{place.path(terms.root)}/{stage.mark}" if stage.end is None else None

        def answered(answer: Answer) -> None:
            self._mail.post(lambda: self._started(stage, answer, again))

        def again() -> None:
            if stage.end is None and not self._closing.is_set():
                self._send_start(stage, launch, sent)

        with self._starting:
            if not stage.given_up:
                stage.number = self._link.ask(text, answered, lasting=True, folder=folder)
                self._numbers[stage.number] = stage
                return
        self._never_started(stage)

    def _never_started(self, stage: SshStage) -> None:
        """Whoever stopped it needs no end of it."""
        self._stages.pop((stage.mark, stage.stage), None)
        self._is_free(stage)

    def _is_free(self, stage: SshStage) -> None:
        """Its attempt may have ended before it was certain how this stage did."""
        if stage.mark in self._left:
            self._left.discard(stage.mark)
            self.forget(stage.directory, stage.mark)

    def _started(self, stage: SshStage, answer: Answer, again: Callable[[], None]) -> None:
        if answer is None:
            return  # lasting: it comes again
        word, *facts = answer
        if word == "off":
            self._numbers.pop(stage.number, None)
            return
        if word == "unleased":  # it was so long on its way that its lease had run out
            self._numbers.pop(stage.number, None)
            self._turns.later(_EACH, again)
            return
        if word == "again":  # it came through before the link was cut: its end is reported to nobody
            self._numbers.pop(stage.number, None)
            stage.number = ""
            if facts and facts[0]:
                self._has_pid(stage, int(facts[0]))
        else:
            self._not_started(stage, word, facts)

    def _has_pid(self, stage: SshStage, pid: int) -> None:
        intents.note_pid(stage.record, pid)
        stage.is_known(pid)

    def _not_started(self, stage: SshStage, word: str, facts: list[str]) -> None:
        self._numbers.pop(stage.number, None)
        where = str(self.settings.target)
        if word == "already":
            problem = SkerryError.at(processes.ALREADY_STARTED, "it was started before on {where}", where)
        else:
            problem = self._undone(stage, refusals.of_host(word, where, " ".join(facts)))
        stage.is_over(problem)

    def _undone(self, stage: SshStage, problem: SkerryError) -> SkerryError:
        """It was certainly never begun, so it may be started after all."""
        self._stages.pop((stage.mark, stage.stage), None)
        self.remains(stage.directory, stage.mark).forget(stage.stage)
        return problem

    def _reported(self, number: str, words: list[str]) -> None:
        self._mail.post(lambda: self._report(number, words))

    def _report(self, number: str, words: list[str]) -> None:
        stage = self._numbers.get(number)
        if stage is None:
            return
        if words[0] == "outer":
            stage.outer = words[1]
        elif words[0] == "began":
            self._has_pid(stage, int(words[1]))
        elif words[0] == "end":
            del self._numbers[number]
            self._program_ended(stage, int(words[1]), words[2])

    # -- what it left ------------------------------------------------------------------------------

    def _program_ended(self, stage: SshStage, status: int, flags: str) -> None:
        if stage.leaving or stage.end is not None:
            return
        stage.leaving = True
        end = None if "f" in flags else status  # fenced: it did not end by itself
        if flags == "-":
            return self._all_here(stage, end)
        mirror = self._mirror(stage)
        self._transfers.carry(
            partial(arrival.bring, self._files, mirror, flags), partial(self._brought, stage, end)
        )

    def _brought(self, stage: SshStage, status: int | None, problem: SkerryError | None) -> None:
        if problem is None:
            return self._all_here(stage, status)
        stage.leaving = False  # looked at again with the next round, or when the link is there again
        if not refusals.passes(problem):
            stage.is_over(problem)

    def _all_here(self, stage: SshStage, status: int | None) -> None:
        if status is None:
            return stage.is_over(Lost(FENCED))
        end = Exit.of(status)
        if status and not stage.pid:
            end = Exit(status, problem=processes.NOT_STARTED)
        with suppress(OSError):  # its directory is gone: the end itself is known
            intents.note_end(stage.record, stage.pid, end)
        self._found.pop((stage.mark, stage.stage), None)
        stage.is_over(end)
        self._is_free(stage)

    def _mirror(self, stage: SshStage) -> Mirror:
        place = self._link.standing.place
        known = self._mirrors.get(stage.mark)
        if known is None:
            root = place.path(stage.intent.terms.root) if place is not None else ""
            known = Mirror(stage.directory, f"{root}/{stage.mark}", stage.secrets, self._threads.lock())
            if place is not None:
                self._mirrors[stage.mark] = known
        return known

    # -- looks -------------------------------------------------------------------------------------

    def _looked_up(self, key: Key, directory: str, intent: Intent, looks: int) -> Found | None:
        """What the host says of a stage that an earlier engine sent; None while it is asked."""
        standing = self._link.standing
        if standing.place is None:
            why = standing.problem.message if standing.problem is not None else "it is being connected to"
            return Unreachable(str(why))
        if key not in self._found:
            self._found[key] = None
            self._ask_about(key, directory, intent)
        found = self._found[key]
        if isinstance(found, Lost):
            del self._found[key]
        if found is None and looks > _BEGINS_LOOKS:
            return Lost("whether it began on its host is not known")
        return found

    def _ask_about(self, key: Key, directory: str, intent: Intent) -> None:
        def answered(answer: Answer) -> None:
            self._mail.post(lambda: self._answered_about(key, directory, intent, answer))

        mark, stage = key
        self._link.ask(partial(_voiding, intent, stage, mark), answered)

    def _answered_about(self, key: Key, directory: str, intent: Intent, answer: Answer) -> None:
        mark, name = key
        if answer is None or answer[0] in ("begins", "refused"):
            self._found.pop(key, None)  # asked again at the next look
            return
        word, *facts = answer
        if word in ("lives", "exit", "fenced"):
            pid = int(facts[1] if word == "exit" else facts[0])
            stage: StageName = name  # type: ignore[assignment]
            taken = SshStage(directory, stage, mark, intent, pid=pid)
            self._stages[key] = taken
            self._sent.add(mark)
            if pid:
                intents.note_pid(taken.record, pid)
            if word == "exit":
                self._program_ended(taken, int(facts[0]), facts[2])
            elif word == "fenced":
                self._program_ended(taken, 0, facts[1] + "f")
            self._found.pop(key, None)
        elif word == "never":
            self._found[key] = Lost("its process was never started", begun=False)
        elif word == "restarted":
            self._found[key] = Lost(RESTARTED)
        else:
            self._found[key] = Lost("what writes down its outcome was killed before it could")

    # -- every second, and when the link comes and goes -----------------------------------------------

    def _changed(self, standing: LinkStanding) -> None:
        self._mail.post(lambda: self._change(standing))

    def _change(self, standing: LinkStanding) -> None:
        if standing.place is not None:
            self._facts = HostFacts(self.settings.name, standing.place.boot)
            self._leases.heard(standing.place.boot, standing.place.uptime)
            self._condition.look_for_strangers(self.settings.root)
        self._stands(standing)

    def _look_round(self) -> None:
        if self._closing.is_set():
            return
        self._turns.later(_EACH, self._look_round)
        self._condition.look(self._rounds, self.settings.root)
        self._keeper.renew(self._rounds)
        self._rounds += 1
        self._end_unseen()
        running = [each for each in self._stages.values() if each.end is None and not each.leaving]
        if self._link.standing.place is None or not running:
            return
        for each in running:
            if not self._rounds % _ALL or not each.seen or not self._is_of_this_link(each):
                self._look_at(each)
        self._look_at_sizes([each for each in running if each.pid])

    def _end_unseen(self) -> None:
        for each in list(self._stages.values()):
            if each.end is None and (end := self._ended_unseen(each.intent.terms)) is not None:
                self._give_up(each)
                each.is_over(end)

    def _give_up(self, stage: SshStage) -> None:
        """A request that is still on its way comes to nothing, also when the host is back."""
        with self._starting:
            stage.given_up = True
        asked = partial(_voiding, stage.intent, stage.stage, stage.mark)
        self._link.ask(asked, lambda answer: None, lasting=True)

    def _is_of_this_link(self, stage: SshStage) -> bool:
        return self._numbers.get(stage.number) is stage and self._link.is_of_now(stage.number)

    def _look_at(self, stage: SshStage) -> None:
        file = stage.intent.file(stage.stage)

        def text(number: str, place: RemotePlace) -> bytes:
            root = place.path(stage.intent.terms.root)
            return call("look", number, f"{root}/{stage.mark}/.skerry/{file}")

        self._link.ask(text, lambda answer: self._mail.post(lambda: self._looked(stage, answer)))

    def _looked(self, stage: SshStage, answer: Answer) -> None:
        if answer is None or stage.end is not None or stage.leaving:
            return
        word, *facts = answer
        if word == "exit":
            stage.pid = stage.pid or int(facts[1])
            self._program_ended(stage, int(facts[0]), facts[2])
        elif word == "fenced":
            self._program_ended(stage, 0, facts[1] + "f")
        elif word == "lives":
            stage.seen = True
            if not stage.pid:
                self._has_pid(stage, int(facts[0]))
        elif word == "restarted":
            stage.is_over(Lost(RESTARTED))
        elif word == "lost":
            stage.is_over(Lost("what writes down its outcome was killed before it could"))
        elif word in ("never", "nothing") and stage.pid:
            stage.is_over(Lost("its directory on the host is gone"))

    def _look_at_sizes(self, stages: list[SshStage]) -> None:
        if not stages:
            return

        def text(number: str, place: RemotePlace) -> bytes:
            folders = (f"{place.path(each.intent.terms.root)}/{each.mark}" for each in stages)
            return call("sizes", number, *folders)

        self._link.ask(text, lambda answer: self._mail.post(lambda: self._sized(stages, answer)))

    def _sized(self, stages: list[SshStage], answer: Answer) -> None:
        if answer is None:
            return
        words = [each for each in answer[1:] if each]
        cut = words.index(":")
        bytes_of = iter(map(int, words[cut + 1 :]))
        sizes = [next(bytes_of, 0) if each == "+" else 0 for each in words[:cut]]
        for place, stage in enumerate(stages):
            three = tuple(sizes[3 * place : 3 * place + 3])
            if any(three) and stage.end is None and not stage.leaving:
                grown = partial(arrival.grow, self._files, self._mirror(stage), three)
                self._transfers.carry(grown, lambda problem: None)

    # -- threads that may wait ---------------------------------------------------------------------

    def _tree(self, directory: str | None, mark: str) -> Tree:
        return Tree(self._patiently, mark, self._files_of(directory, mark), self._clock, self._closing)

    def _files_of(self, directory: str | None, mark: str) -> Callable[[RemotePlace], list[str]]:
        """The stage files there."""
        root = (intents.terms_of(directory, mark) or self._terms()).root
        names = []
        for stage in STAGES:
            last = intents.generation(f"{directory}/.skerry/{stage}") if directory else 0
            names += [stage if not each else f"{stage}.{each}" for each in range(last + 1)]
        return lambda place: [f"{place.path(root)}/{mark}/.skerry/{name}" for name in names]

    def _patiently(self, text: Text) -> Answer:
        """The answer of a host that may have to be connected to again first."""
        until = self._clock.monotonic() + _PATIENCE
        while not self._closing.is_set():
            answer = self._link.answer_to(text, _ANSWER)
            if answer is not None or self._clock.monotonic() >= until:
                return answer
            self._closing.wait(LOOK_AGAIN * 20)
        return None


def _voiding(intent: Intent, stage: str, mark: str, number: str, place: RemotePlace) -> bytes:
    """Ask what became of a stage; what was not begun shall not be."""
    directory = f"{place.path(intent.terms.root)}/{mark}"
    return call("void", number, directory, intent.file(stage), mark)
