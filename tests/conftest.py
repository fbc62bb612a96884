"""The real servers that any test may ask for by name; each starts when it is first wanted."""

from __future__ import annotations

import gc
import os
import re
import signal
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import pytest
import re2
from hypothesis import HealthCheck, settings

from engine.secrets import vault
from export_import.redaction import appearances
from tests import commands
from tests.compiled_once import compiled_once
from tests.effort import effort

pytest_plugins = [
    "tests.servers.mariadb",
    "tests.servers.nginx",
    "tests.servers.postgres",
    "tests.servers.sshd",
    "tests.servers.ssh_workers",
    "tests.servers.vsftpd",
    "tests.servers.web",
    "tests.servers.password",
]

# No time limits on single examples: they only tell how busy the machine is.
settings.register_profile(
    "skerry",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    max_examples=effort(25, all=400),
)
settings.load_profile("skerry")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--flaky-to", metavar="FILE", help="add the names of the tests that pass to this file")


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """What passes in a second try of what failed is flaky (``scripts/test``)."""
    if file := config.getoption("--flaky-to"):
        passed = [report.nodeid for report in terminalreporter.getreports("passed") if report.when == "call"]
        with open(file, "a") as names:
            names.writelines(f"{name}\n" for name in passed)


def pytest_collection_finish() -> None:
    """What is loaded now stays: garbage is looked for among what the tests make."""
    gc.collect()
    gc.freeze()
    gc.enable()


def pytest_configure(config: pytest.Config) -> None:
    """What all tests have around them, also in the processes that this one starts."""
    gc.disable()  # nothing of a collection is garbage
    if config.getoption("numprocesses", None) and not hasattr(config, "workerinput"):
        commands.share()
    # Whoever starts the tests in the background has interrupts ignored; programs under test would inherit that.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True, scope="session")
def keys_derived_once() -> Iterator[None]:
    """All vaults have one salt, so that a quarter of a second of Argon2 is paid once for each passphrase."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vault, "random_salt", cache(vault.random_salt))
        patch.setattr(vault, "derived_key", cache(vault.derived_key))
        yield


@pytest.fixture(autouse=True, scope="session")
def statements_compiled_once() -> Iterator[None]:
    """They are the same for every database of a kind: compiling them is a third of opening a new workspace."""
    with compiled_once():
        yield


@pytest.fixture(autouse=True, scope="session")
def patterns_compiled_once() -> Iterator[None]:
    """They are the same for all exports of a site; an export forgets them for the sake of the secrets in some."""
    made = cache(appearances._set)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(re2, "purge", lambda: None)
        patch.setattr(appearances, "_set", lambda how, patterns: made(how, tuple(patterns)))
        yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Where every server and tool is required, a test that misses one fails, however it says so."""
    report = yield
    reason = report.longrepr[-1] if report.skipped and isinstance(report.longrepr, tuple) else ""
    if os.environ.get("SKERRY_REQUIRE_SERVERS") and re.search("not installed|apt-get install", str(reason)):
        report.outcome, report.longrepr = "failed", str(reason)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup() -> Generator[None, object, object]:
    """A command that makes its process private, run for a fixture, does not do so to the servers that start later."""
    with _umask_kept():
        return (yield)


@pytest.fixture(autouse=True)
def umask_of_its_own() -> Iterator[None]:
    """A command that makes its process private does not do so to the tests after it."""
    with _umask_kept():
        yield


@contextmanager
def _umask_kept() -> Iterator[None]:
    before = os.umask(0o022)
    os.umask(before)
    try:
        yield
    finally:
        os.umask(before)
