"""A page of documentation made from a job type, a resource type or the error catalogue."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from textwrap import indent
from typing import Any

from pydantic import BaseModel

from engine.model.errors import ErrorCode
from engine.model.job import ParamSpec
from engine.plugins.job_type import CallType, ControlType, JobType, ProgramType
from engine.plugins.resource_type import ResourceType
from engine.plugins.shapes import KeyRow, Language, key_rows

LANGUAGES: tuple[Language, ...] = ("en", "zh")

_T: Mapping[str, tuple[str, str]] = {
    "program": ("It runs as a process of its own.", "它在单独的进程中运行。"),
    "call": ("The engine does the work itself, without a process.", "由引擎直接执行，不启动进程。"),
    "control": (
        "It steers the run and takes no place on any worker.",
        "它控制执行流程，不占用任何执行主机的位置。",
    ),
    "process required": ("The key `process` is required.", "必须给出 `process` 键。"),
    "process optional": ("The key `process` is optional.", "`process` 键可以省略。"),
    "process none": ("It has no key `process`.", "它没有 `process` 键。"),
    "keys": ("Its own keys", "自有的键"),
    "check": ("Keys of `check`", "`check` 的键"),
    "request": ("Keys of `request`", "`request` 的键"),
    "key head": ("key | type | default | meaning", "键 | 类型 | 默认值 | 含义"),
    "params": ("Parameters", "参数"),
    "param head": ("parameter | kind | default | meaning", "参数 | 类别 | 默认值 | 含义"),
    "results": ("Results", "结果"),
    "result head": ("result | kind | meaning", "结果 | 类别 | 含义"),
    "outputs": (
        "Each file in `outputs/` is a result too, by its name.",
        "`outputs/` 中的每个文件也是结果，以文件名为名。",
    ),
    "codes": ("Error codes", "错误码"),
    "code head": ("code | what | cause | remedy | retried", "错误码 | 说明 | 原因 | 处理办法 | 重试"),
    "example": ("Example", "示例"),
    "required": ("required", "必填"),
    "any": ("any", "任意"),
    "yes": ("yes", "是"),
    "no": ("no", "否"),
    "also": ("Also written as", "也可写作"),
    "other codes": (
        "How a process can end badly is in the [catalogue](../errors.md), domain 10.",
        "进程异常结束的各种情况见[错误码目录](../errors.md)的 10 域。",
    ),
    "errors": ("Error codes", "错误码"),
    "errors intro": (
        (
            "Every error has a code `-1DDSSCCCXXX`: domain, sub-domain, code, and an extra part (an exit "
            "status, an HTTP status or a signal) that is 000 here. The last column says whether a job's "
            "`retry` without `on` tries again."
        ),
        (
            "每个错误都有形如 `-1DDSSCCCXXX` 的错误码：域、子域、编号，以及附加部分"
            "（退出状态、HTTP 状态或信号），此处为 000。最后一列表示作业的 `retry` 未写 `on` 时是否重试。"
        ),
    ),
    "types": ("Job types", "作业类型"),
    "resources": ("Resource types", "资源类型"),
    "index head": ("type | what it is", "类型 | 说明"),
}
_DOMAINS: Mapping[str, tuple[str, str]] = {
    "01": ("Definitions and wrong use", "定义与用法"),
    "02": ("Expressions", "表达式"),
    "03": ("Planning and context", "规划与上下文"),
    "10": ("Processes", "进程"),
    "11": ("Queue and workers", "队列与执行主机"),
    "12": ("Recovery and ends", "恢复与结束"),
    "20": ("Job types", "作业类型"),
    "30": ("Resources", "资源"),
    "40": ("Schedules and dependencies", "调度与依赖"),
    "50": ("Bundles", "数据包"),
    "60": ("Security and secrets", "安全与机密"),
    "70": ("Store and disk", "存储与磁盘"),
    "90": ("Internal", "内部错误"),
}


def page(job_type: JobType, language: Language) -> str:
    """The page of a job type as Markdown."""
    return _joined(
        _title(job_type.kind, job_type.label, language),
        job_type.help[language == "zh"],
        f"{_family(job_type, language)} {_say(f'process {job_type.process}', language)}",
        *_keys("keys", job_type.keys, job_type.meanings, language),
        *_params(job_type, language),
        *_results(job_type, language),
        *_codes(job_type.codes, language),
        _say("other codes", language) if isinstance(job_type, ProgramType) else "",
        *_example("jobs", job_type.example, language),
    )


def resource_page(resource_type: ResourceType, language: Language) -> str:
    """The page of a resource type as Markdown."""
    names = ", ".join(f"`{alias}`" for alias in resource_type.aliases)
    return _joined(
        _title(resource_type.kind, resource_type.label, language),
        resource_type.help[language == "zh"],
        f"{_say('also', language)} {names}." if names else "",
        *_keys("check", resource_type.check_keys, resource_type.meanings, language),
        *_keys("request", resource_type.request_keys, resource_type.meanings, language),
        *_codes(resource_type.codes, language),
        *_example("resources", resource_type.example, language),
    )


def catalogue_page(entries: Iterable[ErrorCode], language: Language) -> str:
    """Every entry of the catalogue by domain, as Markdown."""
    ordered = sorted(entries, key=lambda entry: -entry.number)
    sections: list[str] = []
    for domain, group in groupby(ordered, key=lambda entry: f"{-entry.number:011d}"[1:3]):
        name = _DOMAINS.get(domain, ("", ""))[language == "zh"]
        sections += (f"## {domain} {name}".rstrip(), _code_table(group, language))
    return _joined(f"# {_say('errors', language)}", _say("errors intro", language), *sections)


def index_page(heading: str, kinds: Iterable[JobType | ResourceType], language: Language) -> str:
    """The list of all types, ``heading`` being ``types`` or ``resources``."""
    rows = [[f"[`{each.kind}`]({each.kind}.md)", each.label[language == "zh"]] for each in kinds]
    return _joined(f"# {_say(heading, language)}", _table(_say("index head", language), rows))


def _say(key: str, language: Language) -> str:
    return _T[key][language == "zh"]


def _joined(*blocks: str) -> str:
    return "\n\n".join(block for block in blocks if block) + "\n"


def _title(kind: str, label: tuple[str, str], language: Language) -> str:
    return f"# `{kind}`: {label[language == 'zh']}"


def _family(job_type: JobType, language: Language) -> str:
    families = ((ProgramType, "program"), (CallType, "call"), (ControlType, "control"))
    words = [_say(key, language) for family, key in families if isinstance(job_type, family)]
    return words[0] if words else ""


def _table(head: str, rows: Sequence[Sequence[str]]) -> str:
    line = "|".join("---" for _ in head.split("|"))
    cells = ["| " + " | ".join(map(_cell, row)) + " |" for row in rows]
    return "\n".join((f"| {head} |", f"|{line}|", *cells))


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _keys(
    heading: str, model: type[BaseModel], meanings: Mapping[str, tuple[str, str]], language: Language
) -> tuple[str, ...]:
    rows = key_rows(model, language)
    if not rows:
        return ()
    cells = [
        [f"`{row.name}`", row.type, _key_default(row, language), _meaning(meanings, row.name, language)]
        for row in rows
    ]
    return f"## {_say(heading, language)}", _table(_say("key head", language), cells)


def _meaning(meanings: Mapping[str, tuple[str, str]], name: str, language: Language) -> str:
    return meanings.get(name, ("", ""))[language == "zh"]


def _key_default(row: KeyRow, language: Language) -> str:
    return _say("required", language) if row.required else _literal(row.default)


def _literal(value: Any) -> str:
    """A default as it is written in a file; nothing for what is empty or not given."""
    if value is None or (isinstance(value, (str, tuple, list, dict)) and not value):
        return ""
    if isinstance(value, BaseModel):
        value = value.model_dump(mode="json", by_alias=True, exclude_defaults=True)
        return f"`{json.dumps(value)}`" if value else ""
    whole = isinstance(value, float) and value.is_integer()
    text = value if isinstance(value, str) else json.dumps(int(value) if whole else value)
    return f"`{text}`"


def _params(job_type: JobType, language: Language) -> tuple[str, ...]:
    cells = [
        [
            f"`{name}`",
            spec.literal_kind or _say("any", language),
            _param_default(spec, language),
            _meaning(job_type.meanings, name, language),
        ]
        for name, spec in job_type.params.items()
    ]
    if not cells:
        return ()
    return f"## {_say('params', language)}", _table(_say("param head", language), cells)


def _param_default(spec: ParamSpec, language: Language) -> str:
    return _say("required", language) if spec.required else _literal(spec.value)


def _results(job_type: JobType, language: Language) -> tuple[str, ...]:
    rows = [
        [f"`{field.name}`", field.kind or _say("any", language), (field.en, field.zh)[language == "zh"]]
        for field in job_type.results
    ]
    table = _table(_say("result head", language), rows) if rows else ""
    also = _say("outputs", language) if isinstance(job_type, ProgramType) else ""
    return (f"## {_say('results', language)}", table, also) if table or also else ()


def _codes(codes: Sequence[ErrorCode], language: Language) -> tuple[str, ...]:
    return (f"## {_say('codes', language)}", _code_table(codes, language)) if codes else ()


def _code_table(codes: Iterable[ErrorCode], language: Language) -> str:
    rows = [[f"`{code.number}`", *code.text(language), _retried(code, language)] for code in codes]
    return _table(_say("code head", language), rows)


def _retried(code: ErrorCode, language: Language) -> str:
    return _say("yes" if code.retryable else "no", language)


def _example(section: str, example: str, language: Language) -> tuple[str, ...]:
    if not example:
        return ()
    return f"## {_say('example', language)}", f"```yaml\n{example_file(section, example)}```"


def example_file(section: str, example: str) -> str:
    """The example of a job type (``jobs``) or resource type (``resources``) as a file that can be loaded."""
    return f"skerry: 1\n{section}:\n  example:\n{indent(example.rstrip(), '    ')}\n"
