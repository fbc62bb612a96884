"""A page of documentation made from a job type, a resource type or the error catalogue."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, Literal

from pydantic import BaseModel

from app.desktop.kernel.error_codes import DOMAINS
from app.texts import catalogue
from engine.model.errors import ErrorCode
from engine.plugins.job_type import CallType, ControlType, JobType, ProgramType
from engine.plugins.resource_type import ResourceType
from engine.plugins.shapes import example_file, key_rows

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = ("en", "zh")
_FAMILIES = {
    ProgramType: "It runs as a process of its own.",
    CallType: "The engine does the work itself, without a process.",
    ControlType: "It controls the flow of the run and uses no slot.",
}
_PROCESS = {
    "required": "The key `process` is required.",
    "optional": "The key `process` is optional.",
    "none": "It has no key `process`.",
}
_KEY_HEAD = "key | type | default | meaning"
_PARAM_HEAD = "parameter | kind | default | meaning"
_RESULT_HEAD = "result | kind | meaning"
_CODE_HEAD = "code | what | cause | remedy | retried"
_INDEX_TITLES = {"job-types": "Job types", "resources": "Resource types"}
_INDEX_HEAD = "type | what it is"
_INTRO = (
    "Every error has a code `-1DDSSCCCXXX`: domain, sub-domain, code, and an extra part (an exit "
    "status, an HTTP status or a signal) that is 000 here. The last column says whether a job's "
    "`retry` without `on` tries again."
)
_OUTPUTS = "Each file in `outputs/` is a result too, by its name."
_OTHER_CODES = "How a process can end badly is in the [catalogue](../errors.md), domain 10."


def page(job_type: JobType, language: Language) -> str:
    """The page of a job type as Markdown."""
    return _joined(
        _title(job_type.kind, job_type.label, language),
        job_type.help[language == "zh"],
        f"{_family(job_type, language)} {tr(_PROCESS[job_type.process], language)}",
        *_keys("Its own keys", job_type.keys, job_type.meanings, language),
        *_params(job_type, language),
        *_results(job_type, language),
        *_codes(job_type.codes, language),
        tr(_OTHER_CODES, language) if isinstance(job_type, ProgramType) else "",
        *_example("jobs", job_type.example, language),
    )


def resource_page(resource_type: ResourceType, language: Language) -> str:
    """The page of a resource type as Markdown."""
    names = ", ".join(f"`{alias}`" for alias in resource_type.aliases)
    return _joined(
        _title(resource_type.kind, resource_type.label, language),
        resource_type.help[language == "zh"],
        f"{tr('Also written as', language)} {names}." if names else "",
        *_keys("Keys of `check`", resource_type.check_keys, resource_type.meanings, language),
        *_keys("Keys of `request`", resource_type.request_keys, resource_type.meanings, language),
        *_codes(resource_type.codes, language),
        *_example("resources", resource_type.example, language),
    )


def catalogue_page(entries: Iterable[ErrorCode], language: Language) -> str:
    """Every entry of the catalogue by domain, as Markdown."""
    ordered = sorted(entries, key=lambda entry: -entry.number)
    sections: list[str] = []
    for domain, group in groupby(ordered, key=lambda entry: f"{-entry.number:011d}"[1:3]):
        name = f" {tr(DOMAINS[domain], language)}" if domain in DOMAINS else ""
        sections += (f"## {domain}{name}", _code_table(group, language))
    return _joined(f"# {tr('Error codes', language)}", tr(_INTRO, language), *sections)


def index_page(folder: str, kinds: Iterable[JobType | ResourceType], language: Language) -> str:
    """The list of all types in a folder of the documentation."""
    rows = [[f"[`{each.kind}`]({each.kind}.md)", each.label[language == "zh"]] for each in kinds]
    return _joined(f"# {tr(_INDEX_TITLES[folder], language)}", _table(tr(_INDEX_HEAD, language), rows))


def tr(text: str, language: Language) -> str:
    """A text of the program in a language; KeyError when the catalogue has no translation of it."""
    return text if language == "en" else catalogue(language)[text]


def _joined(*blocks: str) -> str:
    return "\n\n".join(block for block in blocks if block) + "\n"


def _title(kind: str, label: tuple[str, str], language: Language) -> str:
    return f"# `{kind}`: {label[language == 'zh']}"


def _family(job_type: JobType, language: Language) -> str:
    words = [tr(text, language) for family, text in _FAMILIES.items() if isinstance(job_type, family)]
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
    cells = [
        [
            f"`{row.name}`",
            _alternatives(row.types, language),
            _default(row.required, row.default, language),
            _meaning(meanings, row.name, language),
        ]
        for row in key_rows(model)
    ]
    return _section(heading, _KEY_HEAD, cells, language)


def _section(heading: str, head: str, rows: list[list[str]], language: Language) -> tuple[str, ...]:
    """A heading with its table; nothing without rows."""
    return (f"## {tr(heading, language)}", _table(tr(head, language), rows)) if rows else ()


def _alternatives(types: Iterable[str], language: Language) -> str:
    """Types in words; what may be given as it is, is in backticks."""
    words = (each if each.startswith("`") else tr(each, language) for each in types)
    return {"en": " or ", "zh": "或"}[language].join(words)


def _meaning(meanings: Mapping[str, tuple[str, str]], name: str, language: Language) -> str:
    return meanings.get(name, ("", ""))[language == "zh"]


def _default(required: bool, value: Any, language: Language) -> str:
    return tr("required", language) if required else _literal(value)


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
            spec.literal_kind or tr("any", language),
            _default(spec.required, spec.value, language),
            _meaning(job_type.meanings, name, language),
        ]
        for name, spec in job_type.params.items()
    ]
    return _section("Parameters", _PARAM_HEAD, cells, language)


def _results(job_type: JobType, language: Language) -> tuple[str, ...]:
    rows = [
        [f"`{field.name}`", field.kind or tr("any", language), (field.en, field.zh)[language == "zh"]]
        for field in job_type.results
    ]
    table = _table(tr(_RESULT_HEAD, language), rows) if rows else ""
    also = tr(_OUTPUTS, language) if isinstance(job_type, ProgramType) else ""
    return (f"## {tr('Results', language)}", table, also) if table or also else ()


def _codes(codes: Sequence[ErrorCode], language: Language) -> tuple[str, ...]:
    return (f"## {tr('Error codes', language)}", _code_table(codes, language)) if codes else ()


def _code_table(codes: Iterable[ErrorCode], language: Language) -> str:
    rows = [
        [f"`{code.number}`", *code.text(language), tr("yes" if code.retryable else "no", language)]
        for code in codes
    ]
    return _table(tr(_CODE_HEAD, language), rows)


def _example(section: str, example: str, language: Language) -> tuple[str, ...]:
    if not example:
        return ()
    return f"## {tr('Example', language)}", f"```yaml\n{example_file(section, example)}```"
