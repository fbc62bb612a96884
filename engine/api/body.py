"""What a request may bring as its body."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Body(BaseModel):
    """A key that is not known is refused: it would have no effect."""

    model_config = ConfigDict(extra="forbid")
