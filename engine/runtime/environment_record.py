"""``environment.json``: the environment of a run, so that it can be understood on another machine."""

from __future__ import annotations

import importlib.metadata
import locale
import os
import platform
import resource
import shutil
import sqlite3
import sys
import time
import zoneinfo
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from engine import __version__
from engine.execution.stage_file import boot_id

# Variables that explain a run and hold no secrets; a workspace may name further ones.
ALLOWED = frozenset(
    {
        "HOME", "JAVA_HOME", "LANG", "LANGUAGE", "LD_LIBRARY_PATH", "LOGNAME", "PATH", "PYTHONPATH",
        "SHELL", "TERM", "TMPDIR", "TZ", "USER", "VIRTUAL_ENV",
    }
)  # fmt: skip
_ALLOWED_BEGINNINGS = ("LC_",)
_LIBRARIES = ("sqlalchemy", "pydantic", "paramiko", "cryptography", "PySide6-Essentials")
_LIMITS = {"cpu": resource.RLIMIT_CPU, "files": resource.RLIMIT_NOFILE, "processes": resource.RLIMIT_NPROC}


class EnvironmentRecord:
    """Describes this machine; what does not change is found out once."""

    def __init__(self, root: Path, environ: Mapping[str, str], allow: Iterable[str] = ()) -> None:
        self._root = root
        self._environ = environ
        self._allowed = ALLOWED | frozenset(allow)

    def describe(self, now: datetime, uptime: float) -> dict[str, Any]:
        """A JSON tree: versions, host, disk, limits, variables by allow-list; sizes in bytes, seconds."""
        disk = shutil.disk_usage(self._root)
        return {
            "time": now.isoformat(timespec="microseconds"),
            "versions": self._versions,
            "host": {**self._host, "uptime": round(uptime, 1)},
            "process": self._process(),
            "disk": {"path": str(self._root), "total": disk.total, "used": disk.used, "free": disk.free},
            "variables": self._variables(),
        }

    @cached_property
    def _versions(self) -> dict[str, str]:
        found = {"skerry": __version__, "python": platform.python_version()}
        libc = " ".join(platform.libc_ver()).strip()
        found |= {"sqlite": sqlite3.sqlite_version, "kernel": platform.release(), "libc": libc}
        found["tzdata"] = _time_zones()
        return found | {name.lower(): _version(name) for name in _LIBRARIES}

    @cached_property
    def _host(self) -> dict[str, Any]:
        return {
            "name": platform.node(),
            "system": _distribution(),
            "machine": platform.machine(),
            "cores": os.cpu_count(),
            "memory": os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"),
            "boot_id": boot_id(),
            "timezone": time.tzname[0],
        }

    def _process(self) -> dict[str, Any]:
        limits = {name: _limit(number) for name, number in _LIMITS.items()}
        return {
            "pid": os.getpid(),
            "user": os.geteuid(),
            "executable": sys.executable,
            "encoding": locale.getpreferredencoding(False),
            "limits": limits,
        }

    def _variables(self) -> dict[str, str]:
        return {
            name: value
            for name, value in sorted(self._environ.items())
            if name in self._allowed or name.startswith(_ALLOWED_BEGINNINGS)
        }


def _time_zones() -> str:
    """The release of the time-zone data, as Debian's package has it, else as the one from PyPI."""
    for folder in zoneinfo.TZPATH:
        with suppress(OSError), open(f"{folder}/tzdata.zi", encoding="ascii", errors="replace") as data:
            return data.readline(100).removeprefix("# version ").strip()
    return _version("tzdata")


def _version(name: str) -> str:
    """As ``importlib.metadata.version``, which parses the whole file as a mail: a millisecond for each."""
    with suppress(importlib.metadata.PackageNotFoundError):
        lines = (importlib.metadata.distribution(name).read_text("METADATA") or "").splitlines()
        return next((line[9:] for line in lines if line.startswith("Version: ")), "")
    return ""


def _distribution() -> str:
    with suppress(OSError):
        return platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())
    return platform.system()


def _limit(number: int) -> int | None:
    """The limit in force; None where there is none."""
    soft = resource.getrlimit(number)[0]
    return None if soft == resource.RLIM_INFINITY else soft
