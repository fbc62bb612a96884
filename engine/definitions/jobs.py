"""From a job's part of the file to a Job: common keys, the type's own keys, stages and members."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from engine.definitions.explain import names
from engine.definitions.fit import fit
from engine.definitions.notes import Notes, did_you_mean, id_problem
from engine.definitions.params import check_table, warn_of_specifications, with_table
from engine.model.codes import definitions as codes
from engine.model.control import GroupKeys, Member
from engine.model.findings import Loc
from engine.model.job import STAGES, Job, JobKeys, ParamSpec, Stage
from engine.model.message import Message
from engine.model.names import meant, near
from engine.plugins.job_type import CallType, JobType, ProgramType
from engine.plugins.registry import JobTypes, ResourceTypes

COMMON = names(Job) - {"id", "settings"}
_STAGE_KINDS = ("file", "link", "binary", "class", "group", "task")
_STAGE_FORMS = (
    "a text, {file: path}, {link: url}, {binary: path}, {class: name}, {group: [jobs]} or {task: id}"
)
_BESIDE = "; the keys of an inline job are beside each other here"
_MEMBER = names(Member)
NO_JOB = Job(id="_", type="")  # in place of one that cannot be read


class Bench(NamedTuple):
    """What every part is read with: the types that are installed, and what was found so far."""

    job_types: JobTypes
    resource_types: ResourceTypes
    notes: Notes


def read_job(
    name: str, raw: Any, path: Loc, bench: Bench, *, inline: bool = False, also: Iterable[str] = ()
) -> Job:
    """The job ``name``, as far as it can be read. ``inline``: it is written in a node or group, so its params
    are values, not specifications; ``also`` are the further keys that may be beside it there.
    """
    if not isinstance(raw, dict):
        bench.notes.wrong_type("expected a job (a map), found {found}", path, raw)
        return NO_JOB.model_copy(update={"id": name})
    before = bench.notes.errors
    if not inline:
        check_id(name, path, bench.notes)
    kind = _type(raw, path, bench, inline)
    job = fit(Job, _given(name, raw, kind, path, bench, inline, also), path, bench.notes, also)
    job = _with_table(job or NO_JOB, kind, name)
    if isinstance(raw.get("params"), dict):
        check_table(job.params, raw["params"], (*path, "params"), bench.notes, bare=inline)
        if inline:
            warn_of_specifications(raw["params"], (*path, "params"), bench.notes)
    _check_stages(job, kind, raw, path, bench.notes)
    for key in STAGES:
        _check_built_in(key, getattr(job, key), (*path, key), bench)
    if kind and bench.notes.errors == before:  # a type's own check may rely on a valid job
        for finding in kind.check(job):
            bench.notes.add(replace(finding, path=(*path, *finding.path)))
    return job


def _given(
    name: str,
    raw: Mapping[str, Any],
    kind: JobType | None,
    path: Loc,
    bench: Bench,
    inline: bool,
    also: Iterable[str],
) -> dict[str, Any]:
    """The fields of the Job: common keys as they are, stages and the type's own keys already made."""
    given = {key: value for key, value in raw.items() if key in COMMON}
    given |= {"id": "_", "type": kind.kind if kind else str(raw.get("type", ""))}
    given |= {key: _stage(name, key, raw[key], (*path, key), bench) for key in STAGES if key in raw}
    if inline and isinstance(raw.get("params"), dict):
        given["params"] = {key: ParamSpec(value=value) for key, value in raw["params"].items()}
    if kind:
        own = {key: value for key, value in raw.items() if key not in COMMON}
        given["settings"] = _settings(kind, name, own, path, bench, also)
    return given


def check_id(name: str, path: Loc, notes: Notes, raw: Mapping[str, Any] = {}) -> None:
    """Note an id that is not allowed, or one in ``raw`` beside the key; the rest can be read all the same."""
    if problem := id_problem(name):
        notes.error(codes.BAD_ID, problem, path, key=True)
    if "id" in raw:
        message = "unknown key `id`: the id is the key of the map"
        notes.error(codes.UNKNOWN_KEY, message, (*path, "id"), key=True)


