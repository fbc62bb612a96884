"""Words that come from the window's own texts or, in both languages, from a type's file."""

from __future__ import annotations

from app.desktop.kernel.language import tr

Words = str | tuple[str, str]  # an English source text, or English and Chinese


def as_written(text: str) -> Words:
    """A name or text of the operator's own, which is never translated."""
    return (text, text) if text else ""


def said(words: Words, language: str) -> str:
    """The words in a language of the window."""
    if isinstance(words, tuple):
        return words[1] if language.startswith("zh") and words[1] else words[0]
    return tr(words) if words else ""
