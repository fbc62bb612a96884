"""For the tests of job types, ours and third parties': calls made by hand, and the suite for all of them.

The whole test of a third party's file::

    def test_the_rules_of_job_types_are_kept():
        conforms(MyType())
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from pathlib import Path
from typing import Any

from engine.definitions.reader import ReadDefinitions, read
from engine.definitions.text_source import SourceFile
from engine.model.errors import ErrorCode, Text
from engine.model.job import Job, JobKeys, Stage
from engine.plugins.job_type import Call, CallType, Cancel, JobType, Program, ProgramRequest, ProgramType
from engine.plugins.resource_type import ResolvedResource, ResourceType
from engine.plugins.shapes import example_file, key_rows

JOB_TYPES, RESOURCE_TYPES = 20, 30  # the domains of their codes
_CHINESE = re.compile("[\u4e00-\u9fff]")


def call_of(
    job_type: CallType,
    directory: Path,
    params: Mapping[str, Any] | None = None,
    *,
    settings: JobKeys | None = None,
    resource: ResolvedResource | None = None,
    cancel: Cancel | None = None,
    timeout: float | None = None,
    progress: Callable[[str], None] = lambda line: None,
    secret: Callable[[str], str] = lambda name: "",
) -> Call:
    """A call as the engine would make it; ``params`` are laid over the type's own table."""
    outputs = directory / "outputs"
    outputs.mkdir(exist_ok=True)
    keys = settings or job_type.keys()
    return Call(
        job=Job(id="example", type=job_type.kind, settings=keys),
        settings=keys,
        params={name: spec.value for name, spec in job_type.params.items()} | dict(params or {}),
        resource=resource,
        directory=directory,
        outputs=outputs,
        cancel=cancel or Cancel(),
        timeout=timeout,
        progress=progress,
        secret=secret,
    )


def program_of(
    job_type: ProgramType,
    directory: Path,
    script: str | None = None,
    params: Mapping[str, Any] | None = None,
    settings: JobKeys | None = None,
) -> Program:
    """The command line that the type makes; ``script`` is written to ``executeCode/process`` before."""
    place = directory / "executeCode" / "process"
    place.parent.mkdir(exist_ok=True)
    process = None if script is None else Stage(kind="text", value=script)
    if script is not None:
        place.write_text(script, "utf-8")
        place.chmod(0o700)
    keys = settings or job_type.keys()
    job = Job(id="example", type=job_type.kind, process=process, settings=keys)
    return job_type.program(ProgramRequest(job, keys, dict(params or {}), str(directory)))


def conforms(job_type: JobType) -> None:
    """Raise AssertionError with every rule of a job type that is not kept."""
    found = list(breaches(job_type))
    assert not found, "\n".join((f"job type {job_type.kind!r}:", *found))


def breaches(job_type: JobType) -> Iterator[str]:
    """Each rule that is not kept, as a sentence."""
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,31}", job_type.kind):
        yield f"kind {job_type.kind!r} is not a short lower-case word"
    yield from _both_languages("label", job_type.label)
    yield from _both_languages("help", job_type.help)
    yield from _results(job_type)
    yield from code_breaches(job_type.codes, JOB_TYPES)
    if not issubclass(job_type.keys, JobKeys):
        yield "keys is not derived from JobKeys"
        return
    yield from _keys(job_type)
    yield from _example(job_type)


def code_breaches(codes: Iterable[ErrorCode], domain: int) -> Iterator[str]:
    """What is wrong with a plug-in's own entries of the catalogue."""
    own = sub_domains(codes)
    if len(own) > 1:
        yield f"its codes are of several sub-domains: {sorted(own)}"
    for code in codes:
        digits = f"{-code.number:011d}"
        if code.number >= 0 or len(digits) != 11 or not digits.startswith(f"1{domain}"):
            yield f"{code.number} is not of domain {domain}"
        if not digits.endswith("000") or digits[5:8] == "000":
            yield f"{code.number} needs a code from 001 on, and 000 as its extra part"
        yield from _texts(code)