def _type(raw: Mapping[str, Any], path: Loc, bench: Bench, inline: bool) -> JobType | None:
    if "type" not in raw:
        _no_type(raw, path, bench.notes, inline)
        return None
    kind = raw["type"]
    job_type = bench.job_types.get(kind) if isinstance(kind, str) else None
    if job_type is None:
        hint = did_you_mean(kind, bench.job_types, most=len(bench.job_types))
        bench.notes.error(
            codes.UNKNOWN_TYPE, "there is no job type `{type}`{hint}", (*path, "type"), type=kind, hint=hint
        )
    return _control_type(raw, bench.job_types) if isinstance(job_type, ProgramType) else job_type


def _control_type(raw: Mapping[str, Any], types: JobTypes) -> JobType:
    """A program whose process is a group of jobs or a task is in truth a group or a task."""
    process = raw.get("process")
    kind = next(iter(process), None) if isinstance(process, dict) and len(process) == 1 else None
    control = types.get(kind) if kind in ("group", "task") else None
    return control if control is not None and control.process != "none" else types[raw["type"]]


def _no_type(raw: Mapping[str, Any], path: Loc, notes: Notes, inline: bool) -> None:
    naming_keys = ("type", "job") if inline else ("type",)
    for key in raw:
        nearest = near(key, naming_keys) if key not in COMMON else None
        if nearest:
            message = "unknown key `{name}`; did you mean `{meant}`?"
            notes.error(codes.UNKNOWN_KEY, message, (*path, key), key=True, name=key, meant=nearest)
            return
    what = "`job` (an id) or `type` is required here" if inline else "`type` is required here"
    notes.error(codes.MISSING_KEY, what, path, key=True)


def _settings(
    kind: JobType, name: str, own: dict[str, Any], path: Loc, bench: Bench, also: Iterable[str]
) -> JobKeys:
    if issubclass(kind.keys, GroupKeys) and isinstance(own.get("jobs"), list):
        own = {**own, "jobs": _members(name, own["jobs"], (*path, "jobs"), bench)}
    known = (COMMON | frozenset(also)) - (frozenset({"process"}) if kind.process == "none" else frozenset())
    return fit(kind.keys, own, path, bench.notes, known) or JobKeys()


def _with_table(job: Job, kind: JobType | None, name: str) -> Job:
    """The job with its id and the parameters that its type brings along."""
    table = with_table(job.params, kind.params) if kind and kind.params else job.params
    return job.model_copy(update={"id": name, "params": table})


def _check_stages(job: Job, kind: JobType | None, raw: Mapping[str, Any], path: Loc, notes: Notes) -> None:
    if kind and kind.process == "required" and "process" not in raw and not _misspelled(raw):
        notes.error(
            codes.WRONG_STAGE, "a {type} job needs `process`", (*path, "process"), key=True, type=kind.kind
        )
    if kind and kind.process == "none" and "process" in raw:
        message = "a {type} job has no `process` of its own"
        notes.error(codes.WRONG_STAGE, message, (*path, "process"), key=True, type=kind.kind)
    if job.check is not None and job.mode == "sync":
        message = "`check` only means something with `mode: async`"
        notes.warning(codes.NO_EFFECT, message, (*path, "check"), key=True)
    if job.mode == "async" and kind is not None and not isinstance(kind, ProgramType):
        message = "`mode: async` only means something for a program: a {type} job is waited for"
        notes.warning(codes.NO_EFFECT, message, (*path, "mode"), key=True, type=kind.kind)


def _misspelled(raw: Mapping[str, Any]) -> bool:
    """Whether another key stands for ``process``, which is found wrong anyway."""
    return any(meant(key, ["process"]) for key in raw if key not in COMMON)


