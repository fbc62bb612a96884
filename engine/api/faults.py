"""Errors on their way through JSON: the same code and the same class at the other end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.model.catalogue import engine_code, entry_number, unlisted
from engine.model.codes.commands import NO_SUCH_DEFINITION
from engine.model.errors import Invalid, Refused, SkerryError
from engine.model.message import Message

_CLASSES: dict[str, type[SkerryError]] = {"invalid": Invalid, "refused": Refused, "failed": SkerryError}


def error_document(error: SkerryError) -> dict[str, Any]:
    """``{"error": {code, message, where}}`` as the contract has it, and what rebuilds the error."""
    kind = next(name for name, made in _CLASSES.items() if isinstance(error, made))
    return {
        "error": {
            "code": error.code,
            "message": error.message,
            "message_facts": error.message.to_json(),
            "where": error.where,
            "kind": kind,
            "retryable": error.entry.retryable,
            "details": error.details,
        }
    }


def error_of(document: Mapping[str, Any]) -> SkerryError:
    """The error that ``error_document`` described."""
    payload = document["error"]
    code, message = int(payload["code"]), Message.read(payload.get("message_facts"), str(payload["message"]))
    number = entry_number(code)
    entry = engine_code(code) or unlisted(number, message, bool(payload.get("retryable")))
    made = _CLASSES.get(payload.get("kind", "failed"), SkerryError)
    details = payload.get("details") or {}
    return made(entry, message, where=payload.get("where"), extra=number - code, details=details)


def no_definition(kind: str, id: str, revision: int | None = None) -> Invalid:
    """What is said of a definition that a workspace does not have."""
    message = "there is no revision {revision} of {kind} {where!r} in the workspace"
    message = "there is no {kind} {where!r} in the workspace" if revision is None else message
    return Invalid.at(NO_SUCH_DEFINITION, message, id, kind=Message.of(kind), revision=revision)
