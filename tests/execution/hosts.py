"""The hosts that the conformance suite runs on, also made by engines that are processes of their own."""

from __future__ import annotations

import json
import os
from collections.abc import Callable

from engine.execution.host import Host
from engine.execution.local_host import LocalHost
from engine.execution.ssh.settings import Endpoint, HostKey, SshSettings
from engine.execution.ssh.ssh_host import SshHost
from engine.runtime.clock import SystemClock
from engine.runtime.threads import SystemThreads
from tests.execution.turns import PolledTurns
from tests.servers.ssh_workers import Sshd

WHERE = "SKERRY_TESTS_SSH_HOST"  # a variable that names the server for those that have no fixture
MakeHost = Callable[[PolledTurns], Host]


def name_server(server: Sshd, root: str) -> str:
    """The value of that variable."""
    key = server.host_key
    return json.dumps([server.port, server.endpoint.user, str(server.key), key.kind, key.data, root])


def settings() -> SshSettings:
    """The host that the variable names."""
    port, user, key, kind, data, root = json.loads(os.environ[WHERE])
    endpoint = Endpoint("127.0.0.1", user, port, HostKey(kind, data))
    return SshSettings("remote", endpoint, key_file=key, root=root, secrets="allow")


def ssh_host(turns: PolledTurns) -> SshHost:
    """One that has begun and is connected."""
    host = SshHost(settings(), SystemClock(), turns, SystemThreads())
    host.begin()
    while not host.facts.boot:
        assert host.standing.problem is None, host.standing.problem
        turns.turn()
    return host


def local_host(turns: PolledTurns) -> LocalHost:
    """One that has begun."""
    host = LocalHost(SystemClock(), turns)
    host.begin()
    return host


HOSTS: dict[str, MakeHost] = {"local": local_host, "ssh": ssh_host}
