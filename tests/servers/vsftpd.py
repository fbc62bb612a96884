"""A private vsftpd on the loopback interface."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.servers.certificates import certificate
from tests.servers.private import answers, folder, free_port, program, running

PASSWORD = "s3cret-mail@example"
_CONFIG = """
listen=YES
listen_address=127.0.0.1
listen_port={port}
background=NO
anonymous_enable=YES
local_enable=NO
secure_email_list_enable=YES
email_password_file={place}/passwords
anon_root={place}/files
no_anon_password=NO
ftp_username={user}
run_as_launching_user={as_self}
secure_chroot_dir={place}/empty
seccomp_sandbox=NO
write_enable=YES
anon_upload_enable=YES
anon_other_write_enable=YES
anon_world_readable_only=NO
pasv_enable=YES
xferlog_enable=YES
vsftpd_log_file={place}/ftp.log
log_ftp_protocol=YES
ssl_enable=YES
allow_anon_ssl=YES
force_anon_logins_ssl=NO
force_anon_data_ssl=NO
rsa_cert_file={place}/cert.pem
rsa_private_key_file={place}/key.pem
"""


@dataclass(frozen=True)
class Vsftpd:
    """The user is ``anonymous``; the only password that is taken is ``password``."""

    port: int
    files: Path
    log: Path
    user: str = "anonymous"
    password: str = PASSWORD

    @property
    def certificate(self) -> Path:
        """That of ``secure_url``, in a file that makes it trusted."""
        return self.log.parent / "cert.pem"

    @property
    def secure_url(self) -> str:
        """The same server over TLS, which insists on one TLS session for both connections."""
        return f"ftps://localhost:{self.port}"

    @property
    def url(self) -> str:
        """The base of all addresses."""
        return f"ftp://127.0.0.1:{self.port}"


@pytest.fixture(scope="session")
def vsftpd() -> Iterator[Vsftpd]:
    """One server for all tests of a session."""
    command = program("vsftpd", "vsftpd")
    root = os.getuid() == 0
    with folder() as place:
        for name in ("files", "empty"):
            (place / name).mkdir(mode=0o755)
        (place / "files" / "incoming").mkdir()
        if root:
            shutil.chown(place / "files" / "incoming", "bin")
        (place / "passwords").write_text(f"{PASSWORD}\n")
        certificate(place)
        started = Vsftpd(free_port(), place / "files", place / "ftp.log")
        config = place / "vsftpd.conf"
        text = _CONFIG.format(
            port=started.port,
            place=place,
            user="bin" if root else _own_name(),
            as_self="NO" if root else "YES",
        )
        config.write_text(text.strip() + "\n")
        config.chmod(0o600)
        with running([command, str(config)], place / "server.log", lambda: answers(started.port)):
            yield started


def _own_name() -> str:
    import getpass

    return getpass.getuser()
