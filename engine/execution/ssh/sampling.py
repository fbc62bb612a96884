"""What attempts on a host use, asked for together each second as long as somebody wants to know."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from engine.execution.proc import Proc
from engine.execution.ssh.link import Answer, SshLink
from engine.execution.ssh.mailbox import Mailbox
from engine.execution.ssh.quoting import call
from engine.execution.ssh.session import RemotePlace
from engine.execution.ssh.stage import SshStage
from engine.execution.tree_usage import TreeUsage
from engine.model.clock import Clock

_FORGOTTEN = 3  # rounds after which nobody wants to know any more


@dataclass
class _Wanted:
    round: int
    most: int | None  # bytes; files are looked at where there is such a limit
    usage: TreeUsage | None = None
    files: int | None = None


class ProcessesSeen(dict[int, Proc]):
    """Processes by pid, with bytes read and written."""

    def __init__(self, words: Sequence[str]) -> None:
        super().__init__()
        self.io: dict[int, list[int]] = {}
        kibibytes = int(words[0])
        for first, *rest in (word.split(",") for word in words[1:] if word):
            pid = int(first)
            if rest[0].endswith("_bytes"):
                self.io.setdefault(pid, [0, 0])[rest[0] == "write_bytes"] += int(rest[1])
            else:
                parent, session, cpu, threads, started, pages = map(int, rest)
                self[pid] = Proc(pid, parent, 0, session, cpu, threads, started, pages * kibibytes * 1024)

    def usage(self, at: float, pids: Iterable[int], files: int | None) -> TreeUsage:
        """Of one attempt, whose processes these are."""
        members = tuple(self[pid] for pid in sorted(pids))
        read, written = (sum(self.io.get(each.pid, (0, 0))[way] for each in members) for way in (0, 1))
        return TreeUsage(at, members, read, written, files)


class Sampling:
    """Of one host; the loop's thread but for ``usage``."""

    def __init__(self, link: SshLink, mail: Mailbox, clock: Clock) -> None:
        self._link = link
        self._mail = mail
        self._clock = clock
        self._rounds = 0
        self._wanted: dict[str, _Wanted] = {}
        self._owners: dict[tuple[int, int], str] = {}  # the mark by pid and start
        self._asks = 0  # how many answers are still to come
        self._unsure = False  # whether a process was seen that may belong to any of them

    def usage(self, mark: str, most: int | None) -> TreeUsage | None:
        """What was last seen; have it looked at again. From any thread."""
        wanted = self._wanted.setdefault(mark, _Wanted(self._rounds, most))
        wanted.round, wanted.most = self._rounds, most
        return wanted.usage

    def look(self, stages: Sequence[SshStage]) -> None:
        """Each second, with those that run; a host that is slow to answer is not asked again meanwhile."""
        self._rounds += 1
        latest = self._rounds - _FORGOTTEN
        self._wanted = {mark: each for mark, each in list(self._wanted.items()) if each.round >= latest}
        asked = [each for each in stages if each.mark in self._wanted and each.pid]
        if self._asks or not asked:
            return
        for group in [[each] for each in asked] if self._unsure else [asked]:
            self._ask(partial(_usage, group), partial(self._seen, group))
        self._unsure = False
        for each in asked:
            if (most := self._wanted[each.mark].most) is not None:
                self._ask(partial(_written, each, most), partial(self._measured, each.mark))

    def _ask(
        self, text: Callable[[str, RemotePlace], bytes], answered: Callable[[Sequence[str]], None]
    ) -> None:
        self._asks += 1

        def came(answer: Answer) -> None:
            self._asks -= 1
            if answer is not None and len(answer) > 1:
                answered(answer[1:])

        self._link.ask(text, lambda answer: self._mail.post(lambda: came(answer)))

    def _seen(self, group: Sequence[SshStage], words: Sequence[str]) -> None:
        found, at = ProcessesSeen(words), self._clock.monotonic()
        owners = dict.fromkeys(found, group[0].mark) if len(group) == 1 else self._owned(group, found)
        self._unsure |= len(owners) < len(found)
        marks = {each.mark for each in group}
        kept = {key: mark for key, mark in self._owners.items() if mark not in marks and mark in self._wanted}
        self._owners = kept | {(pid, found[pid].started): mark for pid, mark in owners.items()}
        for mark in marks & self._wanted.keys():
            wanted = self._wanted[mark]
            pids = [pid for pid, owner in owners.items() if owner == mark]
            wanted.usage = found.usage(at, pids, wanted.files)

    def _owned(self, group: Sequence[SshStage], found: Mapping[int, Proc]) -> dict[int, str]:
        """Whose each process is: its session's, its parent's, or whose it was before."""
        leaders = {each.pid: each.mark for each in group}
        owners: dict[int, str] = {}
        left = dict(found)
        while left:
            placed = {pid: mark for pid, each in left.items() if (mark := self._owner(each, leaders, owners))}
            if not placed:
                return owners
            owners |= placed
            left = {pid: each for pid, each in left.items() if pid not in placed}
        return owners

    def _owner(self, found: Proc, leaders: Mapping[int, str], owners: Mapping[int, str]) -> str | None:
        known = self._owners.get((found.pid, found.started))
        return known or leaders.get(found.session) or owners.get(found.parent)

    def _measured(self, mark: str, words: Sequence[str]) -> None:
        if mark in self._wanted:
            self._wanted[mark].files = min([int(words[0]) * 1024, *map(int, words[1:2])])


def _usage(stages: Sequence[SshStage], number: str, place: RemotePlace) -> bytes:
    marks = "\nSKERRY_ATTEMPT=".join(each.mark for each in stages)  # grep takes several, each on a line
    files = [f"{each.folder(place)}/.skerry/{each.intent.file(each.stage)}" for each in stages]
    return call("usage", number, marks, *files)


def _written(stage: SshStage, most: int, number: str, place: RemotePlace) -> bytes:
    return call("written", number, str(most // 1024), stage.folder(place))
