"""The working directories of instances and jobs (contract 4): made, kept, never left.

``instances/task-{task}-{instance}/jobs/job-{job}-{jobInstance}/``. Folders are 0700 and files 0600
whatever the umask. Each folder and file is made new, and nothing that a program may have put in
its place is followed.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from engine.execution import outputs, stage_file
from engine.execution.code import Code
from engine.execution.files import (
    PRIVATE_FOLDER,
    close_all,
    directory_errors,
    open_folder,
    open_log,
    replace,
    write_new,
)
from engine.execution.outputs import Output
from engine.model.codes.processes import BAD_NAME
from engine.model.disk import no_room, read_plain
from engine.model.errors import SkerryError
from engine.model.names import ID

_NAME = re.compile(ID)
_LONGEST = 128  # characters; the member of a group has its node's id and an index
_FOLDERS = ("executeCode", "inputs", "outputs", ".skerry")
_RUN_FILES = ("params.json", "environment.json")
ATTEMPT_FILES = (
    "ctx.json", "ctx.log", "executeCode", "status", "inputs", "outputs", "job.log", "job-error.log",
    "monitor.csv", ".skerry",
)  # fmt: skip


class JobDirectory:
    """``jobs/job-{job}-{jobInstance}``: what one JobInstance leaves behind."""

    __slots__ = ("_above", "_sources", "path")

    def __init__(self, path: str, sources: Sources, above: tuple[str, ...] = ()) -> None:
        self.path = path
        self._above = above  # folders that have to be there first
        self._sources = sources

    def of_worker(self, worker: str) -> JobDirectory:
        """``workers/{worker}`` in it: of a job that runs on all of its workers."""
        return JobDirectory(
            f"{self.path}/workers/{_check(worker)}", self._sources, (self.path, f"{self.path}/workers")
        )

    def make(self, params: bytes, codes: Mapping[str, Code]) -> None:
        """Make it for the first attempt: ``params`` is inputs/params.json, ``codes`` by stage.

        Raises SkerryError when it is there already or cannot be made.
        """
        with directory_errors(self.path):
            for folder in self._above:
                with suppress(FileExistsError):
                    os.mkdir(folder, PRIVATE_FOLDER)
            os.mkdir(self.path, PRIVATE_FOLDER)
            self._fill(params, codes)

    def renew(self, attempt: int, params: bytes, codes: Mapping[str, Code]) -> None:
        """Move the files of ``attempt`` into ``attempts/{attempt}`` and make them again for the next one.

        What else the program left in its directory stays where it is.
        """
        with directory_errors(self.path):
            self.archive(attempt)
            self._fill(params, codes)

    def make_room(self, attempt: int) -> int | None:
        """Move the files of an earlier attempt aside, if what is here is one's; gives which.

        OSError when that is not possible.
        """
        here = self.last_attempt() if attempt > 1 else None
        if here is None or here >= attempt:
            return None
        self.archive(here)
        return here

    def last_attempt(self) -> int | None:
        """That whose files are here: its program left its record, or else its context says so (of a call)."""
        return self._recorded_attempt() or self._filed_attempt()

    def _recorded_attempt(self) -> int | None:
        for stage in ("end", "process", "ready"):
            record = stage_file.read(f"{self.path}/.skerry/{stage}")
            number = record.mark.split(".")[1:-1] if record is not None else []  # a last part may be cut off
            if number and number[0].isdecimal():
                return int(number[0])
        return None

    def _filed_attempt(self) -> int | None:
        with suppress(ValueError, AttributeError):
            number = json.loads(read_plain(f"{self.path}/ctx.json") or b"{}").get("ATTEMPT")
            return number if type(number) is int and number > 0 else None
        return None

    def remake(self, params: bytes, codes: Mapping[str, Code]) -> None:
        """Make it whatever is there of it: nothing was started in it yet. Raises SkerryError."""
        with directory_errors(self.path):
            os.makedirs(self.path, PRIVATE_FOLDER, exist_ok=True)
            for folder in _FOLDERS:
                shutil.rmtree(f"{self.path}/{folder}", ignore_errors=True)
            self._fill(params, codes)

    def make_logs(self) -> None:
        """Empty job.log and job-error.log, for work that is not a process."""
        with directory_errors(self.path):
            close_all([open_log(f"{self.path}/job.log"), open_log(f"{self.path}/job-error.log")])

    def write_status(self, succeeded: bool) -> None:
        """The copy of the judgement for people and scripts; never read back by the engine."""
        path, data = f"{self.path}/status", b"1\n" if succeeded else b"0\n"
        try:
            write_new(path, data)
        except FileExistsError:  # the program wrote one
            with suppress(IsADirectoryError):
                replace(path, data)

    def read_status(self) -> bool | None:
        """What the program wrote into ``status``: whether it was 1, or None when it wrote nothing."""
        return outputs.read_status(self.path)

    def outputs(self, most: int = outputs.MOST_TEXT) -> list[Output]:
        """The plain files of ``outputs/`` by name, with the texts of those up to ``most`` bytes."""
        return outputs.collect(self.path, most)

    def write_output(self, name: str, data: bytes) -> None:
        """A computed result: ``outputs/{name}``."""
        _check(name)
        _replace_in(f"{self.path}/outputs", name, data)

    def output(self, name: str) -> str:
        """The absolute path of one result."""
        return f"{self.path}/outputs/{_check(name)}"

    @property
    def progress(self) -> str:
        """Where the running program writes how far it is."""
        return f"{self.path}/.skerry/progress"

    def _fill(self, params: bytes, codes: Mapping[str, Code]) -> None:
        try:
            self._make_parts(params, codes)
        except OSError as error:
            if no_room(error):
                self._take_back()
            raise

    def _take_back(self) -> None:
        """Nothing half-made stays, so that it can be made again."""
        for folder in _FOLDERS:
            shutil.rmtree(f"{self.path}/{folder}", ignore_errors=True)
        with suppress(OSError):
            os.rmdir(self.path)

    def _make_parts(self, params: bytes, codes: Mapping[str, Code]) -> None:
        path = self.path
        for folder in _FOLDERS:
            os.mkdir(f"{path}/{folder}", PRIVATE_FOLDER)
        for stage, code in codes.items():
            self._sources.put(code.data, f"{path}/executeCode/{stage}")
        write_new(f"{path}/inputs/params.json", params)

    def archive(self, attempt: int) -> None:
        """Move the files of ``attempt`` into ``attempts/{attempt}``. OSError when that is not possible."""
        here = open_folder(self.path)
        opened = [here]
        try:
            with suppress(FileExistsError):
                os.mkdir("attempts", PRIVATE_FOLDER, dir_fd=here)
            opened.append(kept := open_folder("attempts", here))
            with suppress(FileExistsError):  # the disk was full the last time
                os.mkdir(str(attempt), PRIVATE_FOLDER, dir_fd=kept)
            opened.append(there := open_folder(str(attempt), kept))
            for name in ATTEMPT_FILES:
                with suppress(FileNotFoundError):
                    os.rename(name, name, src_dir_fd=here, dst_dir_fd=there)
        finally:
            close_all(opened)


class Sources:
    """Stage texts on the disk: written once, then linked, since a link costs a third of a file."""

    def __init__(self) -> None:
        self._written: dict[bytes, tuple[str, tuple[int, int]]] = {}

    def put(self, data: bytes, path: str) -> None:
        """Have ``data`` as the file ``path``: a link to an earlier one that was not changed, or written."""
        source, version = self._written.get(data, ("", (0, 0)))
        try:
            if source and _version(source) == version:
                return os.link(source, path)
        except OSError:  # gone, too many links, no links on this disk
            pass
        write_new(path, data)
        self._written[data] = (path, _version(path))


class InstanceDirectory:
    """``task-{task}-{instance}``: one context, one log, one folder for each job."""

    __slots__ = ("_sources", "path")

    def __init__(self, path: str) -> None:
        self.path = path
        self._sources = Sources()

    def make(self) -> None:
        """Make it; being there already is fine. Raises SkerryError when it cannot be made."""
        with directory_errors(self.path):
            for folder in (self.path, f"{self.path}/jobs"):
                with suppress(FileExistsError):
                    os.mkdir(folder, PRIVATE_FOLDER)

    def job(self, job: str, job_instance: int) -> JobDirectory:
        """The directory of one JobInstance; nothing is made yet. Raises SkerryError for a bad id."""
        return JobDirectory(f"{self.path}/jobs/job-{_check(job)}-{job_instance:d}", self._sources)

    def replace(self, name: str, data: bytes) -> None:
        """Write one of its own files (``ctx.json``, ``currJobs``, ``params.json``) as a whole."""
        _replace_in(self.path, name, data)

    def keep_run(self, run: int) -> None:
        """Move params.json and environment.json of an earlier run to ``runs/{run}``."""
        with directory_errors(self.path):
            for folder in (f"{self.path}/runs", f"{self.path}/runs/{run:d}"):
                with suppress(FileExistsError):
                    os.mkdir(folder, PRIVATE_FOLDER)
            for name in _RUN_FILES:
                kept = f"{self.path}/runs/{run:d}/{name}"
                with suppress(FileNotFoundError):
                    if not os.path.lexists(kept):  # else a full disk broke it off, and it comes again
                        os.rename(f"{self.path}/{name}", kept)


class JobDirectories:
    """The folder ``instances`` of a workspace."""

    def __init__(self, root: Path | str) -> None:
        self.root = os.path.abspath(root)

    def instance(self, task: str, instance: int) -> InstanceDirectory:
        """The directory of one instance; nothing is made yet. Raises SkerryError for a bad id."""
        return InstanceDirectory(f"{self.root}/task-{_check(task)}-{instance:d}")


def _replace_in(folder: str, name: str, data: bytes) -> None:
    with directory_errors(folder):
        place = open_folder(folder)
    try:
        with directory_errors(f"{folder}/{name}"):
            replace(name, data, place)
    finally:
        os.close(place)


def _version(path: str) -> tuple[int, int]:
    found = os.stat(path, follow_symlinks=False)
    return found.st_mtime_ns, found.st_size


def _check(name: str) -> str:
    if len(name) > _LONGEST or not _NAME.fullmatch(name):
        raise SkerryError.at(BAD_NAME, "not an id: {where!r}", name)
    return name
