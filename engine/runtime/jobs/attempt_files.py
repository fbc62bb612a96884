"""The directory of one attempt: the texts of its stages, the job's own context, and what it left."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from engine.context.line import json_text
from engine.execution import outputs
from engine.execution.code import Code, code
from engine.execution.directories import JobDirectory
from engine.execution.files import directory_errors, replace
from engine.execution.output_size import cut
from engine.model.missing_files import RECORD, missing, moved, record
from engine.runtime.big_values import BIGGEST
from engine.runtime.jobs.job_entry import JobEntry
from engine.runtime.journal import JobFiles, append


def make_room(folder: JobDirectory, instance: Path, attempt: int, now: str) -> None:
    """What is in a job's directory and is of an earlier attempt is moved aside. OSError."""
    before = folder.make_room(attempt)
    if before is not None:
        _move_missing(folder, instance, before, now)


def _move_missing(folder: JobDirectory, instance: Path, attempt: int, now: str) -> None:
    """What a power cut took of the attempt before is missing where its files are now."""
    if files := missing(instance):
        job = Path(folder.path).relative_to(instance).as_posix()
        replace(str(instance / RECORD), record(moved(files, job, attempt), now), durable=True)


class AttemptFiles:
    """A control job has none; loop thread only, but for ``progress``."""

    def __init__(self, entry: JobEntry, number: int) -> None:
        self.entry = entry
        self._number = number
        self.folder: JobDirectory | None = None
        self._codes: Mapping[str, Code] | None = None
        self._files: JobFiles | None = None
        self._taken_up = False  # an earlier engine may have come to its directory, or not
        self._filed = False  # its end is in its files

    @property
    def directory(self) -> JobDirectory:
        """The job's directory once it was prepared."""
        assert self.folder is not None
        return self.folder

    def prepare(self, codes: Mapping[str, Code]) -> None:
        """Make the directory as contract 4 says; only after the turn in which it began is durable."""
        run = self.entry.run
        if not run.files.has_directory:  # the disk was full when it was to be made
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), run.files.folder.path)
        self._codes = codes
        self.entry.file_late()
        folder, params = self._folder(), self._params()
        if self._number > 1 and os.path.exists(folder.path):
            before = min(folder.last_attempt() or self._number, self._number - 1)
            folder.renew(before, params, codes)
            _move_missing(folder, self._root, before, self.entry.services.now())
        else:
            folder.make(params, codes)
        self.folder = folder  # until then what is there is of the attempt before
        self.entry.file(self._file_context)

    def _folder(self) -> JobDirectory:
        return self.entry.folder

    def _params(self) -> bytes:
        return (json_text(self.entry.params_without_secrets) + "\n").encode()

    @property
    def _root(self) -> Path:
        return Path(self.entry.run.files.folder.path)

    def remake(self, codes: Mapping[str, Code]) -> None:
        """Make the directory again of which a power cut may have left anything; nothing ran in it yet."""
        self._codes = codes
        self.reserve().remake(self._params(), codes)

    def reserve(self) -> JobDirectory:
        """Know the directory that an earlier engine made, though a power cut may have taken it."""
        self.folder = folder = self._folder()
        return folder

    def take_up(self) -> None:
        """Take up the directory that an earlier engine made."""
        folder, self._taken_up = self._folder(), True
        self.folder = folder if os.path.isdir(folder.path) else None

    @property
    def codes(self) -> Mapping[str, Code]:
        """The text of each stage; of an attempt that was taken up, as its directory has it."""
        if self._codes is None:
            written = Path(self.directory.path, "executeCode")
            names = os.listdir(written) if written.is_dir() else ()
            self._codes = {name: code((written / name).read_bytes()) for name in names}
        return self._codes

    def note_call(self, record: str, mark: str) -> None:
        """Write down as a record of ``.skerry`` that a call of this attempt begins. SkerryError."""
        path = f"{self.directory.path}/.skerry/{record}"
        with directory_errors(path):
            replace(path, f"pid {os.getpid()}\nmark {mark}\n".encode())

    # -- ended ---------------------------------------------------------------------------------

    def cut_logs(self) -> None:
        """What was printed before the limit was seen to be passed does not stay."""
        most = self.entry.job.limits.output
        if self.folder is not None and most is not None:
            with suppress(OSError):  # a log that is gone needs no cutting
                cut(self.folder.path, most)

    def log_sizes(self) -> dict[str, int]:
        """What its programs have printed: after a power cut that tells what of it is missing."""
        found: dict[str, int] = {}
        for column, log in (("log_size", "job.log"), ("error_log_size", "job-error.log")):
            with suppress(OSError):
                found[column] = 0 if self._has_nothing else os.stat(f"{self.directory.path}/{log}").st_size
        return found

    @property
    def _has_nothing(self) -> bool:
        """Whether it never had the directory, which may have the files of an earlier one."""
        if self.folder is None or not self._taken_up:
            return self.folder is None
        return (self.folder.last_attempt() or self._number) < self._number

    def end(self, ok: bool) -> None:
        """Its status and the last of its context: after the commit, as soon as the disk has room."""
        if self.entry.identity.is_control:
            return
        tree = self.entry.tree
        # The tree of now: by then the next round of a loop may have begun.
        file = partial(self._file_nothing, tree)
        if self.folder is not None:
            file = partial(self._file_end, ok, tree)
        self.entry.services.loop.after_commit(partial(self.entry.file, file))

    def _file_context(self, tree: dict[str, Any] | None = None) -> None:
        """The job's own ctx.json and ctx.log: written at the start and at the end of an attempt."""
        if self._filed:
            return
        if self._files is None:
            self._files = JobFiles(self.directory.path)
        self._files.append(self.entry.lines)
        self.entry.lines = []
        self._files.show(self.entry.tree if tree is None else tree)

    def _file_nothing(self, tree: dict[str, Any]) -> None:
        """It ended before it had its directory, which may have the files of the attempt before."""
        folder = self._folder()
        make_room(folder, self._root, self._number, self.entry.services.now())
        with suppress(FileNotFoundError):  # a first attempt, or what was removed
            folder.write_status(False)
        self.entry.file_outcome(tree)

    def _file_end(self, ok: bool, tree: dict[str, Any]) -> None:
        path = self.directory.path
        try:
            self.directory.write_status(ok)
            self._file_context(tree)
        except FileNotFoundError:
            if os.path.isdir(path):
                raise
            self.entry.services.say(f"job {self.entry.identity.node}: its directory {path} was removed")
        self._filed = True
        if self._files is not None:
            self._files.close()
            self._files = None

    # -- progress and results ------------------------------------------------------------------

    def progress(self, text: str) -> None:
        """Write a line of progress, as a program does; from any thread, best effort."""
        with_newline = text.replace("\n", " ") + "\n"
        append(self.directory.progress, with_newline.encode("utf-8", "replace"))

    def mask_progress(self) -> None:
        """A program that reported its secret as progress does not leave it there."""
        path = Path(self.directory.progress)
        with suppress(OSError, UnicodeDecodeError):
            text = path.read_text("utf-8")
            if (masked := self.entry.services.mask(text)) != text:
                path.unlink()  # first: a disk that is full must not keep the secret
                append(str(path), masked.encode())

    @property
    def progress_size(self) -> int:
        """The bytes that its file has."""
        with suppress(OSError):
            return os.stat(self.directory.progress).st_size
        return 0

    def reference(self, name: str, size: int, kind: str | None = None) -> dict[str, Any]:
        """What the context has for a result that is too big for it, or no text."""
        path = Path(self.directory.output(name)).relative_to(self.entry.run.facts.directory)
        facts = {"$file": str(path), "size": size, "sha256": outputs.digest(self.directory.path, name)}
        return facts if kind is None else {**facts, "kind": kind}

    def write_output(self, name: str, text: str) -> None:
        """A computed result as a file (control jobs have none)."""
        if self.folder is None:
            return
        data, folder = text.encode("utf-8", "replace"), self.folder
        if len(data) > BIGGEST:  # its reference needs the file at once
            folder.write_output(name, data)
        else:
            self.entry.file(lambda: folder.write_output(name, data))
