"""After a restart of the engine: what became of a stage that an earlier engine started."""

from __future__ import annotations

import os
from pathlib import Path

from engine.execution import stage_file
from engine.execution.child import Child, Masker, ended, recorded, settling
from engine.execution.outcomes import RESTARTED, Exit, Lost
from engine.execution.proc import mark_of, start_ticks, stat
from engine.execution.stage_file import StageRecord
from engine.execution.supervisor import is_supervisor


def adopt(
    directory: Path | str,
    stage: str,
    mark: str,
    boot_id: str | None = None,
    *,
    began_in: str | None = None,
    looks: int = 0,
) -> Child | Exit | Lost | None:
    """A child to wait for, the end that was written down, or Lost with the reason.

    None: it only just begins or ends, so ask again after ``LOOK_AGAIN`` seconds, with one more of ``looks``.
    An engine may be killed while it starts a process: for a moment that has its lock, but is not yet itself.

    ``mark`` is the attempt's; ``boot_id`` of this start of the machine, by default asked from it;
    ``began_in`` that of the attempt, where it is known. After another start of the machine only an end that
    was written down tells anything: a power cut empties files. Lost says nothing about what the job started:
    ask ``tree`` before running it again.
    """
    path = f"{os.fspath(directory)}/.skerry/{stage}"
    this_boot = boot_id or stage_file.boot_id()
    record = stage_file.read(path)
    ours = record if record is not None and record.mark == mark else None
    same_boot = this_boot == (began_in or (ours.boot if ours else this_boot))
    if ours is not None and ours.exit is not None:
        return _draining(path, ours, same_boot) or Exit.of(ours.exit)
    if not same_boot:
        return Lost(RESTARTED)
    if record is None:
        return Lost("it was never started", begun=False)
    if record.damaged(mark):
        return Lost("the record of its start is damaged")
    if ours is None:
        return Lost("the record in its directory is of another attempt", begun=False)
    if not ours.begun and not stage_file.locked(path):
        return Lost("its process was never started", begun=False)
    child = _leader(path, ours) if stage_file.locked(path) else None
    if child is not None:
        return child
    return None if settling(path, looks) else recorded(path)


def confirmed(path: str) -> Exit | Lost | None:
    """What the file of a stage says that is taken to run; None: somebody holds its lock, so it does."""
    record = stage_file.read(path)
    if record is not None and record.exit is None and stage_file.locked(path):
        return None
    return recorded(path)


def _leader(path: str, record: StageRecord) -> Child | None:
    pid = record.leader
    pidfd = _open(pid) if pid else None
    if pid is None or pidfd is None:
        return None
    writer = _writer(record, pid)
    if writer is None or not stage_file.locked(path) or ended(pidfd):
        os.close(pidfd)
        return None
    if writer != record.pid:  # the engine was killed before it could note that: the next one looks for it
        stage_file.note_pid_in(path, writer)
    return Child(writer, pidfd, path, record.mark, own=False, masker=_masker(record))


def _writer(record: StageRecord, leader: int) -> int | None:
    """What writes down its end; None where ``leader`` is another process by now: numbers are used again.

    A program may write over its own environment, so its mark is no proof; its supervisor's is.
    """
    if not record.supervised:
        return leader if mark_of(leader) == record.mark.encode() else None
    found = stat(leader)
    return found.parent if found is not None and is_supervisor(found.parent, record.mark) else None


def _draining(path: str, record: StageRecord, same_boot: bool) -> Child | None:
    """The masking process of a job that has ended: its output is not complete yet."""
    masker = _masker(record) if same_boot and stage_file.locked(path) else None
    if masker is None:
        return None
    return Child(masker.pid, os.dup(masker.pidfd), path, record.mark, own=False, masker=masker)


def _masker(record: StageRecord) -> Masker | None:
    if record.masker is None:
        return None
    pid, ticks = record.masker
    pidfd = _open(pid)
    if pidfd is not None and start_ticks(pid) != ticks:
        os.close(pidfd)
        pidfd = None
    return None if pidfd is None else Masker(pid, pidfd, own=False)


def _open(pid: int) -> int | None:
    try:
        return os.pidfd_open(pid)
    except OSError:
        return None
