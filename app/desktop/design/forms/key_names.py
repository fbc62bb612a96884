"""The keys of definitions as their forms call them, for lists of what differs."""

from __future__ import annotations

from collections.abc import Sequence

from app.desktop.design.forms import key_words
from app.desktop.design.forms.labels import said, title

_SCRIPT = "Script"
_OF_BOTH = (*key_words.NAMING, *key_words.AROUND)
_OF_NODES = {each.path: each.label for each in (*_OF_BOTH, *key_words.NODE, *key_words.ON, *key_words.JOB)}
_OF_TASKS = {each.path: each.label for each in (*_OF_BOTH, *key_words.TASK)}
_OTHERS = {"params": "Parameters", "process": _SCRIPT}  # keys of nodes whose fields have no name for all


def key_words_of(key: Sequence[str], language: str, *, of_task: bool = False) -> str:
    """A key of a node, or of the task, in words, the deeper ones behind it; empty of none.

    >>> key_words_of(("params", "limit"), "en"), key_words_of(("params", "limit"), "en", of_task=True)
    ('Parameters › limit', 'Parameters of the task › limit')
    """
    labels = _OF_TASKS if of_task else _OF_NODES
    for length in range(len(key), 0, -1):
        if (label := labels.get(tuple(key[:length]))) is not None:
            return " › ".join((said(label, language), *key[length:]))
    first = [said(_OTHERS.get(key[0], title(key[0])), language)] if key else []
    return " › ".join([*first, *key[1:]])
