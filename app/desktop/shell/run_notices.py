"""Which ends of runs are worth a word, and which words; no widgets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from app.desktop.kernel.console import Target
from app.desktop.kernel.language import tr
from app.desktop.kernel.statuses import look_of
from engine.model.states import INSTANCE_BAD

_ENDED = ("succeeded", *INSTANCE_BAD)


@dataclass(frozen=True, slots=True)
class RunNotice:
    """A message about runs that ended, with the worst of them to go to."""

    text: str
    bad: bool
    target: Target


def run_notice(events: Iterable[Mapping[str, Any]]) -> RunNotice | None:
    """One message for a batch of events; None when nothing ended in it."""
    ended = [each for each in events if each["kind"] == "instance" and each["status"] in _ENDED]
    if not ended:
        return None
    failed = [each for each in ended if each["status"] in INSTANCE_BAD]
    worst = (failed or ended)[-1]
    detail = "error" if failed else None
    return RunNotice(
        _words(ended, failed), bool(failed), Target("instance", str(worst["instance"]), detail=detail)
    )


def _words(ended: list[Mapping[str, Any]], failed: list[Mapping[str, Any]]) -> str:
    if len(ended) == 1:
        only = ended[0]
        word = tr(look_of(str(only["status"])).word)
        return tr("{task} #{n}: {status}", task=only.get("task", ""), n=only["instance"], status=word)
    if failed:
        return tr("{n} runs ended, {bad} of them badly", n=len(ended), bad=len(failed))
    return tr("{n} runs ended well", n=len(ended))
