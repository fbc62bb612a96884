"""Versions that are not those of the last success, or not those of this desk."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from engine import __version__
from export_import.desk.comparing import ChangedValue, changes
from export_import.desk.findings import Bilingual, CaseFinding, Study


def analyze(study: Study) -> Iterator[CaseFinding]:
    """Against the last success of the task, and of the program against this desk's."""
    found: Mapping[str, Any] = study.environment.get("versions") or {}
    success = study.last_success
    if success is not None:
        then = study.evidence.environment(success.id).get("versions") or {}
        for change in changes(then, found):
            yield _changed(study, change, success.id)
    theirs, own = found.get("skerry"), __version__
    if theirs and theirs != own:
        title = Bilingual(
            f"The site runs Skerry {theirs}, this desk {own}", f"现场为 Skerry {theirs}，本处为 {own}"
        )
        detail = Bilingual("The changelog tells what differs.", "差异请见更新日志。")
        yield CaseFinding("info", title, detail, study.where(file="environment.json"))


def _changed(study: Study, change: ChangedValue, success: int) -> CaseFinding:
    title = Bilingual(
        f"{change.name} is {change.b}, it was {change.a} at the last success",
        f"{change.name} 为 {change.b}，上次成功时为 {change.a}",
    )
    detail = Bilingual(f"The last success is instance {success}.", f"上次成功的实例是 {success}。")
    return CaseFinding("warning", title, detail, study.where(file="environment.json"))
