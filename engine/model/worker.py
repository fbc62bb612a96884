"""A worker as it is registered: where jobs run, how it is reached, and what may run there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal

from engine.model.states import WorkerState

LOCAL = "local"  # the name of this machine as a worker
AUTO = "auto"
PORT = 22  # of SSH

WorkerKind = Literal["local", "ssh"]
Wanted = Literal["online", "draining", "paused"]  # what people want of it


@dataclass(frozen=True, slots=True)
class Address:
    """``user@host:port``; without a user the account of the engine."""

    host: str
    user: str | None = None
    port: int = PORT

    @property
    def place(self) -> str:
        """The machine without who logs in there; its host key is kept under this."""
        return f"{self.host}:{self.port}"

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        whole = host if self.port == PORT else f"{host}:{self.port}"
        return whole if self.user is None else f"{self.user}@{whole}"


@dataclass(frozen=True, slots=True)
class Worker:
    """``slots``: how many attempts run there at once, or by its cores and load (``auto``).

    Of an SSH worker ``address``, ``jumps`` in their order, and how to log in: a key file, the agent, or the
    name of a stored secret that is the password. ``root``: the folder of its attempts there, None: the
    default. ``fence``: seconds that what runs there may go on without hearing from its engine; None: for
    ever. ``secrets``: whether jobs that were given a secret run there.
    """

    name: str
    kind: WorkerKind = "ssh"
    application: str | None = None
    handlers: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    slots: int | Literal["auto"] = "auto"
    address: Address | None = None
    jumps: tuple[Address, ...] = ()
    key_file: str | None = None
    agent: bool = False
    password_secret: str | None = None
    root: str | None = None
    fence: float | None = None
    secrets: Literal["refuse", "allow"] = "refuse"

    def to_json(self) -> dict[str, Any]:
        """As the store keeps it; its name and kind are columns."""
        tree = {name: value for name, value in asdict(self).items() if name not in ("name", "kind")}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in tree.items()}

    @classmethod
    def from_json(cls, name: str, kind: WorkerKind, tree: Mapping[str, Any]) -> Worker:
        """What ``to_json`` gave; keys that only a newer version knows are left out."""
        known = {each.name for each in fields(cls)} - {"name", "kind", "address", "jumps"}
        given: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value
            for key, value in tree.items()
            if key in known
        }
        address = Address(**tree["address"]) if tree.get("address") else None
        jumps = tuple(Address(**each) for each in tree.get("jumps", ()))
        return cls(name, kind, address=address, jumps=jumps, **given)


LOCAL_WORKER = Worker(LOCAL, "local")  # this machine before anybody has set anything about it


def state_of(wanted: Wanted, *, trusted: bool, reached: bool) -> WorkerState:
    """The state of a worker: nothing is sent to one without trust; what people want comes before its link.

    >>> str(state_of("draining", trusted=True, reached=False))
    'draining'
    """
    if not trusted:
        return WorkerState.UNTRUSTED
    if wanted != "online":
        return WorkerState(wanted)
    return WorkerState.ONLINE if reached else WorkerState.OFFLINE
