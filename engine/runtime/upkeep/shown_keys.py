"""The host keys of a worker as shown now, beside those that are pinned; and whether it lets us in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from engine.execution.ssh.connect import key_of
from engine.execution.ssh.files import check_sftp
from engine.execution.ssh.session import open_session
from engine.execution.ssh.settings import HostKey
from engine.model.worker import Worker
from engine.runtime.upkeep.worker_hosts import endpoint, settings_of


@dataclass(frozen=True, slots=True)
class ShownKey:
    """Of one machine: ``place`` is HOST:PORT, ``pinned`` the key that a person vouched for earlier."""

    place: str
    key: HostKey
    pinned: HostKey | None

    def is_vouched(self, fingerprints: Mapping[str, str]) -> bool:
        """Whether a person vouches for it now, by its place; else whether it is the one that is pinned."""
        said = fingerprints.get(self.place)
        return said == self.key.fingerprint if said is not None else self.key == self.pinned


def shown_keys(worker: Worker, pinned: Mapping[str, str], fingerprints: Mapping[str, str]) -> list[ShownKey]:
    """Of each machine on the way, in their order, up to the first whose key nobody vouches for. Blocks.

    ``pinned``: keys by place; ``fingerprints``: what a person vouches for, by place. Nothing is sent to a
    machine without that, and to those on the way only what logs in there, never the password: it need not be
    stored yet. Raises SkerryError.
    """
    assert worker.address is not None
    found: list[ShownKey] = []
    keys: dict[str, str] = {}
    for each in (*worker.jumps, worker.address):
        before = {each.place: pinned[each.place]} if each.place in pinned else {}
        asked = endpoint(each, before)  # that kind of key is preferred: a server may have several
        key = key_of(settings_of(worker, keys | before, None, ""), asked)
        found.append(ShownKey(each.place, key, asked.host_key))
        if not found[-1].is_vouched(fingerprints):
            break
        keys[each.place] = f"{key.kind} {key.data}"
    return found


def log_in(worker: Worker, keys: Mapping[str, str], secret: Callable[[str], str], root: str) -> None:
    """Log in there once and look at shell, folder and SFTP; ``keys`` by place are vouched for.

    ``root`` where the worker names none. Blocks; raises SkerryError.
    """
    password = None if worker.password_secret is None else secret(worker.password_secret)
    settings = settings_of(worker, keys, password, root)
    session, place = open_session(settings)
    try:
        check_sftp(session, place.root, str(settings.target))
    finally:
        session.close()
