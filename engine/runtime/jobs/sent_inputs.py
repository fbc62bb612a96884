"""The files of this machine that an attempt on another one is to find there (contract 2.2)."""

from __future__ import annotations

import os
from collections.abc import Iterator

from engine.execution.launch import InputFile
from engine.model.codes.ssh import SEND_FAILED
from engine.model.errors import SkerryError
from engine.model.job import ParamSpec
from engine.runtime.jobs.job_entry import JobEntry

_TAKEN = "params.json"  # of inputs/, where each has a folder of its own


def inputs_of(entry: JobEntry) -> tuple[InputFile, ...]:
    """Its parameters of kind file or document that say ``send``, or lie below ``instances/``.

    Raises SkerryError: what is to be sent is no absolute path.
    """
    return () if entry.is_here else tuple(_inputs(entry))


def _inputs(entry: JobEntry) -> Iterator[InputFile]:
    instances = str(entry.services.workspace.instances)
    for row in entry.rows:
        path = entry.params.get(row.name)
        if row.spec.kind in ("file", "document") and isinstance(path, str) and path:
            found = _input(row.name, row.spec, path, instances)
            if found is not None and row.name == _TAKEN:
                message = "inputs/{where} is the list of all parameters, so no file can have that name"
                raise SkerryError.at(SEND_FAILED, message, row.name)
            if found is not None:
                yield found


def _input(name: str, spec: ParamSpec, path: str, instances: str) -> InputFile | None:
    if not os.path.isabs(path):
        if spec.send:
            message = "parameter {name!r} is to be sent, so it has to be an absolute path: {where}"
            raise SkerryError.at(SEND_FAILED, message, path, name=name)
        return None
    if os.path.normpath(path).startswith(f"{instances}/"):
        return InputFile(name, path, instances)
    return InputFile(name, path) if spec.send else None
