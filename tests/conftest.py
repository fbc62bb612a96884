"""The real servers that any test may ask for by name; each starts when it is first wanted."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

pytest_plugins = [
    "tests.servers.mariadb",
    "tests.servers.nginx",
    "tests.servers.postgres",
    "tests.servers.vsftpd",
    "tests.servers.web",
    "tests.servers.password",
]


@pytest.fixture(autouse=True)
def umask_of_its_own() -> Iterator[None]:
    """A command that makes its process private does not do so to the tests after it."""
    before = os.umask(0o022)
    os.umask(before)
    yield
    os.umask(before)
