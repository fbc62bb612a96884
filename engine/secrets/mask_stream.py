"""Masks known secrets in bytes that arrive piece by piece."""

from __future__ import annotations

from collections.abc import Iterable

from engine.secrets.finding import SecretFinder, Span

MASK = b"******"


def masked(text: bytes, spans: Iterable[Span]) -> bytes:
    """The text with a mask in the place of each span."""
    out: list[bytes] = []
    done = 0
    for start, end in spans:
        out += (text[done:start], MASK)
        done = end
    return b"".join((*out, text[done:]))


class Stream:
    """Masks bytes that arrive piece by piece. The result does not depend on where the pieces were cut.

    Every byte that belongs to any occurrence of a secret goes; a run of such bytes becomes one mask.
    Held back is only what could be the beginning of a secret, so output is as live as it can be.
    """

    def __init__(self, finder: SecretFinder) -> None:
        self._finder = finder
        self._held = b""
        self._masked = 0  # so many of the held bytes belong to a run whose mask is already out
        self._begins_line = True  # the held bytes do

    def feed(self, data: bytes) -> bytes:
        """What is certain after ``data``."""
        text = self._held + data
        return self._settle(text, *self._finder.so_far(text, self._begins_line))

    def close(self) -> bytes:
        """What was held back; nothing follows."""
        spans = self._finder.spans(self._held, self._begins_line)
        return self._settle(self._held, spans, len(self._held))

    def _settle(self, text: bytes, spans: Iterable[Span], keep: int) -> bytes:
        """The masked form of ``text[:keep]``; the rest is held."""
        out: list[bytes] = []
        done = reached = self._masked
        for start, end in spans:
            if start > keep:
                break
            if start >= reached:
                out += (text[done:start], MASK)
            done = reached = max(reached, end)
        out.append(text[done:keep])
        self._held, self._masked = text[keep:], max(reached - keep, 0)
        self._begins_line = text[keep - 1 : keep] == b"\n" if keep else self._begins_line
        return b"".join(out)
