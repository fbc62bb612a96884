"""Which hosts, workers and users a site has: from its own lists, never from whether a collector met them."""

from __future__ import annotations

import getpass
import os
import platform
import pwd
import re
import socket
from collections.abc import Iterator, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from engine.context.tree import texts_in
from engine.model.names import SECTIONS, is_id
from engine.model.worker import Address, Worker
from export_import.delivery.references import references
from export_import.export_source import Site
from export_import.redaction.word_lists import COMMON_HOSTS, COMMON_USERS
from export_import.redaction.worker_names import WorkerNames

_SHORTEST = 3
_FIRST_USER = 1000
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s\"'<>{}]+")


@dataclass(frozen=True, slots=True)
class Inventory:
    """Names in small letters: hosts with their short forms, domains, users as they are written.

    ``short`` hosts have one or two letters: they are names only where they are a whole value.
    Names of ``workers`` are as they are written.
    """

    hosts: frozenset[str]
    domains: frozenset[str]
    users: frozenset[str]
    short: frozenset[str] = frozenset()
    workers: WorkerNames = field(default_factory=WorkerNames)


def inventory_of(site: Site) -> Inventory:
    """What the machine, its workspace and the chosen runs know; ids of definitions are never names."""
    store = site.store
    raw = [store.snapshot(each.row.id, run.run) for each in site.chosen for run in store.runs(each.row.id)]
    trees = [each for each in (*raw, site.store.raw_definitions()) if each]
    workers = [row.worker for row in store.workers()]
    kept = {each.casefold() for tree in trees for each in _ids(tree)}
    named = {*_worker_names(site, workers), *_meant_workers(trees)}
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
    known = WorkerNames.of(named, kept, COMMON_HOSTS | COMMON_USERS, hosts)
    return Inventory(frozenset(hosts), frozenset(domains), frozenset(users), frozenset(short), known)


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
    """Those that are registered, those that ran something, and those of which the audit tells."""
    yield from (worker.name for worker in workers)
    for job in (job for each in site.chosen for job in each.jobs):
        yield job.worker or ""
        yield from (attempt.worker or "" for attempt in site.store.attempts(job.id))
    if site.chosen:
        acts = (each.subject.partition(" ") for each in site.audit())
        yield from (name for kind, _, name in acts if kind == "worker")


def _meant_workers(trees: list[Any]) -> Iterator[str]:
    """Those that definitions name, registered or not."""
    for tree in trees:
        contents = (
            (kind, each) for kind in ("task", "job") for each in (tree.get(SECTIONS[kind]) or {}).values()
        )
        names = (each for kind, content in contents for each in references(kind, content))
        yield from (name for kind, name in names if kind == "worker" and is_id(name))


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
