"""The files of one attempt on their way to its host, before its program begins there."""

from __future__ import annotations

from collections.abc import Collection
from io import BytesIO

from engine.execution.files import open_plain
from engine.execution.launch import InputFile
from engine.execution.ssh import inputs
from engine.execution.ssh.files import Files
from engine.execution.ssh.stage import SshStage
from engine.model.codes.runtime import CANCELLED
from engine.model.errors import SkerryError


class Sending:
    """On a thread that may wait; ``directory`` is the attempt's there. Both raise SkerryError."""

    def __init__(self, files: Files, stage: SshStage, directory: str) -> None:
        self._files = files
        self._stage = stage
        self._directory = directory

    def own(self, name: str, sent: Collection[InputFile]) -> None:
        """A file of the job's directory; one that is gone meanwhile is none."""
        opened = open_plain(f"{self._stage.directory}/{name}")
        if opened is None:
            return
        with open(opened[0], "rb") as file:
            changed = inputs.is_changed(name) and sent
            source = BytesIO(inputs.file(name, file.read(), sent, self._directory)) if changed else file
            remote = f"{self._directory}/{name}"
            self._files.put(source, f"{remote}.part", remote, self._check)

    def input(self, each: InputFile) -> None:
        """A file that a parameter names. Beside it, the name of a draft might be too long."""
        part = f"{self._directory}/.skerry/{each.param}.part"
        with inputs.opened(each) as source:
            self._files.put(source, part, inputs.place(each, self._directory), self._check)

    def _check(self) -> None:
        if self._stage.given_up:
            raise SkerryError(CANCELLED, "stopped on request")
