"""A private sshd on the loopback interface, below which jobs run as whoever runs the tests."""

from __future__ import annotations

import getpass
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from engine.execution.ssh.settings import Endpoint, HostKey, SshSettings
from tests.servers.private import answers, folder, free_port, program, running

# SHLVL: a bash that sshd starts reads .bashrc, which may take half a second, unless it seems to be within another one.
_CONFIG = """
{more}
Port {port}
ListenAddress 127.0.0.1
HostKey {place}/host_key
PidFile none
AuthorizedKeysFile {place}/authorized_keys
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin yes
PermitUserEnvironment no
MaxStartups 200
MaxSessions 100
SetEnv SHLVL=1
Subsystem {subsystem}
"""


@dataclass(frozen=True)
class Sshd:
    """``key`` is the file of the private key that is let in."""

    port: int
    place: Path
    key: Path
    host_key: HostKey

    @property
    def endpoint(self) -> Endpoint:
        """Its address and the one who runs the tests, its key pinned."""
        return Endpoint("127.0.0.1", getpass.getuser(), self.port, self.host_key)

    def settings(self, root: Path | str, name: str = "remote") -> SshSettings:
        """A host of attempts below ``root``."""
        return SshSettings(name, self.endpoint, key_file=str(self.key), root=str(root))


def make_key(path: Path) -> HostKey:
    """A pair of keys, the public one beside it."""
    command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "skerry", "-f", str(path)]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
    kind, data = path.with_suffix(".pub").read_text("ascii").split()[:2]
    return HostKey(kind, data)


@contextmanager
def serving(place: Path, more: str = "", subsystem: str = "sftp internal-sftp") -> Iterator[Sshd]:
    """A server in a folder; ``more`` are lines of its configuration that count instead of ours."""
    command = program("sshd", "openssh-server")
    if os.getuid() == 0:
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
    host_key = make_key(place / "host_key")
    make_key(place / "key")
    (place / "authorized_keys").write_bytes((place / "key.pub").read_bytes())
    started = Sshd(free_port(), place, place / "key", host_key)
    config = place / "sshd_config"
    config.write_text(_CONFIG.format(port=started.port, place=place, more=more, subsystem=subsystem))
    with running(
        [command, "-D", "-e", "-f", str(config)], place / "server.log", lambda: answers(started.port)
    ):
        yield started


@pytest.fixture(scope="session")
def ssh_workers() -> Iterator[Sshd]:
    """One server for all tests of a session."""
    with folder() as place, serving(place) as started:
        yield started
