"""Disks that were full, or nearly."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator

from engine.model.codes.jobs import NO_SPACE
from engine.model.codes.store import DISK_ERROR, DISK_FULL
from engine.model.message import Message
from export_import.desk.findings import Bilingual, CaseFinding, FindingPlace, Study

_LEAST = 1 << 30  # bytes
_SHARE = 0.05
_CODES = {DISK_FULL.number, DISK_ERROR.number, NO_SPACE.number}
_FULL = {os.strerror(each) for each in (errno.ENOSPC, errno.EDQUOT)}


def analyze(study: Study) -> Iterator[CaseFinding]:
    """From the record at the run's start, and from failures by their code or system error."""
    disk = study.environment.get("disk")
    if isinstance(disk, dict) and isinstance(disk.get("free"), int) and isinstance(disk.get("total"), int):
        free, total = disk["free"], disk["total"]
        if free < _LEAST or free < total * _SHARE:
            yield _little(study, free, total)
    for each in study.exceptions:
        if each.code in _CODES or _is_full(each.words):
            en, zh = "The disk was in the way: {message}", "磁盘出现问题：{message}"
            title = Bilingual.of(en, zh, message=each.words)
            detail = Bilingual(
                "Make room on the device that the message names, then rerun.",
                "请在消息所指的设备上腾出空间，然后重新执行。",
            )
            where = FindingPlace(study.instance, each.node, job_instance=each.job_instance)
            yield CaseFinding("error", title, detail, where, each.code)


def _is_full(message: Message) -> bool:
    """Whether the system's error is among the facts of a message, or of one that it quotes."""
    facts = message.facts.values()
    return not _FULL.isdisjoint(map(str, facts)) or any(_is_full(f) for f in facts if isinstance(f, Message))


def _little(study: Study, free: int, total: int) -> CaseFinding:
    share = free / total if total else 0.0
    title = Bilingual(
        f"Little room on the workspace's disk: {free / _LEAST:.2f} GiB free",
        f"工作区磁盘空间不足：剩余 {free / _LEAST:.2f} GiB",
    )
    detail = Bilingual(
        f"{share:.1%} of {total / _LEAST:.1f} GiB were free when the run began. 'skerry clean' makes room.",
        f"运行开始时，{total / _LEAST:.1f} GiB 中剩余 {share:.1%}。skerry clean 可释放空间。",
    )
    return CaseFinding("warning", title, detail, study.where(file="environment.json"))
