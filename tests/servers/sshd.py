"""A private sshd on the loopback interface: the login is that of whoever runs the tests, by key."""

from __future__ import annotations

import getpass
import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.servers.private import answers, folder, free_port, program, running

PASSPHRASE = "a pass phrase 马"
_CONFIG = """
ListenAddress 127.0.0.1:{port}
ListenAddress 127.0.0.1:{bare_port}
HostKey {place}/host_ed25519
HostKey {place}/host_rsa
PidFile none
AuthorizedKeysFile {place}/authorized
StrictModes no
PasswordAuthentication no
KbdInteractiveAuthentication no
PubkeyAuthentication yes
PermitRootLogin yes
UsePAM no
LogLevel DEBUG
Subsystem sftp internal-sftp
Match LocalPort {bare_port}
    ForceCommand internal-sftp
"""


@dataclass(frozen=True)
class Sshd:
    """Logins at ``bare_port`` may use SFTP alone; those at ``port`` may run programs too."""

    port: int
    bare_port: int
    place: Path
    user: str

    @property
    def files(self) -> Path:
        return self.place / "files"

    @property
    def key(self) -> Path:
        """The private key that is let in; ``locked_key`` is the same one with PASSPHRASE."""
        return self.place / "user"

    @property
    def locked_key(self) -> Path:
        return self.place / "locked"

    @property
    def url(self) -> str:
        """The folder ``files``, with programs."""
        return f"sftp://{self.user}@127.0.0.1:{self.port}{self.files}"

    @property
    def bare_url(self) -> str:
        """The same, without."""
        return f"sftp://{self.user}@127.0.0.1:{self.bare_port}{self.files}"

    @property
    def fingerprint(self) -> str:
        """Of the ed25519 host key."""
        return _output("ssh-keygen", "-lf", str(self.place / "host_ed25519.pub")).split()[1]

    def public_key(self, kind: str) -> str:
        """The line of the host key, of kind ``ed25519`` or ``rsa``."""
        return (self.place / f"host_{kind}.pub").read_text().strip()

    def logins(self) -> int:
        """How often anything of a login came."""
        return (self.place / "server.log").read_text(errors="replace").count("userauth-request for user")


@pytest.fixture(scope="session")
def sshd() -> Iterator[Sshd]:
    """One server for all tests of a session."""
    command = program("sshd", "openssh-server")
    if os.getuid() == 0:
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)  # where it locks itself in
    with folder() as place:
        started = Sshd(free_port(), free_port(), place, getpass.getuser())
        started.files.mkdir()
        _make_keys(started)
        config = place / "sshd_config"
        config.write_text(
            _CONFIG.format(port=started.port, bare_port=started.bare_port, place=place), "utf-8"
        )
        arguments = [command, "-D", "-e", "-f", str(config)]
        with running(arguments, place / "server.log", lambda: answers(started.bare_port)):
            yield started


def _make_keys(server: Sshd) -> None:
    for name, kind in (("host_ed25519", "ed25519"), ("host_rsa", "rsa"), ("user", "ed25519")):
        _output("ssh-keygen", "-q", "-t", kind, "-N", "", "-f", str(server.place / name))
    shutil.copy(server.key, server.locked_key)
    _output("ssh-keygen", "-q", "-p", "-P", "", "-N", PASSPHRASE, "-f", str(server.locked_key))
    shutil.copy(server.place / "user.pub", server.place / "authorized")


def _output(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout
