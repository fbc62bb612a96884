"""A documented result that a job type gives by itself."""

from __future__ import annotations

from dataclasses import dataclass

from engine.model.quantities import Kind


@dataclass(frozen=True, slots=True)
class ResultField:
    """``name`` in ``RESULT``, its kind (None: any), and one sentence of help in English and Chinese."""

    name: str
    kind: Kind | None
    en: str
    zh: str