def sub_domains(codes: Iterable[ErrorCode]) -> set[int]:
    """The sub-domains of a type's own entries; 00 has what all types of the domain share."""
    return {-code.number // 10**6 % 100 for code in codes} - {0}


def _texts(code: ErrorCode) -> Iterator[str]:
    for field in Text._fields:
        both = (getattr(code.en, field), getattr(code.zh, field))
        yield from _both_languages(f"{code.number} {field}", both)


def _both_languages(what: str, both: tuple[str, str]) -> Iterator[str]:
    english, chinese = both
    if not english.strip() or _CHINESE.search(english):
        yield f"{what}: the English text is missing or is not English"
    if not _CHINESE.search(chinese):
        yield f"{what}: the Chinese text is missing or has no Chinese in it"


def resource_conforms(resource_type: ResourceType) -> None:
    """Raise AssertionError with every rule of a resource type that is not kept."""
    found = list(resource_breaches(resource_type))
    assert not found, "\n".join((f"resource type {resource_type.kind!r}:", *found))


def resource_breaches(resource_type: ResourceType) -> Iterator[str]:
    """Each rule that is not kept, as a sentence."""
    yield from _both_languages("label", resource_type.label)
    yield from _both_languages("help", resource_type.help)
    yield from code_breaches(resource_type.codes, RESOURCE_TYPES)
    models = (resource_type.check_keys, resource_type.request_keys)
    yield from _meanings(resource_type.meanings, {row.name for model in models for row in key_rows(model)})
    if not resource_type.example.startswith(f"type: {resource_type.kind}\n"):
        yield f"the example does not begin with 'type: {resource_type.kind}'"
    text = example_file("resources", resource_type.example)
    source = SourceFile(f"{resource_type.kind}.yaml", text.encode())
    for finding in read([source], {}, {resource_type.kind: resource_type}).findings:
        yield f"the example: {finding}"


def _meanings(meanings: Mapping[str, tuple[str, str]], names: Set[str]) -> Iterator[str]:
    for name in sorted(names):
        yield from _both_languages(f"meaning of {name!r}", meanings.get(name, ("", "")))
    for name in sorted(set(meanings) - names):
        yield f"meanings has {name!r}, which is neither a key nor a parameter"


def _keys(job_type: JobType) -> Iterator[str]:
    names = {row.name for row in key_rows(job_type.keys)}
    yield from _meanings(job_type.meanings, names | set(job_type.params))
    for name in sorted(job_type.rendered - names):
        yield f"rendered has {name!r}, which is not a key"
    clash = names & set(Job.model_fields)
    if clash:
        yield f"keys has {sorted(clash)}, which every job has"


def _example(job_type: JobType) -> Iterator[str]:
    if not job_type.example.startswith(f"type: {job_type.kind}\n"):
        yield f"the example does not begin with 'type: {job_type.kind}'"
    for finding in read_example(job_type).findings:
        yield f"the example: {finding}"


def read_example(job_type: JobType) -> ReadDefinitions:
    """The type's example as a definition file; members of a group may be shell jobs."""
    text = example_file("jobs", job_type.example)
    known = {member.kind: member for member in (_AnyMember(), job_type)}
    return read([SourceFile(f"{job_type.kind}.yaml", text.encode())], known, {})


class _AnyMember(ProgramType):
    kind = "shell"
    process = "required"

    def program(self, request: ProgramRequest) -> Program:
        return Program(None)


def run_example(
    job_type: CallType, directory: Path, resource: ResolvedResource | None = None
) -> Mapping[str, Any]:
    """Make the call of the type's example in ``directory``, which serves as the workspace too.

    Gives its results; SkerryError when it fails. Every one of them must be documented.
    """
    job = read_example(job_type).valid().jobs["example"]
    params = {name: _in_place(spec.value, directory) for name, spec in job.params.items()}
    call = call_of(job_type, directory, params, settings=job.settings, resource=resource)
    results = job_type.call(call)
    undocumented = set(results) - {field.name for field in job_type.results}
    assert not undocumented, f"job type {job_type.kind!r}: results without documentation: {undocumented}"
    return results


def _in_place(value: Any, directory: Path) -> Any:
    if isinstance(value, list):
        return [_in_place(each, directory) for each in value]
    if isinstance(value, str):
        return value.replace("{$.TASK.WORKSPACE}", str(directory))
    return value


def _results(job_type: JobType) -> Iterator[str]:
    names = [field.name for field in job_type.results]
    if len(names) != len(set(names)):
        yield "a result is documented twice"
    for field in job_type.results:
        yield from _both_languages(f"result {field.name!r}", (field.en, field.zh))
