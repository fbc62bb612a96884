"""What the nodes of a task with ``sequence: true`` come after (contract 2.3)."""

from __future__ import annotations

from collections.abc import Container, Iterable


def in_sequence(nodes: Iterable[str], own: Container[str], branched: Container[str]) -> dict[str, list[str]]:
    """For each node, in the order of the file, what it comes after because of its place.

    Nodes of ``own`` say themselves what they come after. Those that a branch names (``branched``) follow
    their condition alone; the next one follows that and all of them.

    >>> in_sequence(["look", "yes", "no", "end"], (), ("yes", "no"))
    {'look': [], 'yes': [], 'no': [], 'end': ['look', 'yes', 'no']}
    """
    found: dict[str, list[str]] = {}
    before: list[str] = []
    for node in nodes:
        if node in branched:
            found[node] = []
            before = [*before, node]
        else:
            found[node] = [] if node in own else before
            before = [node]
    return found
