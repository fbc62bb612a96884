"""Job and resource types that act as recorded: the engine runs them as it runs the real ones."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from engine.context import is_reference
from engine.context.line import json_text
from engine.model.catalogue import unlisted
from engine.model.codes.desk import OUTCOME_UNKNOWN, RECORDED
from engine.model.codes.jobs import REJECTED
from engine.model.codes.runtime import LOST, STATUS_SAYS_FAILED
from engine.model.errors import SkerryError
from engine.model.findings import Finding
from engine.model.job import Job
from engine.model.message import Message
from engine.model.reason_words import brief
from engine.plugins.job_type import Call, CallType, ControlType, JobType, Program, ProgramRequest, ProgramType
from engine.plugins.resource_type import CheckResult, ResolvedResource, ResourceType
from engine.store.rows import JobRow
from export_import.desk.outcome_book import Book, JobBeginning, RecordedAnswer
from export_import.desk.records import Recorded
from export_import.packed_logs import LOGS, lay_out

_AS_THEY_ARE = frozenset({"condition", "group"})  # they decide, and do nothing by themselves
_SCRIPT = """\
[ ! -f "$1/job.log" ] || cat "$1/job.log"
[ ! -f "$1/job-error.log" ] || cat "$1/job-error.log" >&2
[ -z "$3" ] || kill "-$3" $$
exit "$2"
"""
Find = Callable[[Path], JobRow | None]  # by its directory the row of a JobInstance of the stand-in run


def stand_in_for(real: JobType, book: Book, find: Find) -> JobType:
    """A type that acts as ``book`` says; one that only decides stays as it is."""
    if isinstance(real, ProgramType):
        return StandInProgram(real, book, find)
    if isinstance(real, ControlType) and real.kind in _AS_THEY_ARE:
        return real
    return StandInCall(real, book, find)


class _StandIn(JobType):
    """Declares what the real type declares."""

    def __init__(self, real: Any, book: Book, find: Find) -> None:
        for name in ("kind", "label", "help", "keys", "rendered", "params", "results", "codes", "process"):
            setattr(self, name, getattr(real, name))
        self._real = real
        self._book = book
        self._find = find

    def check(self, job: Job) -> Iterable[Finding]:
        found: Iterable[Finding] = self._real.check(job)
        return found

    def _answer(
        self, directory: Path, settings: Any, params: Mapping[str, Any], **more: Any
    ) -> RecordedAnswer:
        row = self._find(directory)
        assert row is not None
        asked = JobBeginning(
            row.node, row.index, row.round, row.attempt, params, settings, self._real.rendered, **more
        )
        answer = self._book.answer(asked)
        if answer.how == "unknown":
            raise SkerryError(OUTCOME_UNKNOWN, brief(answer.why) if answer.why else "", where=row.node)
        return answer


class StandInProgram(_StandIn, ProgramType):
    """A program that prints the recorded logs, leaves the recorded outputs and ends as recorded."""

    def program(self, request: ProgramRequest) -> Program:
        """SkerryError where the record is a failure that no exit status shows."""
        answer = self._answer(request.directory, request.settings, request.params)
        if answer.how == "run":
            return self._real.program(request)  # type: ignore[no-any-return]
        if answer.outcome is not None:
            _leave(answer.outcome.results, request.directory, None, request.job)
            return _ending(None, 0 if answer.outcome.status == "succeeded" else 1)
        return _as_recorded(answer.record, request)


def _as_recorded(record: Recorded | None, request: ProgramRequest) -> Program:
    assert record is not None
    _leave(record.results, request.directory, record.folder, request.job)
    by_exit = record.exit_code is not None or record.signal is not None
    if record.succeeded and record.exit_code:  # what it wrote into status decided, or will decide
        Path(request.directory, "status").write_text("1")
    if not record.succeeded and not by_exit:
        raise failure_of(record)
    if record.error_code == STATUS_SAYS_FAILED.number:
        Path(request.directory, "status").write_text("0")
    if record.folder is not None:
        for name in LOGS:  # no program could print it
            lay_out(record.folder / name, request.directory / name)
    return _ending(record.folder, record.exit_code or 0, record.signal)


def _ending(folder: Path | None, exit_code: int, signal: int | None = None) -> Program:
    given = (str(folder or "/nonexistent"), str(exit_code), str(signal or ""))
    return Program(("/bin/sh", "-c", _SCRIPT, "stand-in", *given))


class StandInCall(_StandIn, CallType):
    """A call that gives the recorded results, or fails as recorded."""

    def call(self, call: Call) -> Mapping[str, Any]:
        """The type's own results; SkerryError with the recorded code."""
        uri = (call.resource.id, call.resource.uri) if call.resource else None
        answer = self._answer(call.directory, call.settings, call.params, uri=uri)
        if answer.how == "run" and isinstance(self._real, CallType):
            return self._real.call(call)
        if answer.outcome is not None:
            if answer.outcome.status == "failed":
                raise SkerryError(RECORDED, "failed by hand")
            return dict(answer.outcome.results)
        return self._recorded(answer.record, call)

    def _recorded(self, record: Recorded | None, call: Call) -> Mapping[str, Any]:
        if record is None:
            raise SkerryError(OUTCOME_UNKNOWN, "it cannot run here", where=call.job.id)
        if not record.succeeded and record.error_code != REJECTED.number:  # what was answered is judged again
            raise failure_of(record)
        computed = {name for name, spec in call.job.results.items() if spec.computed}
        given = {name: each for name, each in record.results.items() if name not in computed}
        _leave({name: each for name, each in given.items() if _has_file(record, name)}, call.directory,
               record.folder, call.job)  # fmt: skip
        return {name: each for name, each in given.items() if not is_reference(each)}


def _has_file(record: Recorded, name: str) -> bool:
    return record.folder is not None and (record.folder / "outputs" / name).is_file()


def failure_of(record: Recorded) -> SkerryError:
    """The recorded failure as an error; what was lost is known as a failure only."""
    code, message = record.error_code, record.error_message or record.status
    if code is None or code == LOST.number:
        return SkerryError(RECORDED, "{status}: {message}", status=record.status, message=Message.of(message))
    return SkerryError(unlisted(code, message, retryable=True), message)


def _leave(results: Mapping[str, Any], directory: Path, folder: Path | None, job: Job) -> None:
    """The outputs: the recorded files as far as they are here, else the values as text."""
    outputs = directory / "outputs"
    for name, value in results.items():
        spec = job.results.get(name)
        if name == "exit_code" or (spec is not None and spec.computed):
            continue
        source = folder / "outputs" / name if folder is not None else None
        if source is not None and source.is_file() and not source.is_symlink():
            shutil.copyfile(source, outputs / name)
        elif not is_reference(value) and value is not None:
            text = value if isinstance(value, str) else json_text(value)
            (outputs / name).write_text(text, "utf-8", errors="replace")


class StandInResource(ResourceType):
    """A resource that answers as it was recorded; nothing of the site is contacted."""

    def __init__(self, real: Any, answers: Mapping[str, list[bool]]) -> None:
        for name in ("kind", "aliases", "label", "help", "check_keys", "request_keys", "codes"):
            setattr(self, name, getattr(real, name))
        self._answers = answers

    def check(self, resource: ResolvedResource, on_cancel: Any = None) -> CheckResult:
        """The next recorded answer; where nothing was recorded it is taken to be ok."""
        left = self._answers.get(resource.id, [])
        ok = left.pop(0) if len(left) > 1 else left[0] if left else True
        return CheckResult(ok, "as it was recorded" if left else "it was not asked in a stand-in run")
