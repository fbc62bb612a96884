"""Reasons in words: the sentences of ``reasons.yaml`` with their facts, for window and command line alike."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

from engine.model.message import Message
from engine.model.reason import Reason

_PART = re.compile(r"\[([^\]]*)\]")
_FACT = re.compile(r"\{(\w+)\}")
REASON = "{reason}"  # the template of a message that is a reason
_TIMES = frozenset({"at", "until", "since"})


class ReasonSentence(NamedTuple):
    """``brief`` is for rows, logs and JSON; people get all facts, in ``en`` (empty: as brief) or ``zh``."""

    brief: str
    zh: str
    en: str = ""


@cache
def sentences() -> Mapping[str, ReasonSentence]:
    """By kind."""
    import yaml

    entries = yaml.load(Path(__file__).with_name("reasons.yaml").read_bytes(), yaml.CSafeLoader)
    return {kind: ReasonSentence(**entry) for kind, entry in entries.items()}


class Said(TypedDict):
    """A reason as rows and documents have it: in words, and as data."""

    reason: str | None
    why: dict[str, Any] | None


def brief(reason: Reason) -> str:
    """Short and stable English, for rows, logs and documents.

    >>> from engine.model.reason import Kind
    >>> brief(Reason.of(Kind.PARENT_FAILED, nodes=["load", "index"]))
    'parent_failed: load, index'
    """
    template = sentences()[reason.kind].brief
    return _filled(template, reason.facts, str, "") if reason.facts else _PART.sub("", template)


def message_of(reason: Reason) -> Message:
    """As a message of its own, whose only fact is the reason: an edge words it with all that is known."""
    return Message(brief(reason), REASON, {"reason": reason.to_json()})


def said(reason: Reason | None) -> Said:
    """The reason in both forms; both None without one."""
    if reason is None:
        return {"reason": None, "why": None}
    return {"reason": brief(reason), "why": reason.to_json()}


def words(reason: Reason, language: str = "en", time: Callable[[str], str] = str) -> str:
    """For people, with all that is known; ``time`` says how they read a time.

    >>> from engine.model.reason import Kind
    >>> words(Reason.of(Kind.PARENT_FAILED, nodes=["load"]), "zh")
    '未执行：load 失败'
    """
    texts = sentences()[reason.kind]
    template = texts.zh if language.startswith("zh") else texts.en or texts.brief
    facts = reason.facts
    if "names" in facts and "workers" not in facts:  # of an older version
        facts = {**facts, "workers": facts["names"]}
    return _filled(template, facts, time, language)


def sentence(reason: Reason, language: str = "en", time: Callable[[str], str] = str) -> str:
    """The same as a sentence of its own.

    >>> from engine.model.reason import Kind
    >>> sentence(Reason.of(Kind.TURN)), sentence(Reason.of(Kind.TURN), "zh")
    ('Waits for its turn.', '等待轮到。')
    """
    text = words(reason, language, time)
    end = "。" if language.startswith("zh") else "."
    return text[:1].upper() + text[1:] + ("" if text[-1:] in ".!?。！？…" else end)


def _filled(template: str, facts: Mapping[str, Any], time: Callable[[str], str], language: str) -> str:
    whole = _PART.sub(lambda part: part[1] if facts.keys() >= set(_FACT.findall(part[1])) else "", template)
    return _FACT.sub(lambda fact: _text(fact[1], facts.get(fact[1]), time, language), whole)


def _text(name: str, value: Any, time: Callable[[str], str], language: str) -> str:
    if name == "jobs" and isinstance(value, list):
        return "; ".join(_of_job(each, time, language) for each in value)
    if isinstance(value, list):
        return ", ".join(_obstacle(each, time, language) for each in value)
    if isinstance(value, float):
        return f"{value:g}"
    if name in _TIMES:
        with suppress(ValueError, TypeError):  # of another site it may be anything
            return time(value)
    return "" if value is None else str(value)


def _of_job(job: Any, time: Callable[[str], str], language: str) -> str:
    """What a job says of itself, behind its name."""
    why = Reason.read(job.get("why"), None) if isinstance(job, Mapping) else None
    return str(job) if why is None else f"{job.get('name')}: {words(why, language, time)}"


def _obstacle(worker: Any, time: Callable[[str], str], language: str) -> str:
    """A worker with its own reason; anything else as it is."""
    if not isinstance(worker, Mapping):
        return str(worker)
    why = Reason.read(worker.get("why"), None)
    name = str(worker.get("name"))
    if why is None:
        return name
    return (
        f"{name}（{words(why, language, time)}）"
        if language.startswith("zh")
        else f"{name} ({words(why, language, time)})"
    )
