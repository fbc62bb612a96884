"""The context of a task instance, its log, and what expressions see of it (contract 3 and 4)."""

from engine.context.context import TaskContext
from engine.context.files import DirectFiles, FileReader, is_reference, read_reference, reference
from engine.context.line import Line, read_line
from engine.context.scope import ContextScope
from engine.context.tree import MISSING, drop, put, target
from engine.context.visible import NodeNames
from engine.model.expression import Path, format_path, parse_path

__all__ = [
    "MISSING",
    "ContextScope",
    "DirectFiles",
    "FileReader",
    "Line",
    "NodeNames",
    "Path",
    "TaskContext",
    "drop",
    "format_path",
    "is_reference",
    "parse_path",
    "put",
    "read_line",
    "read_reference",
    "reference",
    "target",
]
