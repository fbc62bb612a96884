"""When the window itself fails: a report on the disk that an operator can carry out, and a word about it."""

from __future__ import annotations

import faulthandler
import os
import platform
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TextIO

from app.desktop.kernel.language import tr
from engine import __version__

Reported = Callable[[Path, str], object]
_TAIL = 20_000  # bytes of the engine's own words in a report
_KEPT = 10  # reports that are kept


class CrashReports:
    """Watches this process; ``reported(file, summary)`` is called for each report, on the thread that failed.

    A report has versions, the stack and the engine's last words; no values of the workspace.
    """

    def __init__(self, logs: Path, now: Callable[[], datetime], reported: Reported) -> None:
        self._logs, self._now, self.report = logs, now, reported
        self._fatal: TextIO | None = None
        self._hooks = (sys.excepthook, threading.excepthook)

    def install(self) -> Path | None:
        """Begin to watch; gives the report of an earlier window that died, if there is one."""
        earlier = self._earlier()
        self._fatal = (self._logs / f"console-fatal-{os.getpid()}.txt").open("w", encoding="utf-8")
        faulthandler.enable(self._fatal)
        sys.excepthook = self._failed
        threading.excepthook = lambda args: self._failed(
            args.exc_type, args.exc_value or args.exc_type(), args.exc_traceback
        )
        return earlier

    def remove(self) -> None:
        """Watch no more; a window that ended well leaves nothing."""
        sys.excepthook, threading.excepthook = self._hooks
        if self._fatal is not None:
            faulthandler.disable()
            self._fatal.close()
            Path(self._fatal.name).unlink(missing_ok=True)
            self._fatal = None

    def write(self, what: str) -> Path:
        """A report about something; the oldest ones go."""
        name = f"console-report-{self._now():%Y%m%d-%H%M%S-%f}.txt"
        file = self._logs / name
        file.write_text(f"{facts()}\n{what}\n\n{self._last_words()}", "utf-8")
        file.chmod(0o600)
        for old in sorted(self._logs.glob("console-report-*.txt"))[:-_KEPT]:
            old.unlink(missing_ok=True)
        return file

    def _failed(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            return
        what = "".join(traceback.format_exception(kind, error, trace))
        sys.stderr.write(what)
        with suppress(OSError):
            self.report(self.write(what), traceback.format_exception_only(kind, error)[-1].strip())

    def _earlier(self) -> Path | None:
        """What a window left that the system ended (a fault in a library); its pid is dead."""
        found = None
        for file in self._logs.glob("console-fatal-*.txt"):
            pid = file.stem.rpartition("-")[2]
            if Path(f"/proc/{pid}").exists():
                continue
            if text := file.read_text("utf-8", "replace").strip():
                found = self.write(text)
            file.unlink(missing_ok=True)
        return found

    def _last_words(self) -> str:
        with suppress(OSError):
            data = (self._logs / "serve.log").read_bytes()[-_TAIL:]
            return f"{tr('the latest output of the engine:')}\n{data.decode('utf-8', 'replace')}"
        return ""


def facts() -> str:
    """What this program is and runs on."""
    from importlib.metadata import version  # it brings the parser of e-mail

    lines = {
        "skerry": __version__,
        "python": platform.python_version(),
        "qt": version("PySide6-Essentials"),
        "system": platform.platform(),
        "platform": os.environ.get("QT_QPA_PLATFORM", ""),
    }
    return "".join(f"{name}: {value}\n" for name, value in lines.items())


def report_now(logs: Path) -> Path:
    """A report without a crash: what every thread does right now."""
    frames = sys._current_frames()
    stacks = [
        f"thread {thread.name}\n{''.join(traceback.format_stack(frames[thread.ident]))}"
        for thread in threading.enumerate()
        if thread.ident in frames
    ]
    return CrashReports(logs, machine_time, lambda *_: None).write("\n".join(stacks))


def machine_time() -> datetime:
    """Now, in the machine's zone: for the names of files."""
    return datetime.now().astimezone()
