"""The words of the command line in the reader's language (documents of ``--json`` are English always)."""

from __future__ import annotations

from app.texts import catalogue


def say(text: str, language: str) -> str:
    """A word or a sentence in a language; what nobody has translated stays as it is.

    >>> say("node", "zh"), say("node", "en"), say("something else", "zh")
    ('节点', 'node', 'something else')
    """
    return catalogue(language, "cli").get(text, text)


def state(word: str, language: str) -> str:
    """A state; in Chinese with the word that options and programs use.

    >>> state("failed", "zh")
    '失败 failed'
    """
    message = say(word, language)
    return word if message == word else f"{message} {word}"
