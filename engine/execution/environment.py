"""The environment of a program: parameters as data, nothing of the engine's own (contract 3)."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.execution.files import directory_errors, replace
from engine.model.codes.processes import UNPASSABLE_VALUE
from engine.model.environment import OWN, reaches_environment
from engine.model.errors import SkerryError
from engine.model.expression.values import as_text
from engine.model.plain_words import wording

BIGGEST = 100 * 1024  # bytes; a longer value is handed over in a file
_UTF8 = sys.getfilesystemencoding() == "utf-8"


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the programs of a job find around them beside its parameters, as values.

    ``working_dir`` is the folder that they start in; None: the job's directory.
    """

    task_params: Mapping[str, Any] = field(default_factory=dict)
    env: Mapping[str, Any] = field(default_factory=dict)
    working_dir: str | None = None


NOTHING_AROUND = Surroundings()


def inherited(environ: Mapping[str, str]) -> dict[str, str]:
    """What jobs get of the engine's own environment; to be asked once."""
    return {name: value for name, value in environ.items() if not name.startswith(OWN)}


def environment(
    base: Mapping[str, str],
    params: Mapping[str, Any],
    directory: str,
    mark: str,
    *,
    around: Surroundings = NOTHING_AROUND,
    context: str | None = None,
    extra: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """The complete environment of an attempt in ``directory``; of equal names the later one counts.

    ``base`` is ``inherited(os.environ)``, ``extra`` the job type's; then the parameters of the task, what
    definitions set (null takes a variable away), the job's parameters. A parameter without a value
    (null) gives no variable; a value over 100 KiB is written into ``inputs/<name>`` and named by
    ``<name>_FILE``. ``context`` is the ctx.json that the program may read, by default the job's own.

    Raises SkerryError: a value with a NUL, or its file cannot be written.
    """
    found = {**base, **extra} if extra else dict(base)
    values = {**_reaching(around.task_params), **around.env, **_reaching(params)}
    for name, value in values.items():
        if value is None:
            found.pop(name, None)
        else:
            _add(found, name, value if type(value) is str else as_text(value), directory)
    found["SKERRY_JOB_DIR"] = directory
    found["SKERRY_INPUTS"] = f"{directory}/inputs"
    found["SKERRY_OUTPUTS"] = f"{directory}/outputs"
    found["SKERRY_CONTEXT"] = context or f"{directory}/ctx.json"
    found["SKERRY_STATUS"] = f"{directory}/status"
    found["SKERRY_PROGRESS"] = f"{directory}/.skerry/progress"
    found["SKERRY_ATTEMPT"] = mark
    return found


def _reaching(params: Mapping[str, Any]) -> dict[str, Any]:
    """Those that become variables."""
    return {name: value for name, value in params.items() if value is not None and reaches_environment(name)}


def _add(found: dict[str, str], name: str, text: str, directory: str) -> None:
    if "\0" in text:
        raise SkerryError.at(UNPASSABLE_VALUE, "parameter {where!r} holds a NUL character", name)
    if len(text) * 4 > BIGGEST and (data := _encoded(name, text)) and len(data) > BIGGEST:
        found[f"{name}_FILE"] = _filed(f"{directory}/inputs/{name}", data)
    else:
        found[name] = text if _UTF8 else os.fsdecode(_encoded(name, text))


def _filed(path: str, data: bytes) -> str:
    with directory_errors(path):
        replace(path, data)
    return path


def _encoded(name: str, text: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        message = "parameter {where!r}: {error}"
        raise SkerryError.at(UNPASSABLE_VALUE, message, name, error=wording(error)) from error
