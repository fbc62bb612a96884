"""A workspace: the folder with one engine's settings, database, instances and logs (contract 4)."""

from __future__ import annotations

import fcntl
import os
import stat
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from engine.execution import proc
from engine.execution.files import write_new
from engine.model.closing import Closing
from engine.model.codes.bundles import CASE_READ_ONLY
from engine.model.codes.commands import OPEN_TO_OTHERS
from engine.model.codes.runtime import ENGINE_BUSY
from engine.model.disk import read_file, room_on_disk, sync_path
from engine.model.errors import Refused

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    from engine.runtime.settings import Settings

_FOLDERS = ("instances", "monitor", "logs", "bundles")
_NEW_SETTINGS = "# Settings of this workspace; every key may be left out.\n"

_DYING_SECONDS = 5.0  # how long the lock of a killed engine may outlive it
_OTHERS_WRITE = 0o022
_WRITTEN = (  # what an engine writes itself; beside it people may keep what they share
    "instances", "logs", "monitor", "keys", "amendments", "cases", "bundles", "deliveries",
    "workspace.yaml", "skerry.db", "skerry.db-wal", "skerry.db-shm", "secrets.vault", ".identity",
)  # fmt: skip
_LOOK_AGAIN = 0.02


@dataclass(frozen=True)
class Workspace:
    """The paths and settings of one workspace."""

    root: Path
    written: Settings | None = None  # None: its workspace.yaml sets nothing

    @classmethod
    def open(cls, root: Path) -> Workspace:
        """The workspace in ``root``, made when it is not there.

        Invalid with every finding when its settings are wrong; DISK_FULL when there is no room to make it.
        """
        root = Path(os.path.abspath(root))
        with room_on_disk(str(root)):
            return cls(root, _written(_made(root)))

    @cached_property
    def settings(self) -> Settings:
        """Every setting, by default as it is when nothing is set."""
        from engine.runtime.settings import Settings

        return self.written or Settings()

    @property
    def language(self) -> str | None:
        """The language that people are spoken to in; None: that of their environment."""
        return self.written.language if self.written else None

    @property
    def database_url(self) -> str:
        """The SQLAlchemy URL of the store."""
        return (self.written and self.written.database) or f"sqlite:///{self.root / 'skerry.db'}"

    @property
    def instances(self) -> Path:
        """Where task directories are."""
        return self.root / "instances"

    @property
    def logs(self) -> Path:
        """Where the execution log is."""
        return self.root / "logs"

    @property
    def monitor(self) -> Path:
        """Where the samples of this machine are."""
        return self.root / "monitor"

    @property
    def bundles(self) -> Path:
        """Where bundles are written by default."""
        return self.root / "bundles"

    @property
    def secret_file(self) -> Path:
        return self.root / "secrets.vault"

    @property
    def is_case(self) -> bool:
        """Whether it is what another site sent: it is only read, and nothing of it is of this machine."""
        return _is_case(self.root)

    @property
    def socket(self) -> Path:
        return self.root / "engine.sock"

    @cached_property
    def zone(self) -> ZoneInfo:
        """The time zone of schedules and of what people see."""
        from zoneinfo import ZoneInfo

        return ZoneInfo((self.written and self.written.timezone) or _machine_zone())

    def task_directory(self, task: str, instance: int) -> Path:
        """``instances/task-{taskId}-{instance}``."""
        return self.instances / f"task-{task}-{instance}"

    def own(self) -> WorkspaceLock:
        """Become the one engine of this workspace; Refused while another one is, and in a case."""
        if self.is_case:
            raise Refused.at(CASE_READ_ONLY, "{where} is a case: it is only read", self.root)
        return WorkspaceLock(self.root / ".lock")

    def keep_others_out(self) -> str:
        """Nobody else may write where jobs and definitions are; what was repaired, "" when nothing was.

        Who can write there can put another socket, database or script in the place of the real one. Refused
        where that belongs to another user.
        """
        paths = (self.root, *(self.root / name for name in _WRITTEN))
        return "; ".join(filter(None, map(_closed, paths)))

    def owner(self) -> str | None:
        """The pid of the engine that owns it, or "?"; None when none does. A look, cheap and soon old."""
        try:
            fd = os.open(self.root / ".lock", os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        try:
            fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return _owner(fd)
        finally:
            os.close(fd)
        return None


def _written(file: Path) -> Settings | None:
    """The settings of a file; where it sets nothing, what checks them is not loaded for it."""
    with suppress(OSError):
        if all(line.lstrip()[:1] in (b"", b"#") for line in read_file(file).splitlines()):
            return None
    from engine.runtime.settings import read_settings

    return read_settings(file)


def _closed(path: Path) -> str:
    try:
        mode = stat.S_IMODE(os.stat(path).st_mode)
        if not mode & _OTHERS_WRITE:
            return ""
        os.chmod(path, mode & ~_OTHERS_WRITE)
    except FileNotFoundError:
        return ""
    except PermissionError as error:
        message = "{where} can be written by others, and it is not ours to change"
        raise Refused.at(OPEN_TO_OTHERS, message, path) from error
    now = f"its mode is {mode & ~_OTHERS_WRITE:04o} now"
    return f"{path} could be written by others (mode {mode:04o}); {now}"


class WorkspaceLock(Closing):
    """The kernel's lock that says which process is the engine; it goes when the process goes."""

    def __init__(self, file: Path) -> None:
        with room_on_disk(str(file)):
            self._fd = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        until = time.monotonic() + _DYING_SECONDS
        while not self._taken():
            owner = _owner(self._fd)
            if _lives(owner) or time.monotonic() > until:
                os.close(self._fd)
                message = "another engine (pid {owner}) owns {where}"
                raise Refused.at(ENGINE_BUSY, message, file.parent, owner=owner)
            time.sleep(_LOOK_AGAIN)
        with suppress(OSError):  # the kernel's lock is what counts
            os.pwrite(self._fd, f"{os.getpid():<31}\n".encode(), 0)  # never shorter: needs no room

    def _taken(self) -> bool:
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def close(self) -> None:
        """Let another engine have it."""
        with suppress(
            OSError
        ):  # a process that finds it locked by another's look no longer takes this one for the owner
            os.pwrite(self._fd, f"{'':<31}\n".encode(), 0)
        os.close(self._fd)


def _owner(fd: int) -> str:
    return os.pread(fd, 32, 0).decode().strip() or "?"


def _lives(pid: str) -> bool:
    """Whether that process runs; one that was killed may hold its lock for a moment longer."""
    return pid.isdecimal() and proc.stat(int(pid)) is not None


def _is_case(root: Path) -> bool:
    return (root / "case.json").is_file()


def _made(root: Path) -> Path:
    """Make what is not there yet; gives the file of the settings. A case may be read-only."""
    file = root / "workspace.yaml"
    if _is_case(root) and file.is_file():
        return file
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    for folder in _FOLDERS:
        (root / folder).mkdir(mode=0o700, exist_ok=True)
    if not file.exists():
        _write_settings(file)
    return file


def _machine_zone() -> str:
    """The name of the machine's zone; UTC where it has none."""
    from engine.model.times import known_zone

    name = os.environ.get("TZ") or os.path.realpath("/etc/localtime").partition("zoneinfo/")[2]
    return name if known_zone(name) else "UTC"


def _write_settings(file: Path) -> None:
    """All of it or nothing, also after a power cut; a file that is there by now stays."""
    draft = f"{file}.{os.getpid()}"
    with suppress(FileNotFoundError):
        os.unlink(draft)
    try:
        write_new(draft, _NEW_SETTINGS.encode())
        sync_path(draft)
        with suppress(FileExistsError):
            os.link(draft, file)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(draft)
    sync_path(file.parent)


def last_line(workspace: Workspace) -> str:
    """The last thing that an engine in the background printed; empty if nothing can be read."""
    with suppress(OSError):
        lines = (workspace.logs / "serve.log").read_text("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else ""
    return ""
