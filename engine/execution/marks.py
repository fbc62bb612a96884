"""The marks of attempts: by its mark whatever an attempt started or left is known, on every machine."""

from __future__ import annotations

import secrets


class Marks:
    """Each is of one attempt, and nothing else in the world has it; loop thread only."""

    def __init__(self) -> None:
        self.workspace = (
            ""  # eight hexadecimal digits that those of this workspace have in common, once known
        )
        self._reserved: dict[tuple[int, int], str] = {}

    def of(self, job: int, attempt: int) -> str:
        """That of an attempt which begins: the reserved one, if there is one."""
        return self._reserved.pop((job, attempt), None) or self._new(job, attempt)

    def reserve(self, job: int, attempt: int) -> str:
        """That of an attempt which will begin later, if it does; the same until it is released."""
        return self._reserved.setdefault((job, attempt), self._new(job, attempt))

    def release(self, mark: str) -> bool:
        """No attempt gets this one any more; False: one has it already."""
        job, attempt, _ = mark.split(".")
        key = int(job), int(attempt)
        if self._reserved.get(key) != mark:
            return False
        del self._reserved[key]
        return True

    def _new(self, job: int, attempt: int) -> str:
        return f"{job}.{attempt}.{self.workspace}{secrets.token_hex(8 - len(self.workspace) // 2)}"
