"""Which hosts and users a site has: from its own lists, never from whether a collector met them."""

from __future__ import annotations

import getpass
import os
import platform
import pwd
import re
import socket
from collections.abc import Iterator, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from engine.context.tree import texts_in
from engine.model.worker import Address, Worker
from export_import.export_source import Site
from export_import.redaction.word_lists import COMMON_HOSTS, COMMON_USERS

_SHORTEST = 3
_FIRST_USER = 1000
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s\"'<>{}]+")


@dataclass(frozen=True, slots=True)
class Inventory:
    """Names in small letters: hosts with their short forms, domains, users as they are written.

    ``short`` hosts have one or two letters: they are names only where they are a whole value.
    """

    hosts: frozenset[str]
    domains: frozenset[str]
    users: frozenset[str]
    short: frozenset[str] = frozenset()


def inventory_of(site: Site) -> Inventory:
    """What the machine, its workspace and the chosen runs know; ids of definitions are never names."""
    store = site.store
    raw = [store.snapshot(each.row.id, run.run) for each in site.chosen for run in store.runs(each.row.id)]
    trees = [*raw, site.store.raw_definitions()]
    workers = [row.worker for row in store.workers()]
    kept = {each.casefold() for tree in trees for each in _ids(tree)}
    kept |= {each.casefold() for each in _worker_names(site, workers)}  # ids too: nodes and folders have them
    hosts = {
        each.casefold().rstrip(".") for each in (*_own_hosts(), *_uri_hosts(trees), *_worker_hosts(workers))
    }
    hosts |= {each.partition(".")[0] for each in hosts}
    short = {each for each in hosts if 0 < len(each) < _SHORTEST and each.isalnum() and each not in kept}
    hosts = {
        each for each in hosts if _counts(each, COMMON_HOSTS | kept) and not each.replace(".", "").isdigit()
    }
    domains = {each.partition(".")[2] for each in hosts if each.count(".") >= 2} - COMMON_HOSTS
    people = (*_own_users(), *_actors(site), *_worker_users(workers))
    users = {each for each in people if _counts(each.casefold(), COMMON_USERS | kept)}
    domains = {each for each in domains if "." in each}
    return Inventory(frozenset(hosts), frozenset(domains), frozenset(users), frozenset(short))


def _counts(name: str, common: Set[str]) -> bool:
    return len(name) >= _SHORTEST and name not in common and _NAME.fullmatch(name) is not None


def _own_hosts() -> Iterator[str]:
    yield platform.node()
    with suppress(OSError):
        yield socket.gethostname()
    with suppress(OSError, UnicodeDecodeError):
        for line in Path("/etc/hosts").read_text("utf-8").splitlines():
            yield from line.partition("#")[0].split()[1:]


def _own_users() -> Iterator[str]:
    yield from (entry.pw_name for entry in pwd.getpwall() if _FIRST_USER <= entry.pw_uid < 60_000)
    yield from (os.environ.get(name, "") for name in ("USER", "LOGNAME", "SUDO_USER"))
    with suppress(OSError, KeyError):
        yield getpass.getuser()


def _actors(site: Site) -> Iterator[str]:
    for each in site.chosen:
        yield each.row.actor or ""
        yield from (run.actor or "" for run in site.store.runs(each.row.id))


def _worker_names(site: Site, workers: Sequence[Worker]) -> Iterator[str]:
    yield from (worker.name for worker in workers)
    yield from (job.worker for each in site.chosen for job in each.jobs if job.worker)


def _ways(workers: Sequence[Worker]) -> Iterator[Address]:
    """Where workers are, and the machines on the way to them."""
    for worker in workers:
        yield from worker.jumps
        if worker.address is not None:
            yield worker.address


def _worker_hosts(workers: Sequence[Worker]) -> Iterator[str]:
    yield from (each.host for each in _ways(workers))


def _worker_users(workers: Sequence[Worker]) -> Iterator[str]:
    yield from (each.user or "" for each in _ways(workers))


def _uri_hosts(trees: list[Any]) -> Iterator[str]:
    for text in (text for tree in trees for text in texts_in(tree)):
        for uri in _URI.findall(text):
            with suppress(ValueError):
                yield urlsplit(uri).hostname or ""


def _ids(tree: Any) -> Iterator[str]:
    """Every key of a tree: ids of tasks, nodes, jobs, parameters."""
    if isinstance(tree, dict):
        for key, value in tree.items():
            yield str(key)
            yield from _ids(value)
    elif isinstance(tree, list):
        for value in tree:
            yield from _ids(value)
