"""Requests to the shell of a host, as text of ``sh`` in which whatever comes from people is a quoted word."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from engine.execution.files import read_beginning
from engine.execution.launch import Launch
from engine.execution.ssh import inputs
from engine.execution.ssh.quoting import call, encoded, is_shells_own, quoted
from engine.execution.ssh.session import RemotePlace
from engine.execution.ssh.stage import SshStage
from engine.execution.ssh.wrapper import job_of
from engine.model.codes.processes import UNPASSABLE_VALUE
from engine.model.codes.ssh import SHELLS_OWN_NAME
from engine.model.environment import OWN
from engine.model.errors import SkerryError

INLINE = 64 * 1024  # bytes; longer files, and those with a NUL, are transferred as files
_SHELL = "/bin/sh"


@dataclass(frozen=True, slots=True)
class Sent:
    """Files of the job's directory that its program is to find: small ones by content, others by name."""

    texts: Mapping[str, bytes]
    files: tuple[str, ...] = ()


def checked(launch: Launch) -> None:
    """Raises SkerryError: a variable that a shell would change, or a value that no program can be handed."""
    for name, value in launch.env.items():
        if is_shells_own(name) and not name.startswith(OWN):
            message = "a shell keeps the variable {where} for itself"
            raise SkerryError.at(SHELLS_OWN_NAME, message, name)
        if "\0" in value:
            raise SkerryError.at(UNPASSABLE_VALUE, "parameter {where!r} holds a NUL character", name)
    if any("\0" in each for each in launch.argv or ()):
        message = "a value cannot be handed to a program: it has a NUL, or is no text in UTF-8"
        raise SkerryError(UNPASSABLE_VALUE, message)


def sent_with(directory: str, *, again: bool) -> Sent:
    """What a stage needs of the job's directory; a later one of an attempt (``again``) has the rest there."""
    names = (
        ["ctx.json", *_below(directory, "outputs")]
        if again
        else ["ctx.json", *_below(directory, "executeCode"), *_below(directory, "inputs")]
    )
    texts, files = {}, []
    for name in names:
        data = read_beginning(
            f"{directory}/{name}", INLINE + 1
        )  # so much that it is known whether it is few enough
        if data is None:
            continue
        if len(data) <= INLINE and b"\0" not in data:
            texts[name] = data
        else:
            files.append(name)
    return Sent(texts, tuple(files))


def look(stage: SshStage, number: str, place: RemotePlace) -> bytes:
    """Ask what became of a stage."""
    return call("look", number, f"{stage.folder(place)}/.skerry/{stage.intent.file(stage.stage)}")


def void(stage: SshStage, number: str, place: RemotePlace) -> bytes:
    """The same; what was not begun shall not be."""
    return call("void", number, stage.folder(place), stage.intent.file(stage.stage), stage.mark)


@dataclass(frozen=True, slots=True)
class Guarded:
    """What ends itself without a lease: the file of that there, and the seconds between TERM and KILL."""

    lease: str
    grace: float

    def words(self, directory: str, mark: str) -> str:
        """The arguments of ``guarded``."""
        return " ".join(map(quoted, (directory, self.lease, str(round(self.grace)), mark)))


def start(
    number: str,
    launch: Launch,
    directory: str,
    file: str,
    token: str,
    sent: Sent,
    guarded: Guarded | None = None,
    known: Iterable[str] = (),
) -> bytes:
    """Begin a stage in ``directory`` there, whoever makes its stage file first. ValueError: a NUL.

    That directory is ``$1``: no variable of the job can be in its way. ``known`` are the marks of attempts
    that its engine answers for: it has chosen what runs beside them.
    """
    folder = launch.working_dir or directory
    more = " ".join(map(quoted, (file, token, launch.mark, " ".join(known), "alone" * launch.alone)))
    lines = [
        f'(\nset -- {quoted(directory)}\nbegin {number} "$1" {more} || exit',
        " && ".join(_writes(launch, directory, sent)) + " || undo full",
        f"[ -d {_short(folder, directory)} ] || undo nofolder {quoted(folder)}",
    ]
    if guarded is not None:
        lines.append(f"leased {quoted(guarded.lease)} || undo unleased")
        lines.append(f"guarded {guarded.words(directory, launch.mark)} || undo full")
    lines.append("fresh || undo unleased")
    lines += [f'exec 0<>"$1"/.skerry/{quoted(file)}', _process(launch, directory, folder), "over $?", ") &\n"]
    return encoded("\n".join(lines))


def _writes(launch: Launch, directory: str, sent: Sent) -> list[str]:
    """Commands for the files that it needs there."""
    writes = ["true"]
    for name, data in sent.texts.items():
        text = inputs.file(name, data, launch.inputs, directory).decode("utf-8", "surrogateescape")
        writes.append(f'printf %s {quoted(text)} >"$1"/{quoted(name)}')
    return writes


def _process(launch: Launch, directory: str, folder: str) -> str:
    """The command, its variables before it: what the shell itself works with is none of them."""
    argv, env = launch.argv, environment_there(launch, directory)
    assigned = [f"{name}={_short(value, directory)}" for name, value in env.items()]
    text = '"$INNER"' + quoted(job_of(argv is not None, launch.limits, launch.umask))
    arguments = [_argument(each, launch, directory) for each in argv or ()]
    words = [_short(each, directory) for each in (f"{directory}/{launch.script}", folder, *arguments)]
    logs = '8>&- >>"$1/job.log" 2>>"$1/job-error.log"'
    return " ".join([*assigned, '"$SETSID"', _SHELL, "-c", text, *words, logs])


def _short(value: str, directory: str) -> str:
    """One word; a path in the directory there is short."""
    if value == directory or value.startswith(f"{directory}/"):
        rest = value[len(directory) :]
        return '"$1"' + (quoted(rest) if rest else "")
    return quoted(value)


def environment_there(launch: Launch, directory: str) -> dict[str, str]:
    """The variables with the job's directory as it is there."""
    env = {
        name: _there(value, launch, directory) if name.startswith(OWN) or name.endswith("_FILE") else value
        for name, value in launch.env.items()
    }
    return inputs.variables(env, launch.inputs, directory)


def _argument(value: str, launch: Launch, directory: str) -> str:
    return inputs.argument(_there(value, launch, directory), launch.inputs, directory)


def _there(value: str, launch: Launch, directory: str) -> str:
    """A path in the job's directory here, as it is there; anything else as it is."""
    here = os.fspath(launch.directory)
    return directory + value[len(here) :] if value == here or value.startswith(f"{here}/") else value


def _below(directory: str, folder: str) -> Iterable[str]:
    """The plain files directly in a folder of the job's directory."""
    try:
        names = os.listdir(f"{directory}/{folder}")
    except OSError:
        return []
    return [f"{folder}/{name}" for name in sorted(names)]
