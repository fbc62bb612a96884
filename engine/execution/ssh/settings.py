"""What is known of a host before it is connected to: where it is, who logs in there, and its pinned key."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from engine.model import host_keys

PORT = 22
Secrets = Literal["refuse", "allow"]


@dataclass(frozen=True, slots=True)
class HostKey:
    """A public key of a server, as in known_hosts: its algorithm (``ssh-ed25519``), its bytes in base64."""

    kind: str
    data: str

    @property
    def fingerprint(self) -> str:
        """As OpenSSH shows it: ``SHA256:`` and base64 without padding."""
        return _fingerprint(self.data)


@lru_cache(maxsize=256)
def _fingerprint(data: str) -> str:
    return host_keys.fingerprint(base64.b64decode(data))


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server of SSH: ``host_key`` None means that nobody trusted it yet, so nothing is sent to it."""

    host: str
    user: str
    port: int = PORT
    host_key: HostKey | None = None

    def __str__(self) -> str:
        where = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.user}@{where}" + (f":{self.port}" if self.port != PORT else "")


@dataclass(frozen=True, slots=True)
class SshSettings:
    """A host of attempts that is reached over SSH.

    ``jumps`` are passed in their order; they are logged in to with the key or the agent, never with the
    password. ``root`` is where the directories of attempts are made: absolute, or below the home there.
    ``fence`` in seconds: how long what runs there may go on without hearing from its engine; None: for ever.
    ``grace`` in seconds: between TERM and KILL then. ``secrets``: whether jobs that were given a secret run
    there, although nothing masks there. ``vouched``: how often a person has vouched that nothing there lives.
    """

    name: str
    target: Endpoint
    jumps: tuple[Endpoint, ...] = ()
    key_file: str | None = None
    agent: bool = False
    password: str | None = None
    root: str = ".skerry-jobs/default"
    fence: float | None = None
    grace: float = 10.0
    secrets: Secrets = "refuse"
    vouched: int = 0

    def __repr__(self) -> str:
        return f"SshSettings({self.name!r}, {self.target}, root={self.root!r})"
