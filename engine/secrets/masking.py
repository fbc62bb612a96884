"""Masking of secret values in texts, value trees and byte streams: every log, context, error and list."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from engine.model.message import Message
from engine.secrets.finding import SecretFinder
from engine.secrets.mask_stream import MASK, Stream, masked
from engine.secrets.spellings import spellings

MASKED = MASK.decode()


class ValueMasker:
    """Replaces every spelling of one of ``values``, in any encoding, by ``******``.

    A secret of fewer than four characters is masked only where it is a whole value by itself: within
    longer text it would blacken harmless letters, and show by the gaps what it is. Without values
    nothing is looked at, so a masker for "no secrets" costs nothing.
    """

    def __init__(self, values: Iterable[str | None] = ()) -> None:
        self._whole = frozenset(value for value in values if value)
        self._finder = SecretFinder(spellings(self._whole))

    def __bool__(self) -> bool:
        """Whether there is anything to mask."""
        return bool(self._whole)

    def text(self, text: str) -> str:
        """``text`` without secrets; the very same object when it holds none."""
        if not self._whole:
            return text
        if text in self._whole:
            return MASKED
        data = text.encode("utf-8", "surrogatepass")
        spans = self._finder.spans(data)
        return masked(data, spans).decode("utf-8", "surrogatepass") if spans else text

    def value(self, tree: Any) -> Any:
        """A JSON tree without secrets, in keys, texts and numbers; containers are copied."""
        if not self._whole:
            return tree
        if isinstance(tree, str):
            return tree.masked(self.value) if isinstance(tree, Message) else self.text(tree)
        if isinstance(tree, dict):
            return {self.value(key): self.value(value) for key, value in tree.items()}
        if isinstance(tree, (list, tuple)):
            return [self.value(each) for each in tree]
        is_number = type(tree) in (int, float)  # a secret of digits may be read as one on its way
        return MASKED if is_number and json.dumps(tree) in self._whole else tree

    def stream(self) -> Stream:
        """A masker for bytes that come piece by piece: ``feed(bytes)``, ``close()``."""
        return Stream(self._finder)
