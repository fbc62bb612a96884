"""Words that come from the window's own texts or, in both languages, from a type's file."""

from __future__ import annotations

from app.desktop.kernel.language import tr
from app.texts import catalogue

Words = str | tuple[str, str]  # an English source text, or English and Chinese


def as_written(text: str) -> Words:
    """A name or text of the operator's own, which is never translated."""
    return (text, text) if text else ""


def both(text: str, **values: Words) -> Words:
    """A text in English and Chinese, its ``{names}`` filled in with the words of each."""
    pairs = {name: value if isinstance(value, tuple) else _pair(value) for name, value in values.items()}
    english, chinese = ({name: pair[at] for name, pair in pairs.items()} for at in (0, 1))
    return text.format(**english), _pair(text)[1].format(**chinese)


def _pair(text: str) -> tuple[str, str]:
    return text, catalogue("zh").get(text, text)


def said(words: Words, language: str) -> str:
    """The words in a language of the window."""
    if isinstance(words, tuple):
        return words[1] if language.startswith("zh") and words[1] else words[0]
    return tr(words) if words else ""
