"""All rules for secrets that are not in the store; of two that find the same text the first decides."""

from __future__ import annotations

from collections.abc import Iterable

from export_import.redaction import (
    assignments,
    command_lines,
    dialogues,
    directives,
    known_formats,
    tokens,
    urls,
)
from export_import.redaction.mentions import words
from export_import.redaction.rule import SecretRule


def secret_rules(further: Iterable[str] = ()) -> tuple[SecretRule, ...]:
    """All rules; ``further`` are the names of secrets that only this site has."""
    names = words(further)
    return (
        *known_formats.PRIVATE_KEYS,
        *urls.RULES,
        *tokens.AUTHORIZATION,
        *dialogues.RULES,
        *assignments.rules(names),
        *directives.rules(names),
        *assignments.CHINESE_RULES,
        *command_lines.RULES,
        *known_formats.RULES,
        *tokens.TOKEN_RULES,
        *tokens.PASSWORD_HASHES,
    )
