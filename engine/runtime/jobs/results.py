"""The results of a job: what it defines, what its type returns, further files it wrote (contract 3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from engine.execution.outcomes import Exit, Lost
from engine.execution.outputs import Output, read_text
from engine.model.codes.runtime import RESULT_MISSING
from engine.model.errors import Failure, SkerryError
from engine.model.expression import (
    Scope,
    UsedText,
    as_kind,
    as_text,
    compile_condition,
    compile_value,
    decide,
    looks_like_condition,
    render,
)
from engine.model.job import ResultSpec
from engine.plugins.resource_type import CheckResult
from engine.runtime.big_values import is_big, kind_of
from engine.runtime.fibers import Coroutine
from engine.runtime.jobs.attempt_files import AttemptFiles
from engine.runtime.jobs.job_entry import JobEntry
from engine.runtime.run_state.expression_scopes import is_reference, reference_id, worked_out

Answers = Mapping[str, CheckResult]  # of the resources that were checked after the job, by id
_MOST = 64 * 1024 * 1024  # bytes of a result that are read as JSON


@dataclass(frozen=True)
class Done:
    """What the process stage gave: the type's own results, and how a program ended."""

    own: Mapping[str, Any] = field(default_factory=dict)
    end: Exit | Lost | None = None


def compute(files: AttemptFiles, done: Done, answers: Answers) -> Coroutine[Failure | None]:
    """Set every result in the context, in order; gives the first problem, or None."""
    found = {**done.own, **{name: value for name, value in _written(files).items() if name not in done.own}}
    results = files.entry.job.results
    given = {name: spec for name, spec in results.items() if not spec.computed}
    computed = {name: spec for name, spec in results.items() if spec.computed}
    problems: list[Failure] = []
    yield from _set_all(files, given, found, answers, problems)
    for name in found:
        if name not in results:
            _set(files, name, found[name], (), False)
    # The computed ones come last: they may refer to all of the others.
    yield from _set_all(files, computed, found, answers, problems)
    _save(files.entry, found)
    return problems[0] if problems else None


def of_call(files: AttemptFiles, done: Done) -> None:
    """What a call gave whose outcome is checked later: the check may read it, and the next engine."""
    for name, value in done.own.items():
        if name not in files.entry.tree["RESULT"]:
            _set(files, name, value, (), False)


def _set_all(
    files: AttemptFiles,
    specs: Mapping[str, ResultSpec],
    found: Mapping[str, Any],
    answers: Answers,
    problems: list[Failure],
) -> Coroutine[None]:
    for name, spec in specs.items():
        try:
            value, uses = yield from _defined(files, name, spec, found, answers)
            _set(files, name, value, uses, spec.computed)
        except SkerryError as error:
            error.reword("result {name!r}: {message}", name=name)
            problems.append(Failure.of(error))


def _save(entry: JobEntry, found: Mapping[str, Any]) -> None:
    """The results for the store, in the order of ``RESULT[0]``: defined, the type's own, further files."""
    order = [name for name in dict.fromkeys((*entry.job.results, *found)) if name in entry.results]
    entry.results = {name: entry.results[name] for name in order}
    if entry.results:
        entry.update(results=entry.results)


def _written(files: AttemptFiles) -> dict[str, Any]:
    """What the program wrote: texts, and references to what is too big or no text (null without a path)."""
    found = files.folder.outputs() if files.folder is not None else []
    return {each.name: _as_value(files, each) for each in found}


def _as_value(files: AttemptFiles, output: Output) -> Any:
    if output.text is not None or not output.named:
        return output.text
    return files.reference(output.name, output.size)


def _defined(
    files: AttemptFiles, name: str, spec: ResultSpec, found: Mapping[str, Any], answers: Answers
) -> Coroutine[tuple[Any, tuple[UsedText, ...]]]:
    if is_reference(spec.value):
        answer = answers[reference_id(spec.value)]
        return (answer.as_map() if spec.kind == "map" else answer.ok), ()
    if spec.computed:
        value, uses = yield from worked_out(files.entry.scope, partial(evaluated, spec))
        return _fitting(files.entry, value, spec), uses
    if name not in found:
        raise SkerryError(RESULT_MISSING, "nothing was written to outputs/{name}", name=name)
    return _as_written(files, name, spec, found[name]), ()


def evaluated(spec: ResultSpec, scope: Scope) -> tuple[Any, tuple[UsedText, ...]]:
    """The value of a computed result, a boolean's by its condition; and what it read."""
    if spec.kind == "boolean" and isinstance(spec.value, str) and looks_like_condition(spec.value):
        answer, use = decide(compile_condition(spec.value), scope)
        return answer, (use,)
    value, uses = render(compile_value(spec.value), scope)
    return value, uses


def _as_written(files: AttemptFiles, name: str, spec: ResultSpec, value: Any) -> Any:
    if spec.kind in ("file", "document") and files.folder is not None:
        path = files.directory.output(name)
        return path if Path(path).is_file() else _fitting(files.entry, value, spec)
    if isinstance(value, dict) and "$file" in value and spec.kind not in (None, "text"):
        value = read_text(files.directory.path, name, _MOST)  # too big for the context as it is, but JSON
    return _fitting(files.entry, value, spec)


def _fitting(entry: JobEntry, value: Any, spec: ResultSpec) -> Any:
    if value is None or spec.kind is None or (isinstance(value, dict) and "$file" in value):
        return value
    if spec.kind in ("file", "document"):
        return str(entry.directory / str(value))  # an absolute path stays as it is
    return as_kind(value, spec.kind)


def _set(files: AttemptFiles, name: str, value: Any, uses: tuple[UsedText, ...], computed: bool) -> None:
    entry = files.entry
    given, value = value, entry.services.mask(value)
    if computed or value != given:  # a program that wrote its secret down does not leave it there
        files.write_output(name, as_text(value) if value is not None else "")
    entry.results[name] = value = _in_context(files, name, value, computed)
    entry.set_used(("RESULT", name), value, uses, why=f"result {name}")


def _in_context(files: AttemptFiles, name: str, value: Any, computed: bool) -> Any:
    """The value itself, or a reference to its file when it is big."""
    if files.folder is None:
        return files.entry.run.context.big.kept(value)
    if not is_big(value):
        return value
    if not computed and not Path(files.directory.output(name)).exists():
        files.write_output(name, as_text(value))
    return files.reference(name, Path(files.directory.output(name)).stat().st_size, kind_of(value))