def _check_built_in(key: str, stage: Stage | None, path: Loc, bench: Bench) -> None:
    """``{class: name}`` names a type whose work is a call."""
    if stage is None or stage.kind != "class" or isinstance(bench.job_types.get(stage.value), CallType):
        return
    known = [name for name, each in bench.job_types.items() if isinstance(each, CallType)]
    message = "`{name}`: there is no built-in `{value}`{hint}"
    bench.notes.error(
        codes.WRONG_STAGE, message, path, name=key, value=stage.value, hint=did_you_mean(stage.value, known)
    )


def _stage(name: str, key: str, raw: Any, path: Loc, bench: Bench) -> Stage | None:
    if isinstance(raw, str):
        return Stage(kind="text", value=raw)
    [(kind, value)] = raw.items() if isinstance(raw, dict) and len(raw) == 1 else [(None, None)]
    if kind == "group" and isinstance(value, list):
        owner = name if key == "process" else f"{name}.{key}"
        return Stage(kind="group", value=_members(owner, value, (*path, kind), bench))
    text = str(value) if kind == "task" and isinstance(value, int) else value
    if kind in _STAGE_KINDS and kind != "group" and isinstance(text, str):
        return Stage(kind=kind, value=text)
    other = near(kind, _STAGE_KINDS) if kind else None
    hint = Message.of("; did you mean `{meant}`?", meant=other) if other and other != kind else ""
    message = "`{name}`: expected {forms}{hint}"
    bench.notes.error(codes.WRONG_STAGE, message, path, name=key, forms=Message.of(_STAGE_FORMS), hint=hint)
    return None


def _members(name: str, raw: list[Any], path: Loc, bench: Bench) -> tuple[Member, ...]:
    """The jobs of a group: ``name.0``, ``name.1`` …"""
    made = (_member(f"{name}.{i}", each, (*path, i), bench) for i, each in enumerate(raw))
    return tuple(each for each in made if each)


def _member(name: str, raw: Any, path: Loc, bench: Bench) -> Member | None:
    if isinstance(raw, dict) and "job" in raw:
        given = only_by_id(raw, _MEMBER, path, bench.notes)
        if isinstance(given.get("params"), dict):
            warn_of_specifications(given["params"], (*path, "params"), bench.notes)
        return fit(Member, given, path, bench.notes)
    return Member(job=read_job(name, raw, path, bench, inline=True))


def only_by_id(raw: Mapping[str, Any], allowed: frozenset[str], path: Loc, notes: Notes) -> dict[str, Any]:
    """The keys of what names a job by id; it cannot have those of an inline job too."""
    foreign = [key for key in raw if key not in allowed]
    misspelled = {key: other for key in foreign if key not in COMMON and (other := meant(key, allowed))}
    for key, other in misspelled.items():
        text = "unknown key `{name}`; did you mean `{meant}`?"
        notes.error(codes.UNKNOWN_KEY, text, (*path, key), key=True, name=key, meant=other)
    inline = [key for key in foreign if key not in misspelled]
    if inline:
        keys = ", ".join(f"`{key}`" for key in inline)
        message = "{keys} would make this a job of its own, but `job` names one already: keep one of the two"
        notes.error(codes.CONFLICTING_KEYS, message, (*path, inline[0]), key=True, keys=keys)
    given = {key: value for key, value in raw.items() if key in allowed}
    return {**given, "job": _named(raw["job"], (*path, "job"), notes)}


def _named(job: Any, path: Loc, notes: Notes) -> str | Job:
    """The id of a job, or the substitute for a job when it is none."""
    problem = id_problem(job) if isinstance(job, (str, int)) and not isinstance(job, bool) else ""
    if problem is None:
        return str(job)
    if problem:
        notes.error(codes.BAD_ID, problem, path)
    else:
        beside = Message.of(_BESIDE) if isinstance(job, dict) else ""
        message = "`job`: expected the id of a job, found {found}{beside}"
        notes.wrong_type(message, path, job, beside=beside)
    return NO_JOB
