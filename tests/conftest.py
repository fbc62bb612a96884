"""The real servers that any test may ask for by name; each starts when it is first wanted."""

from __future__ import annotations

pytest_plugins = [
    "tests.servers.mariadb",
    "tests.servers.nginx",
    "tests.servers.postgres",
    "tests.servers.vsftpd",
    "tests.servers.web",
    "tests.servers.password",
]
