"""A machine that is reached over SSH as the host of attempts; nothing is installed on it.

What is sent, looked at, ended and taken up has modules of its own; here is what the engine asks of a host.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from zlib import crc32

from engine.execution.files import directory_errors
from engine.execution.host import (
    LOOK_AGAIN,
    UNKNOWN,
    Attempts,
    Found,
    GivenSecrets,
    Growth,
    HostFacts,
    LivingStage,
    Turns,
)
from engine.execution.launch import Launch
from engine.execution.outcomes import Exit, Left, Lost, Unreachable
from engine.execution.output_size import log_sizes, written
from engine.execution.ssh import answers, arrival, confirming, files_there, intents, own_record, requests
from engine.execution.ssh.beginnings import Beginnings
from engine.execution.ssh.condition import HostCondition
from engine.execution.ssh.earlier_stages import EarlierStages
from engine.execution.ssh.endings import Endings
from engine.execution.ssh.fencing import OTHER_KEY, Fencing
from engine.execution.ssh.files import Files
from engine.execution.ssh.intents import Intent, SshRemains
from engine.execution.ssh.lease_keeper import Lease, LeaseKeeper
from engine.execution.ssh.leases import Leases
from engine.execution.ssh.link import ANSWER, Answer, LinkStanding, SshLink, Text
from engine.execution.ssh.looks import StageLooks
from engine.execution.ssh.mailbox import Mailbox
from engine.execution.ssh.quoting import call
from engine.execution.ssh.removals import Removal, Removals, removing
from engine.execution.ssh.room import RoomWaits, Waits
from engine.execution.ssh.sampling import Sampling
from engine.execution.ssh.sent_stages import SentStages
from engine.execution.ssh.session import RemotePlace
from engine.execution.ssh.settings import SshSettings
from engine.execution.ssh.spare_folders import Coming, NoneComing, SpareFolders
from engine.execution.ssh.stage import Ended, SshStage
from engine.execution.ssh.starts import Starts
from engine.execution.ssh.stopping import Tree, pid_of
from engine.execution.ssh.transfers import Transfers
from engine.execution.strangers import Stranger
from engine.execution.tree_usage import TreeUsage
from engine.execution.vitals import Vitals
from engine.model.clock import Clock
from engine.model.codes import ssh as codes
from engine.model.errors import SkerryError
from engine.model.job import STAGES, StageName
from engine.model.threads import Threads
from engine.plugins.resource_type import FileFacts

_EACH = 1.0  # seconds between two looks at what grows there, and at what an earlier link started
_LEAVE = 2.0  # seconds that an engine which ends waits for the removal of what it has fetched
_PATIENCE = 60.0  # seconds that who waits for an answer waits for a host that is not there

_MARK = re.compile(r"\d+\.\d+\.[0-9a-f]+")
_OWN = MappingProxyType[str, str]({})


class SshHost:
    """See :class:`engine.execution.host.Host`.

    ``stands`` is called on the loop's thread whenever the host is reached or not any more, ``vitals`` each
    ten seconds with how it is, ``strangers`` when what runs there unknown to this engine has changed,
    ``bounded`` with its key when leases without end have one again, ``waits`` with the mark of an attempt
    whose files wait for room at either end, or go on. What ``succeeded`` in an earlier engine is no stranger.
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
        succeeded: Callable[[Stranger], bool] = lambda found: False,
        leases: Leases | None = None,
        bounded: Callable[[str], None] = lambda key: None,
        waits: Waits = lambda mark, problem: None,
        coming: Coming | None = None,
    ) -> None:
        self._clock = clock
        self._turns = turns
        self._stands = stands
        self._leases = leases or Leases(settings.name, clock, threads)
        self._sent = SentStages()
        self._mail = mail = Mailbox(turns, threads)
        self._link = link = SshLink(settings, threads, self._reported, self._changed)
        self._transfers = Transfers(settings.name, mail, threads)
        self._closing = threads.event()
        self._fencing = Fencing(link, self._leases)
        self._keeper = LeaseKeeper(link, mail, self._leases, self._leased, bounded)
        self._removals = Removals(link, turns, self._closing, lambda: bool(self._sent.running()))
        self._spare = SpareFolders(coming or NoneComing(), self._removals.add)
        self._condition = HostCondition(link, mail, clock, self._sent, vitals, strangers, succeeded)
        self._sampling = Sampling(link, mail, clock)
        self._rounds = crc32(settings.name.encode())  # not every host is asked for its load at the same one
        self._facts = HostFacts(settings.name, "")
        files, beginnings, room = Files(link, threads), Beginnings(clock), RoomWaits(waits)
        is_there = self._fencing.is_there
        self._endings = Endings(link, files, self._transfers, threads, room, is_there, self._is_free)
        self._earlier = EarlierStages(link, mail, self._sent, self._endings, beginnings)
        self._looks = StageLooks(
            link, mail, self._endings, beginnings, lambda stage: self._starts.is_reported(stage)
        )
        self._starts = Starts(
            link, mail, turns, threads, files, self._transfers, self._sent, self._keeper, self._closing, room,
            self._spare,
            is_there=is_there,
            seen=self._looks.take, remains=self.remains, met=self._condition.met, dropped=self._is_free,
        )  # fmt: skip

    # -- the port --------------------------------------------------------------------------------

    @property
    def settings(self) -> SshSettings:
        """How it is reached."""
        return self._link.settings

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
        self._look_later()

    def start(self, launch: Launch) -> SshStage:
        if launch.has_secret and self.settings.secrets == "refuse":
            message = "{where} takes no job that was given a secret"
            raise SkerryError.at(codes.SECRETS_REFUSED, message, self.settings.name)
        requests.checked(launch)
        directory = os.fspath(launch.directory)
        with directory_errors(directory):
            arrival.make_logs(directory)
        path = f"{directory}/.skerry/{launch.stage}"
        boot, terms = self._facts.boot or "?", self._fencing.terms()
        intent = intents.create(path, launch.mark, boot, terms, has_secrets=bool(launch.secrets))
        stage = SshStage(directory, launch.stage, launch.mark, intent, launch.secrets)
        self._sent.put(stage)
        self._starts.begin(stage, launch)
        return stage

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
        if (known := self._sent.find(mark, stage)) is not None:
            return known if known.end is None or isinstance(known.end, SkerryError) else known.end
        restarted = began_in is not None and self._facts.boot not in ("", began_in)
        found = own_record.read(
            directory, stage, mark, self._fencing.terms(), self._fencing.certain, restarted=restarted
        )
        if not isinstance(found, Intent):
            return found
        given = secrets if secrets is not None or found.has_secrets else ()
        return self._earlier.look(directory, stage, mark, found, given)

    def wake(self, stage: LivingStage, ended: Ended) -> None:
        assert isinstance(stage, SshStage)
        stage.listen(ended)

    def confirm(self, stage: LivingStage) -> Exit | Lost | Unreachable | None:
        assert isinstance(stage, SshStage)
        if stage.end is None and not self._fencing.is_there(stage):
            return Unreachable(OTHER_KEY)
        return confirming.confirmed(self._link, stage, ANSWER)

    def remains(self, directory: str | None, mark: str) -> SshRemains:
        return SshRemains(directory, mark, self._fencing.terms)

    def growth(self, directory: str, *, files: bool = False) -> Growth:
        """Of what is here by now."""
        return Growth(sum(log_sizes(directory)), written(directory) if files else None)

    def usage(self, mark: str, most: int | None) -> TreeUsage | None:
        return self._sampling.usage(mark, most)

    def look_at_file(self, path: str, digest: bool) -> FileFacts:
        return files_there.looked_at(self._link, path, digest)

    def bring(self, directory: str, mark: str) -> None:
        stage = self._sent.find(mark, "process")
        if stage is not None and not isinstance(stage.end, Exit):  # else it came with the end
            self._endings.bring(stage)

    def stop(self, directory: str | None, mark: str, grace: float) -> Left:
        self._starts.give_up_attempt(mark)
        return self._tree(directory, mark).stop(grace)

    def kill_now(self, directory: str, mark: str) -> None:
        self._tree(directory, mark).kill_now()

    def living(self, attempts: Attempts) -> tuple[int, ...]:
        return tuple(sorted({pid for each in attempts for pid in self._living(*each)}))

    def is_elsewhere(self, mark: str) -> bool:
        """Whether something of an attempt was sent to another machine than is there now, and has no end."""
        sent = (each for each in self._sent.of(mark) if each.end is None)
        return any(not self._fencing.is_there(each) for each in sent)

    def _living(self, directory: str | None, mark: str) -> list[int]:
        terms = intents.terms_of(directory, mark)
        if terms is not None and self._fencing.ended_unseen(terms) is not None:
            return []
        members = self._tree(directory, mark).members()
        return [UNKNOWN] if members is None else list(map(pid_of, members))

    def forget(self, directory: str, mark: str) -> None:
        stages = self._sent.forget(mark)
        if stages is None:
            return
        terms = stages[0].intent.terms if stages else intents.terms_of(directory, mark)
        self._endings.forget(mark)
        self._removals.add(Removal((terms or self._fencing.terms()).root, mark))

    def marks(self) -> list[str]:
        """The attempts that have a directory there and are not known here; blocks."""
        answer = self._link.answer_to(lambda number, place: call("marks", number, place.root), ANSWER)
        found = [each for each in (answer or ["marks"])[1:] if each]
        known = self._sent.marks() | self._spare.marks()
        return [mark for mark in found if mark not in known and _MARK.fullmatch(mark)]

    def sweep(self, mark: str) -> None:
        """Remove what an attempt left that has ended, unless something of it lives; blocks."""
        if self.living([(None, mark)]) == ():
            self._link.answer_to(partial(removing, [Removal(self.settings.root, mark)]), ANSWER)

    def change(self, settings: SshSettings) -> None:
        """Reach it so from now on; attempts stay where they are."""
        if settings != self.settings:
            self._link.change(settings)

    def reach(self) -> None:
        self._link.hurry()

    @property
    def has_leases(self) -> bool:
        """Whether something there ends itself without its engine."""
        return bool(self._leased())

    def leave(self) -> None:
        """The engine ends in an orderly way: what runs goes on without it. Takes two seconds at most."""
        self._keeper.leave(_LEAVE)

    def close(self) -> None:
        self._removals.finish(self._spare.all(), _LEAVE)
        self._closing.set()
        self._link.close()
        self._mail.close()
        self._transfers.close()

    # -- what the link brings ------------------------------------------------------------------------

    def _reported(self, number: str, words: list[str]) -> None:
        self._mail.post(partial(self._report, number, words))

    def _report(self, number: str, words: list[str]) -> None:
        stage, end = self._starts.ended(number), answers.end_in(words)
        if stage is not None and end is not None:
            self._endings.take(stage, end)

    def _changed(self, standing: LinkStanding) -> None:
        self._mail.post(partial(self._change, standing))

    def _change(self, standing: LinkStanding) -> None:
        if standing.place is not None:
            self._facts = HostFacts(self.settings.name, standing.place.boot)
            self._leases.heard(standing.place)
            self._condition.look_for_strangers(self.settings.root)
            # How far its clock is off is known before it gets jobs.
            self._condition.measure(partial(self._is_measured, standing))
        else:
            self._stands(standing)

    def _is_measured(self, standing: LinkStanding) -> None:
        if standing is self.standing:
            self._stands(standing)

    def _is_free(self, stage: SshStage) -> None:
        """Its attempt may have ended before it was certain how this stage did."""
        if self._sent.is_left(stage.mark):
            self.forget(stage.directory, stage.mark)

    # -- every second --------------------------------------------------------------------------------

    def _look_later(self) -> None:
        """All hosts at the same moment: a turn of the loop for each costs more than what they do in it."""
        self._turns.later(_EACH - self._clock.monotonic() % _EACH, self._look_round)

    def _look_round(self) -> None:
        if self._closing.is_set():
            return
        self._look_later()
        self._condition.look(self._rounds, self.settings.root)
        self._keeper.renew(self._rounds)
        self._rounds += 1
        self._end_unseen()
        running = [each for each in self._sent.running() if self._fencing.is_there(each)]
        self._looks.round(self._rounds, running)
        if self.standing.place is not None:
            self._sampling.look(running)

    def _end_unseen(self) -> None:
        for each in self._sent.all():
            if each.end is None and (end := self._fencing.ended_unseen(each.intent.terms)) is not None:
                self._starts.give_up(each)
                each.is_over(end)

    def _leased(self) -> set[Lease]:
        return self._fencing.leased(each.intent.terms for each in self._sent.all())

    # -- threads that may wait ---------------------------------------------------------------------

    def _tree(self, directory: str | None, mark: str) -> Tree:
        terms = intents.terms_of(directory, mark)
        is_there = terms is None or self._fencing.is_the_same(terms)
        ask = self._patiently if is_there else lambda text: None
        return Tree(ask, mark, self._files_of(directory, mark), self._clock, self._closing)

    def _files_of(self, directory: str | None, mark: str) -> Callable[[RemotePlace], list[str]]:
        """The stage files there."""
        root = (intents.terms_of(directory, mark) or self._fencing.terms()).root
        names = []
        for stage in STAGES:
            last = intents.generation(f"{directory}/.skerry/{stage}") if directory else 0
            names += [stage if not each else f"{stage}.{each}" for each in range(last + 1)]
        return lambda place: [f"{place.path(root)}/{mark}/.skerry/{name}" for name in names]

    def _patiently(self, text: Text) -> Answer:
        """The answer of a host that may have to be connected to again first."""
        until = self._clock.monotonic() + _PATIENCE
        while not self._closing.is_set():
            answer = self._link.answer_to(text, ANSWER)
            if answer is not None or self._clock.monotonic() >= until:
                return answer
            self._closing.wait(LOOK_AGAIN * 20)
        return None
