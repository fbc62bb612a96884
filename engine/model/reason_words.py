"""The sentence of each kind of reason, in English and Chinese; window and command line say the same.

``{name}`` stands for a fact. A part in brackets is left out when one of its facts is not known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple, TypedDict

from engine.model.reason import Kind, Reason

_PART = re.compile(r"\[([^\]]*)\]")
_FACT = re.compile(r"\{(\w+)\}")
_TIMES = frozenset({"at", "until"})


class Words(NamedTuple):
    """``brief`` is for rows, logs and JSON; people get all facts, in ``en`` (empty: as brief) or ``zh``."""

    brief: str
    zh: str
    en: str = ""


_BY = "[ by {by}][ at {at}][: {note}]"
_BY_ZH = "实例已[被 {by} ][于 {at} ]暂停[：{note}]"
_WITH_ZH = "随实例 {instance} 暂停[，该实例已被 {by} 于 {at} 暂停][：{note}]"
_TRY = "[ (attempt {attempt} of {of})]"
_TRY_ZH = "[（第 {attempt} 次尝试，共 {of} 次）]"

WORDS: Mapping[Kind, Words] = {
    Kind.TEXT: Words("{text}", "{text}"),
    Kind.PARENTS: Words("waits for {nodes}", "等待 {nodes}"),
    Kind.TURN: Words("waits for its turn", "等待轮到"),
    Kind.SLOT: Words(
        "waits for a place", "等待空闲执行位[；占用者：{holders}]", "waits for a slot[; taken by {holders}]"
    ),
    Kind.EXCLUSIVE: Words(
        "waits for the end of job instance {job_instance}, which is exclusive",
        "等待独占的[ {node}（实例 {instance}），]作业实例 {job_instance} 结束",
        "waits for the end of[ {node} of instance {instance},] job instance {job_instance}, exclusive",
    ),
    Kind.EXCLUSIVE_NEXT: Words(
        "exclusive: waits for the end of what runs",
        "独占：等待正在运行的作业结束[：{holders}]",
        "exclusive: waits for the end of what runs[: {holders}]",
    ),
    Kind.STILL_RUNS: Words("the worker still runs this job", "执行主机仍在运行该作业"),
    Kind.NO_WORKER: Words(
        "no worker is there to run it[; tried again at {at}]", "没有可用的执行主机[，将于 {at} 重试]"
    ),
    Kind.BUSY: Words("its worker is busy[; tried again at {at}]", "执行主机忙[，将于 {at} 重试]"),
    Kind.PAUSED: Words(f"paused{_BY}", _BY_ZH),
    Kind.PAUSED_WITH: Words(f"paused with instance {{instance}}, paused{_BY}", _WITH_ZH),
    Kind.INSTANCE_PAUSED: Words(f"the instance is paused{_BY}", _BY_ZH),
    Kind.INSTANCE_PAUSED_WITH: Words(
        f"the instance is paused with instance {{instance}}, paused{_BY}", _WITH_ZH
    ),
    Kind.RETRY: Words(
        "tried again in {seconds} s: {message}",
        f"将于 {{at}} 重试{_TRY_ZH}：{{message}}",
        f"tried again at {{at}}{_TRY}: {{message}}",
    ),
    Kind.RETRY_BY_RULE: Words(
        "tried again in {seconds} s by rule {rule}: {message}",
        f"将于 {{at}} 按规则 {{rule}} 重试{_TRY_ZH}：{{message}}",
        f"tried again at {{at}} by rule {{rule}}{_TRY}: {{message}}",
    ),
    Kind.RETRY_AFTER_SET: Words(
        "tried again in {seconds} s after rule {rule} has set {path}",
        f"规则 {{rule}} 已设置 {{path}}，将于 {{at}} 重试{_TRY_ZH}[：{{message}}]",
        f"tried again at {{at}}{_TRY} after rule {{rule}} has set {{path}}[: {{message}}]",
    ),
    Kind.RECOVERY: Words(
        "recovery {count} of {of}: tried again in {seconds} s: {message}",
        "第 {count} 次恢复（共 {of} 次）：将于 {at} 重试：{message}",
        "recovery {count} of {of}: tried again at {at}: {message}",
    ),
    Kind.TRIED_AGAIN: Words("will be tried again[ at {at}]", "将[于 {at} ]重试"),
    Kind.PROCESSES_LIVE: Words(
        "not tried again while processes of the earlier attempt live (pids {pids})",
        "上一次尝试的进程仍在运行（进程号 {pids}），结束前不会重试[；将于 {at} 再次查看]",
        "not tried again while processes of the earlier attempt live (pids {pids})[; next look at {at}]",
    ),
    Kind.REMEDY: Words(
        "rule {rule}: task '{task}' repairs (instance {instance})",
        "规则 {rule}：任务 {task} 正在修复（实例 {instance}）",
    ),
    Kind.RULE_ASKS: Words(
        "paused by rule {rule}, waits for an answer: {message}", "被规则 {rule} 暂停，等待处理：{message}"
    ),
    Kind.ASKS: Words("{message}; waits for it, or for an answer", "{message}；等待其可用，或等待处理"),
    Kind.WAIT_FOR: Words(
        "waits {seconds} s", "等待 {seconds} 秒[，至 {until}]", "waits {seconds} s[, until {until}]"
    ),
    Kind.WAIT_UNTIL: Words("waits until {until}", "等待到 {until}"),
    Kind.WAIT_CONDITION: Words(
        "waits until its condition holds",
        "等待条件成立[，每 {every} 秒检查一次]",
        "waits until its condition holds[, looked at every {every} s]",
    ),
    Kind.STAGE: Words("its {stage} stage is done by other jobs", "其 {stage} 阶段由其他作业执行"),
    Kind.CHECK: Words(
        "its outcome is looked for later",
        "稍后检查其结果[：将于 {at} 进行第 {check} 次检查（共 {of} 次）]",
        "its outcome is looked for[ at {at} (check {check} of {of})]",
    ),
    Kind.PROGRESS: Words("[{percent} % ]{text}", "[{percent} % ]{text}"),
    Kind.BRANCH: Words(
        "branch[: {nodes}]", "已跳过：[{nodes} ]走了另一分支", "skipped:[ {nodes}] took another branch"
    ),
    Kind.WHEN: Words("when", "已跳过：when 条件不成立", "skipped: its 'when' does not hold"),
    Kind.PARENTS_SKIPPED: Words(
        "parents_skipped", "已跳过：其前置节点都已跳过", "skipped: all that it comes after was skipped"
    ),
    Kind.PARENT_FAILED: Words(
        "parent_failed[: {nodes}]", "未执行：[{nodes} ]失败", "not run:[ {nodes}] failed"
    ),
    Kind.NONE_FAILED: Words("none_failed", "不需要：没有失败", "not needed: nothing failed"),
    Kind.STOPPED: Words("stopped", "未执行：运行已停止", "not run: the run was stopped"),
    Kind.DISABLED: Words("disabled", "已停用", "switched off"),
    Kind.BY_HAND: Words("by hand: {note}[ ({by})]", "人工处理：{note}[（{by}）]"),
    Kind.BY_RULE: Words("rule: {rule}", "规则：{rule}"),
    Kind.EMPTY_BATCH: Words("an empty batch", "空批次"),
    Kind.SETTLED: Words(
        "'{node}' {state} by hand: {note} ({by})", "{node} 已由 {by} 人工设定为 {state}：{note}"
    ),
    Kind.TASK_RETRY: Words(
        "tried again in {seconds} s",
        "将于 {at} 重试[（第 {run} 次执行，共 {of} 次）]",
        "tried again at {at}[ (run {run} of {of})]",
    ),
    Kind.RUNS_AGAIN: Words("runs again after instance {instances}", "将在实例 {instances} 之后重新执行"),
    Kind.RUN_AGAIN: Words("run again after instance {instances}", "在实例 {instances} 之后重新执行"),
    Kind.NOT_RUN_AGAIN: Words(
        "not run again: instance {instance} {state}", "未重新执行：实例 {instance} 没有成功（{state}）"
    ),
    Kind.NOT_RUN_EITHER: Words(
        "not run again: instance {instance} was not", "未重新执行：实例 {instance} 也未重新执行"
    ),
    Kind.NOT_RUN_GONE: Words(
        "not run again: instance {instance} is not kept any more", "未重新执行：实例 {instance} 已不再保留"
    ),
    Kind.NOT_RUN_CANCELLED: Words("not run again: cancelled by {by}", "未重新执行：已被 {by} 取消"),
    Kind.NOT_RUN_ERROR: Words("not run again: {message}", "未重新执行：{message}"),
    Kind.INPUTS_DIFFER: Words("its inputs differ: {names}", "输入不同：{names}"),
    Kind.DEFINITION_DIFFERS: Words("its definition differs", "定义不同"),
    Kind.NOT_AT_SITE: Words("it did not run at the site", "在现场没有运行"),
    Kind.NOT_SO_OFTEN: Words("it did not run so often at the site", "在现场没有运行这么多次"),
}


class Said(TypedDict):
    """A reason as rows and documents have it: in words, and as data."""

    reason: str | None
    why: dict[str, Any] | None


def brief(reason: Reason) -> str:
    """Short and stable English, for rows, logs and documents.

    >>> brief(Reason.of(Kind.PARENT_FAILED, nodes=["load", "index"]))
    'parent_failed: load, index'
    """
    template = WORDS[reason.kind].brief
    return _filled(template, reason.facts, str) if reason.facts else _PART.sub("", template)


def said(reason: Reason | None) -> Said:
    """The reason in both forms; both None without one."""
    if reason is None:
        return {"reason": None, "why": None}
    return {"reason": brief(reason), "why": reason.to_json()}


def words(reason: Reason, language: str = "en", time: Callable[[str], str] = str) -> str:
    """For people, with all that is known; ``time`` says how they read a time.

    >>> words(Reason.of(Kind.PARENT_FAILED, nodes=["load"]), "zh")
    '未执行：load 失败'
    """
    said = WORDS[reason.kind]
    template = said.zh if language.startswith("zh") else said.en or said.brief
    return _filled(template, reason.facts, time)


def sentence(reason: Reason, language: str = "en", time: Callable[[str], str] = str) -> str:
    """The same as a sentence of its own.

    >>> sentence(Reason.of(Kind.TURN)), sentence(Reason.of(Kind.TURN), "zh")
    ('Waits for its turn.', '等待轮到。')
    """
    said = words(reason, language, time)
    end = "。" if language.startswith("zh") else "."
    return said[:1].upper() + said[1:] + ("" if said[-1:] in ".!?。！？…" else end)


def _filled(template: str, facts: Mapping[str, Any], time: Callable[[str], str]) -> str:
    whole = _PART.sub(lambda part: part[1] if facts.keys() >= set(_FACT.findall(part[1])) else "", template)
    return _FACT.sub(lambda fact: _text(fact[1], facts.get(fact[1]), time), whole)


def _text(name: str, value: Any, time: Callable[[str], str]) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, float):
        return f"{value:g}"
    if name in _TIMES:
        with suppress(ValueError, TypeError):  # of another site it may be anything
            return time(value)
    return "" if value is None else str(value)
