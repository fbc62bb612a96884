"""What an engine makes of another machine: the port of hosts over a link that may be cut at any moment."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Mapping
from functools import partial

from engine.execution.files import directory_errors
from engine.execution.host import UNKNOWN, Attempts, Found, GivenSecrets, Growth, HostFacts, LivingStage
from engine.execution.launch import Launch
from engine.execution.outcomes import FENCED, FENCED_UNSEEN, RESTARTED, VOUCHED, Exit, Left, Lost, Unreachable
from engine.execution.output_size import log_sizes, written
from engine.execution.ssh import arrival, intents, own_record, refusals
from engine.execution.ssh.intents import Intent, SshRemains, Terms
from engine.execution.ssh.leases import Leases, renewal
from engine.execution.ssh.link import LinkStanding
from engine.execution.ssh.settings import SshSettings
from engine.execution.ssh.stage import Ended, SshStage
from engine.execution.strangers import Stranger
from engine.execution.vitals import Vitals
from engine.model.codes import ssh as codes
from engine.model.disk import may_pass
from engine.model.errors import SkerryError
from engine.model.job import STAGES, StageName
from engine.model.threads import Threads
from engine.plugins.resource_type import FileFacts
from engine.runtime.loop import Loop
from tests.simulation.machine.lease_keeper import LeaseKeeper
from tests.simulation.machine.remote import Remote, RemoteProcess

_PATIENCE = 60.0  # seconds that who stops something waits for a machine that is not there
_KILL_SECONDS, _LOOK = 5.0, 0.5
_AGAIN = 1.0  # seconds until what found no room is brought again
Key = tuple[str, str]  # mark and stage


class SimulatedRemoteHost:
    """See :class:`engine.execution.ssh.ssh_host.SshHost`."""

    def __init__(
        self,
        remote: Remote,
        owner: Hashable,
        settings: SshSettings,
        loop: Loop,
        threads: Threads,
        stands: Callable[[LinkStanding], None],
        vitals: Callable[[Vitals], None],
        leases: Leases,
        bounded: Callable[[str], None],
        strangers: Callable[[tuple[Stranger, ...]], None],
        **more: object,
    ) -> None:
        self.settings = settings
        self._remote = remote
        self._owner = owner
        self._loop = loop
        self._stands = stands
        self._vitals = vitals
        self._strangers = strangers
        self._met: tuple[Stranger, ...] = ()
        self._keeper = LeaseKeeper(remote, leases, self._terms, self._open, self._post, bounded)
        self._leases = leases
        self._transfers = threads.pool(4, f"files-{remote.name}")
        self._stages: dict[Key, SshStage] = {}
        self._unsent: dict[Key, Launch] = {}  # asked for, and nobody knows whether that came through
        self._found: dict[Key, Found | None] = {}
        self._facts = HostFacts(remote.name, "")
        self._renewing = False
        self._reached = False
        self._closed = False

    # -- the port --------------------------------------------------------------------------------

    @property
    def facts(self) -> HostFacts:
        return self._facts

    @property
    def base_env(self) -> Mapping[str, str]:
        return {}

    def begin(self) -> None:
        self._remote.connect(
            lambda: self._post(self._changed),
            lambda each: self._hear(each),
            lambda: self._post(self._look_again),
        )

    def start(self, launch: Launch) -> SshStage:
        directory = os.fspath(launch.directory)
        with directory_errors(directory):
            arrival.make_logs(directory)
        record = f"{directory}/.skerry/{launch.stage}"
        intent = intents.create(record, launch.mark, self._facts.boot or "?", self._terms())
        stage = self._stages[launch.mark, launch.stage] = SshStage(
            directory, launch.stage, launch.mark, intent
        )
        self._keeper.heard_while_idle()
        self._send(stage, launch)
        self._renew_soon()
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
        if (known := self._stages.get((mark, stage))) is not None:
            return known if known.end is None or isinstance(known.end, SkerryError) else known.end
        restarted = began_in is not None and self._facts.boot not in ("", began_in)
        found = own_record.read(
            directory, stage, mark, self._terms(), self._ended_unseen, restarted=restarted
        )
        return self._looked_up((mark, stage), directory) if isinstance(found, Intent) else found

    def wake(self, stage: LivingStage, ended: Ended) -> None:
        assert isinstance(stage, SshStage)
        stage.listen(ended)

    def confirm(self, stage: LivingStage) -> Exit | Lost | Unreachable | None:
        assert isinstance(stage, SshStage)
        if not self._reached or not self._remote.is_up:
            return Unreachable("it does not answer")
        process = self._process(stage)
        is_gone = process is not None and process.gone and process.status is None
        if stage.end is None and is_gone:
            return Lost(RESTARTED)
        return stage.end if isinstance(stage.end, (Exit, Lost)) else None

    def remains(self, directory: str | None, mark: str) -> SshRemains:
        return SshRemains(directory, mark, self._terms)

    def growth(self, directory: str, *, files: bool = False) -> Growth:
        return Growth(sum(log_sizes(directory)), written(directory) if files else None)

    def usage(self, mark: str, most: int | None) -> None:
        """Nothing is sampled."""

    def look_at_file(self, path: str, digest: bool) -> FileFacts:
        raise NotImplementedError("no resource of these lives is looked at there")

    def bring(self, directory: str, mark: str) -> None:
        """What it writes is there at once, wherever it runs; only the host must answer."""
        if self._remote.place is None or not self._remote.is_up:
            raise refusals.unreachable(self.settings.target)

    def stop(self, directory: str | None, mark: str, grace: float) -> Left:
        for stage in list(self._stages.values()):  # what is still being sent is not begun any more
            stage.given_up |= stage.mark == mark
        if self._ended_unseen(intents.terms_of(directory, mark)) is not None:
            return Left()
        if not self._patiently():
            return self._unseen()
        for each in self._remote.living(mark):
            each.ask_to_end()
        hub = self._remote.machine.hub
        until = hub.now + grace
        while (living := self._remote.living(mark)) and hub.now < until + _KILL_SECONDS:
            if hub.now >= until:
                self.kill_now("", mark)
            hub.sleep(_LOOK)
        return Left(tuple(each.pid + 1 for each in living)) if self._remote.is_up else self._unseen()

    def kill_now(self, directory: str, mark: str) -> None:
        for each in self._remote.living(mark) if self._remote.is_up else ():
            each.kill()

    def living(self, attempts: Attempts) -> tuple[int, ...]:
        asked = [each for each in attempts if self._ended_unseen(intents.terms_of(*each)) is None]
        if asked and not self._patiently():
            return (UNKNOWN,)
        return tuple(each.pid + 1 for _, mark in asked for each in self._remote.living(mark))

    def forget(self, directory: str, mark: str) -> None:
        known = [self._stages.get((mark, each)) for each in STAGES]
        if all(each is None or isinstance(each.end, Exit) for each in known):
            for each in STAGES:
                self._stages.pop((mark, each), None)

    def change(self, settings: SshSettings) -> None:
        self.settings = settings

    def is_elsewhere(self, mark: str) -> bool:
        """Never: no other machine takes the address of one here."""
        return False

    @property
    def has_leases(self) -> bool:
        return self._keeper.leases_of(self._terms()) != {}

    def leave(self) -> None:
        """What runs there goes on."""
        self._keeper.leave()

    def close(self) -> None:
        self._closed = True
        self._transfers.shutdown(wait=False, cancel_futures=True)

    def _post(self, call: Callable[[], None]) -> None:
        if not self._closed and self._owner not in self._remote.machine.hub.frozen:
            self._loop.post(lambda: None if self._closed else call())

    def _patiently(self) -> bool:
        hub = self._remote.machine.hub
        until = hub.now + _PATIENCE
        while not (self._remote.place and self._remote.is_up) and hub.now < until and not self._closed:
            hub.sleep(1.0)
        return self._remote.place is not None and self._remote.is_up

    def _terms(self) -> Terms:
        fence = self.settings.fence
        lease = "" if fence is None else self._leases.file(fence)
        key = self.settings.target.host_key
        shown = "" if key is None else key.fingerprint
        return Terms("/there", shown, fence, self.settings.grace, lease, self.settings.vouched)

    def _ended_unseen(self, terms: Terms | None) -> Lost | None:
        """A person has said that nothing lives there since that was begun, or its fence has ended it."""
        if terms is not None and terms.vouched < self.settings.vouched:
            return Lost(VOUCHED)
        if (
            terms is not None
            and terms.fence is not None
            and self._leases.is_over(terms.fence, terms.grace, terms.key)
        ):
            return Lost(FENCED_UNSEEN)
        return None

    def _open(self) -> list[SshStage]:
        """What has not ended as far as is known."""
        return [each for each in self._stages.values() if each.end is None]

    def _unseen(self) -> Left:
        return Left(doubt=f"{self._remote.name} cannot be reached")

    # -- what was started ------------------------------------------------------------------------

    def _send(self, stage: SshStage, launch: Launch) -> None:
        key = stage.mark, stage.stage
        if stage.given_up:  # whoever stopped it needs no end of it
            self._unsent.pop(key, None)
            self._stages.pop(key, None)
            return
        self._unsent[key] = launch
        file, terms = stage.intent.file(stage.stage), stage.intent.terms
        renew = self._keeper.renewal(terms)

        def start() -> str:
            renew()
            return "void" if stage.given_up else self._remote.start(launch, file, terms)

        self._remote.send(start, lambda word: self._post(partial(self._started, key, word)))

    def _started(self, key: Key, word: str | None) -> None:
        stage = self._stages.get(key)
        if word is None or stage is None:
            return  # asked again when it is reached
        if word == "unleased":  # it was so long on its way that its lease had run out
            launch = self._unsent[key]
            self._loop.later(_AGAIN, lambda: self._send(stage, launch))
            return
        self._unsent.pop(key, None)
        process = self._process(stage)
        if process is None:
            stage.is_over(SkerryError.at(codes.HOST_UNREACHABLE, "it was given up", self._remote.name))
            return
        intents.note_pid(stage.record, process.pid)
        stage.is_known(process.pid)
        if word == "again":
            self._look_at(stage)

    def _process(self, stage: SshStage) -> RemoteProcess | None:
        return self._remote.of(stage.mark, stage.intent.file(stage.stage))

    def _hear(self, process: RemoteProcess) -> None:
        """The report of its end, which may get lost on its way."""
        self._remote.send(lambda: None, lambda _: self._post(partial(self._look_for, process)))

    def _look_for(self, process: RemoteProcess) -> None:
        for stage in list(self._stages.values()):
            if stage.mark == process.mark and self._process(stage) is process:
                self._look_at(stage)

    def _look_at(self, stage: SshStage) -> None:
        process = self._process(stage)
        if process is None or stage.end is not None or stage.leaving or not self._reached:
            return
        if process.status is not None:
            self._bring(stage, process, None if process.fenced else process.status)
        elif process.gone:
            stage.is_over(Lost(RESTARTED))

    def _bring(self, stage: SshStage, process: RemoteProcess, status: int | None) -> None:
        stage.leaving = True

        def bring() -> None:
            problem: OSError | None = None
            if self._remote.is_slow:
                self._remote.machine.hub.sleep(self._remote.delay)
            try:
                process.bring()
            except OSError as error:
                problem = error
            self._post(lambda: self._brought(stage, status, problem))

        self._transfers.submit(bring)

    def _brought(self, stage: SshStage, status: int | None, problem: OSError | None) -> None:
        stage.leaving = False
        if not self._remote.is_up:
            return  # looked at again when it is reached
        if problem is not None and may_pass(problem):
            self._loop.later(_AGAIN, lambda: self._look_at(stage))
            return
        if status is None:
            return stage.is_over(Lost(FENCED))
        end = Exit.of(status)
        try:
            intents.note_end(stage.record, stage.pid, end)
        except OSError as error:
            if may_pass(error):
                self._loop.later(_AGAIN, lambda: self._look_at(stage))
                return
        stage.is_over(end)

    # -- what an earlier engine started ------------------------------------------------------------

    def _looked_up(self, key: Key, directory: str) -> Found | None:
        if not self._reached:
            return Unreachable(f"{self._remote.name} is being connected to")
        if key not in self._found:
            self._found[key] = None
            path = f"{directory}/.skerry/{key[1]}"
            intent = intents.read(path, self._terms())
            ask = partial(self._remote.of, key[0], intent.file(key[1]), void=True)
            self._remote.send(
                lambda: (ask(),),
                lambda answer: self._post(partial(self._told, key, directory, intent, answer)),
            )
        found = self._found[key]
        if isinstance(found, Lost):
            del self._found[key]
        return found

    def _told(
        self, key: Key, directory: str, intent: Intent, answer: tuple[RemoteProcess | None] | None
    ) -> None:
        self._found.pop(key, None)
        if answer is None:
            return  # asked again at the next look
        [process] = answer
        if process is None:
            self._found[key] = Lost("its process was never started", begun=False)
        elif process.gone and process.status is None:
            self._found[key] = Lost(RESTARTED)
        else:
            name: StageName = key[1]  # type: ignore[assignment]
            taken = self._stages[key] = SshStage(directory, name, key[0], intent, pid=process.pid)
            intents.note_pid(taken.record, process.pid)
            self._look_at(taken)
            self._renew_soon()

    # -- leases ----------------------------------------------------------------------------------

    def _renew_soon(self) -> None:
        """Again and again while something may run there under one; what is idle need not be simulated."""
        if not self._renewing and not self._closed and self._terms().fence is not None:
            self._renewing = True
            self._renew()

    def _renew(self) -> None:
        self._end_unseen()
        if self._closed or not (self._open() or self._keeper.is_new()):
            self._renewing = False
            return
        fence = self._keeper.renew(self._terms())
        self._remote.machine.hub.after(renewal(fence), lambda: self._post(self._renew), self._owner)

    def _end_unseen(self) -> None:
        for stage in self._open():
            if (end := self._ended_unseen(stage.intent.terms)) is not None:
                stage.given_up = True  # nor does it begin any more
                stage.is_over(end)

    # -- the link --------------------------------------------------------------------------------

    def _changed(self) -> None:
        place = self._remote.place
        self._reached = place is not None
        if place is None:
            problem = SkerryError.at(codes.HOST_UNREACHABLE, "it says nothing", self._remote.name)
            return self._stands(LinkStanding(None, problem))
        self._facts = HostFacts(self._remote.name, place.boot)
        self._look_again()
        self._stands(LinkStanding(place))
        self._keeper.reached(place)
        self._renew_soon()
        for key, launch in list(self._unsent.items()):
            if key in self._stages:
                self._send(self._stages[key], launch)
        for stage in list(self._stages.values()):
            self._look_at(stage)
        return None

    def _look_again(self) -> None:
        """How it is, and what runs there that nobody here knows."""
        if not self._reached or not self._remote.is_up:
            return  # as soon as it is reached again
        self._remote.machine.looked(self._remote.name, self._remote.skew, self._remote.strangers)
        self._vitals(Vitals(load=0.5, cores=2, skew=self._remote.skew))
        if self._remote.strangers != self._met:
            self._met = self._remote.strangers
            self._strangers(self._met)
