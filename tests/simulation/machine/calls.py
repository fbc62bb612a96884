"""Calls that take their time, as a look at a file on a slow disk does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from engine.plugins.job_type import Call
from jobs_builtin.file_exists import FileExists
from tests.simulation.machine.virtual_time import Hub
from tests.simulation.workload.calls import seconds_of_call


class SlowLook(FileExists):
    """``begins`` hears of each call; all engines of a life have the same one."""

    def __init__(self, hub: Hub, seed: int, begins: Callable[[Call], None]) -> None:
        self._hub = hub
        self._seed = seed
        self._begins = begins
        self._made = 0

    def call(self, call: Call) -> Mapping[str, Any]:
        """As the real one, later."""
        self._made += 1
        seconds = seconds_of_call(self._seed, self._made)
        self._begins(call)
        if seconds:
            self._hub.sleep(seconds)
        return super().call(call)
