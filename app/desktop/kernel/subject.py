"""What a person looks at: a task, an instance of it, a job in that, an error; what actions act upon."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Subject:
    """One thing that a mode shows as selected.

    ``status`` is that of the instance, ``job_status`` that of the job, ``failed`` whether anything of the
    instance could be retried (None: not known here);
    ``code`` and ``message`` are the error's; ``text`` is what *Copy* takes if it is more than these.
    ``worker``: it is a worker, its line of the list.
    """

    task: str | None = None
    instance: int | None = None
    node: str | None = None
    status: str | None = None
    job_status: str | None = None
    code: int | None = None
    message: str = ""
    text: str = ""
    failed: bool | None = None
    worker: Mapping[str, Any] | None = None

    @property
    def name(self) -> str:
        """``nightly #12 · load``.

        >>> Subject("nightly", 12, "load").name
        'nightly #12 · load'
        """
        if self.worker is not None:
            return str(self.worker["name"])
        number = f"#{self.instance}" if self.instance is not None else ""
        whole = " ".join(part for part in (self.task, number) if part)
        return " · ".join(part for part in (whole, self.node) if part)

    @property
    def choice(self) -> str:
        """What a bundle of it is asked for by: ``12`` or ``12:load``."""
        own = str(self.instance or "")
        return f"{own}:{self.node}" if own and self.node else own

    def copied(self) -> str:
        """The lines for the clipboard."""
        error = " ".join(part for part in (str(self.code or ""), self.message) if part)
        return self.text or "\n".join(part for part in (self.name, error) if part)
