"""The stages that an earlier engine sent to a host: each is asked for, and taken up if it is there."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from engine.execution.host import Found, GivenSecrets
from engine.execution.outcomes import Lost, Unreachable
from engine.execution.ssh import answers, intents, requests
from engine.execution.ssh.beginnings import Beginnings
from engine.execution.ssh.endings import Endings
from engine.execution.ssh.intents import Intent
from engine.execution.ssh.link import Answer, SshLink
from engine.execution.ssh.mailbox import Mailbox
from engine.execution.ssh.sent_stages import SentStages
from engine.execution.ssh.stage import Key, SshStage
from engine.model.job import StageName
from engine.model.message import Message

_CONNECTS = Message.of("it is being connected to")


class EarlierStages:
    """Loop thread only."""

    def __init__(
        self, link: SshLink, mail: Mailbox, sent: SentStages, endings: Endings, beginnings: Beginnings
    ) -> None:
        self._link = link
        self._mail = mail
        self._sent = sent
        self._endings = endings
        self._beginnings = beginnings
        self._asked: dict[Key, Lost | None] = {}  # None: no answer has come yet

    def look(
        self, directory: str, stage: StageName, mark: str, intent: Intent, secrets: GivenSecrets
    ) -> Found | None:
        """What the host says of one; None while it is asked.

        However long that takes: a host that answers late is busy, and what runs there goes on.
        """
        standing = self._link.standing
        if standing.place is None:
            return Unreachable(_CONNECTS if standing.problem is None else standing.problem.message)
        key = mark, stage
        if key not in self._asked:
            self._asked[key] = None
            self._ask(SshStage(directory, stage, mark, intent, secrets))
        found = self._asked[key]
        if found is not None:
            del self._asked[key]
        return found

    def _ask(self, stage: SshStage) -> None:
        """What was not begun shall not be."""

        def answered(answer: Answer) -> None:
            self._mail.post(partial(self._take, stage, answer))

        self._link.ask(partial(requests.void, stage), answered)

    def _take(self, stage: SshStage, answer: Answer) -> None:
        self._asked.pop(stage.key, None)  # asked again at the next look, where nothing is certain
        if answer is None or answer[0] == "refused":
            return
        if answer[0] == "begins":
            if not self._beginnings.is_believed(stage.key):
                self._asked[stage.key] = answers.NOT_KNOWN
            return
        self._beginnings.over(stage.key)
        if not self._takes_up(stage, answer):
            self._asked[stage.key] = answers.lost_in(answer) or answers.NOT_KNOWN

    def _takes_up(self, stage: SshStage, answer: Sequence[str]) -> bool:
        end = answers.end_in(answer)
        if end is None and answer[0] != "lives":
            return False
        pid = end.pid if end is not None else int(answer[1])
        self._sent.put(stage)
        self._sent.is_there(stage.mark)
        if pid:
            stage.pid = pid
            intents.note_pid(stage.record, pid)
        if end is not None:
            self._endings.take(stage, end)
        return True
