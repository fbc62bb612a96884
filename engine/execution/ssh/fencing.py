"""Under what terms stages are sent to a host, and what is certain of them without asking it."""

from __future__ import annotations

from collections.abc import Iterable

from engine.execution.outcomes import FENCED_UNSEEN, VOUCHED, Lost, Unreachable
from engine.execution.ssh.intents import Terms
from engine.execution.ssh.lease_keeper import Lease
from engine.execution.ssh.leases import Leases
from engine.execution.ssh.link import SshLink
from engine.execution.ssh.stage import SshStage

OTHER_KEY = "its host shows another key than when it was sent there"


class Fencing:
    """From any thread."""

    def __init__(self, link: SshLink, leases: Leases) -> None:
        self._link = link
        self._leases = leases

    def terms(self) -> Terms:
        """Those of now."""
        settings = self._link.settings
        lease = "" if settings.fence is None else self._leases.file(settings.fence)
        return Terms(settings.root, self._shown, settings.fence, settings.grace, lease, settings.vouched)

    @property
    def _shown(self) -> str:
        key = self._link.settings.target.host_key
        return "" if key is None else key.fingerprint

    def is_there(self, stage: SshStage) -> bool:
        """Whether this is the machine that it was sent to."""
        return self.is_the_same(stage.intent.terms)

    def is_the_same(self, terms: Terms) -> bool:
        """Whether this is the machine that something was sent to."""
        return terms.key in ("", self._shown)

    def ended_unseen(self, terms: Terms) -> Lost | None:
        """A person vouched for it, or its fence has ended it."""
        if terms.vouched < self._link.settings.vouched:
            return Lost(VOUCHED)
        if terms.fence is not None and self._leases.is_over(terms.fence, terms.grace, terms.key):
            return Lost(FENCED_UNSEEN)
        return None

    def certain(self, terms: Terms) -> Lost | Unreachable | None:
        """What is certain of a stage that was sent so."""
        if (end := self.ended_unseen(terms)) is not None:
            return end
        return None if self.is_the_same(terms) else Unreachable(OTHER_KEY)

    def leased(self, sent: Iterable[Terms]) -> set[Lease]:
        """The leases there that what was sent has, or what is sent now will have."""
        every = [self.terms(), *(each for each in sent if self.is_the_same(each))]
        return {Lease(each.root, each.lease, each.fence) for each in every if each.fence is not None}
