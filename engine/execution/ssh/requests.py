"""Requests to the shell of a host, as text of ``sh`` in which whatever comes from people is a quoted word."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from engine.execution.files import read_beginning
from engine.execution.launch import Launch
from engine.execution.ssh import inputs
from engine.execution.ssh.quoting import is_shells_own, word
from engine.execution.ssh.wrapper import inner, outer
from engine.model.codes.processes import UNPASSABLE_VALUE
from engine.model.codes.ssh import SHELLS_OWN_NAME
from engine.model.environment import OWN
from engine.model.errors import SkerryError

INLINE = 64 * 1024  # bytes; longer files, and those with a NUL, are transferred as files
_SHELL = b"/bin/sh"


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


@dataclass(frozen=True, slots=True)
class Guarded:
    """What ends itself without a lease: the file of that there, and the seconds between TERM and KILL."""

    lease: str
    grace: float

    def words(self, directory: str, mark: str) -> bytes:
        """The arguments of ``guarded``."""
        return b" ".join(map(word, (directory, self.lease, str(round(self.grace)), mark)))


def start(
    number: str,
    key: str,
    launch: Launch,
    directory: str,
    file: str,
    token: str,
    sent: Sent,
    guarded: Guarded | None = None,
) -> bytes:
    """Begin a stage in ``directory`` there, whoever makes its stage file first."""
    stage, folder = word(f"{directory}/.skerry/{file}"), launch.working_dir or directory
    parts = [f"{directory}/{each}" for each in ("executeCode", "inputs", "outputs", ".skerry")]
    made = b" ".join(word(each) for each in (directory, *parts))
    writes = [
        b"printf %s "
        + word(inputs.file(name, data, launch.inputs, directory))
        + b" >"
        + word(f"{directory}/{name}")
        for name, data in sent.texts.items()
    ]
    ready = b"[ -d " + word(folder) + b" ]"
    say, end = b"say " + number.encode() + b" ", b"; exit; }\n"
    back = b"{ rm -f " + stage + b"; " + say
    guard = b""
    if guarded is not None:
        guard = b"leased " + word(guarded.lease) + b" || " + back + b"unleased" + end
        guard += b"guarded " + guarded.words(directory, launch.mark) + b" || " + back + b"full" + end
    return b"".join(
        [
            b"(\n[ -d ", word(f"{directory}/.skerry"), b" ] || mkdir -p -m 700 ", made,
            b" || { refused ", number.encode(), b" ", word(directory), end,
            b"claim ", number.encode(), b" ", stage, b" ", word(token), b" ", word(launch.mark),
            b" || exit\n",
            b" && ".join(writes) or b"true", b" || ", back, b"full", end,
            ready, b" || ", back, b"nofolder ", word(folder), end,
            guard,
            b": >" + word(f"{directory}/.skerry/alone") + b"\n" if launch.alone else b"",
            b"exec 0<>", stage, b"\n",
            _process(number, key, launch, directory), b") &\n",
            b"say ", number.encode(), b" outer $!\n",
        ]
    )  # fmt: skip


def _process(number: str, key: str, launch: Launch, directory: str) -> bytes:
    argv, script, report = launch.argv, f"{directory}/{launch.script}", f"{key} {number}"
    text = inner(argv is not None, launch.limits, launch.umask, report)
    arguments = (_argument(each, launch, directory) for each in argv or ())
    words = [text, script, launch.working_dir or directory, *arguments]
    exports = b"".join(
        b"export " + name.encode() + b"=" + word(value) + b"\n"
        for name, value in environment_there(launch, directory).items()
    )
    logs = b" >>" + word(f"{directory}/job.log") + b" 2>>" + word(f"{directory}/job-error.log")
    command = b'"$SETSID" ' + _SHELL + b" -c " + b" ".join(map(word, words)) + logs
    return exports + command + b"\n" + outer(directory, report) + b"\n"


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
