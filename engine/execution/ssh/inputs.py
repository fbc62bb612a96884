"""The files of this machine that a program elsewhere reads, and what it sees in place of their paths."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from typing import Any, BinaryIO

from engine.execution.files import open_plain
from engine.execution.launch import InputFile
from engine.model.codes.ssh import SEND_FAILED
from engine.model.errors import SkerryError

_PARAMS, _CONTEXT = "inputs/params.json", "ctx.json"


def folder(each: InputFile, directory: str) -> str:
    """The folder of its own that it has in ``directory``, the attempt's there."""
    return f"{directory}/inputs/{each.param}"


def place(each: InputFile, directory: str) -> str:
    """Where it is there: it keeps its name."""
    return f"{folder(each, directory)}/{os.path.basename(os.path.normpath(each.path))}"


def opened(each: InputFile) -> BinaryIO:
    """The file itself. SkerryError: it is none, it is a link, or a link leads out of where it must lie."""
    try:
        found = open_plain(each.path)
    except OSError as error:
        raise _unsendable(each, "{error}: {where}", error=error.strerror) from error
    if found is None:
        raise _unsendable(each, "{where} is no plain file")
    file = open(found[0], "rb")  # noqa: SIM115  who asked closes it
    if each.below is not None and not _is_below(file.fileno(), each.below):
        file.close()
        raise _unsendable(each, "a link on the way to {where} leads elsewhere")
    return file


def _is_below(fd: int, folder: str) -> bool:
    return os.readlink(f"/proc/self/fd/{fd}").startswith(f"{os.path.realpath(folder)}/")


def _unsendable(each: InputFile, message: str, **facts: Any) -> SkerryError:
    return SkerryError.at(SEND_FAILED, message, each.path, **facts)


def variables(env: Mapping[str, str], inputs: Iterable[InputFile], directory: str) -> dict[str, str]:
    """``env`` with the paths there; a variable that has another value than the parameter stays."""
    there = {each.param: place(each, directory) for each in inputs if env.get(each.param) == each.path}
    return {**env, **there}


def argument(word: str, inputs: Iterable[InputFile], directory: str) -> str:
    """A word of a command line that is such a path, or has it behind its ``=``."""
    for each in inputs:
        if word == each.path or word.endswith(f"={each.path}"):
            return word.removesuffix(each.path) + place(each, directory)
    return word


def is_changed(name: str) -> bool:
    """Whether such a file of the job's directory has parameters in it."""
    return name in (_PARAMS, _CONTEXT)


def file(name: str, data: bytes, inputs: Collection[InputFile], directory: str) -> bytes:
    """A file of the job's directory as its program finds it: the parameters in it have the paths there."""
    if not inputs or not is_changed(name):
        return data
    with suppress(ValueError):
        found = json.loads(data)
        params = found if name == _PARAMS else found["PARAMS"]
        there = {each.param: place(each, directory) for each in inputs}
        params.update({name: path for name, path in there.items() if name in params})
        return json.dumps(found).encode() + b"\n"
    return data
