"""Expressions: paths, text with paths in it, extracts, times and conditions (contract, section 3).

Nothing here can reach the host language: a value is looked up, compared, searched or formatted,
and never read as code.
"""

from engine.model.expression.condition import (
    CompiledCondition,
    compile_condition,
    decide,
    looks_like_condition,
    mistaken_condition,
    paths_as_letters,
)
from engine.model.expression.limits import ASIDE, AT_FIRST, AT_ONCE, MAX_INLINE, MAX_VALUE, Patience
from engine.model.expression.path import (
    ERROR_FIELDS,
    JOB_FIELDS,
    ROOTS,
    TASK_FIELDS,
    Members,
    ParsedPath,
    Path,
    Reference,
    format_path,
    parse_path,
    read_path,
)
from engine.model.expression.scope import FoundValue, Scope, UsedText
from engine.model.expression.template import Rendered, Template, compile_value, literal_value, render
from engine.model.expression.values import FileText, as_kind, as_number, as_text, compact_json, equal

__all__ = [
    "ASIDE",
    "AT_FIRST",
    "AT_ONCE",
    "ERROR_FIELDS",
    "JOB_FIELDS",
    "MAX_INLINE",
    "MAX_VALUE",
    "ROOTS",
    "TASK_FIELDS",
    "CompiledCondition",
    "FileText",
    "FoundValue",
    "Members",
    "ParsedPath",
    "Path",
    "Patience",
    "Reference",
    "Rendered",
    "Scope",
    "Template",
    "UsedText",
    "as_kind",
    "as_number",
    "as_text",
    "compact_json",
    "compile_condition",
    "compile_value",
    "decide",
    "equal",
    "format_path",
    "literal_value",
    "looks_like_condition",
    "mistaken_condition",
    "parse_path",
    "paths_as_letters",
    "read_path",
    "render",
]
