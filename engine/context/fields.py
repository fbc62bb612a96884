"""What a job's entry in the context has besides its values: logs that are files, ordered maps."""

from __future__ import annotations

from typing import Final

from engine.model.codes.expressions import MISSING_VALUE
from engine.model.errors import SkerryError
from engine.model.message import Message

LOGS: Final = {"OUTPUT": "job.log", "LOG": "job.log", "ERROR_OUTPUT": "job-error.log"}
ORDERED: Final = ("PARAMS", "RESULT")  # their values can be named by position
ON_EDIT: Final = "based on an edit"  # the ``why`` of an outcome that is based on a value changed by hand
UNVERIFIED: Final = "not verified to be stopped: "  # begins the ``why`` of a job that may live on
WAITED: Final = "made at "  # begins the ``why`` of an entry whose job was made before, with the moment


def missing(text: str, why: str, job: str | None = None, /, **facts: object) -> SkerryError:
    details: dict[str, object] = {"job": job} if job else {}
    message = "{where}: {reason}"
    return SkerryError.at(MISSING_VALUE, message, text, details=details, reason=Message.of(why, **facts))
