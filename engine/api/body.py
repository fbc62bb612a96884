"""What a request may bring as its body."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Number = Annotated[int, Field(ge=-(2**63), lt=2**63)]  # as a database keeps it


class Body(BaseModel):
    """A key that is not known is refused: it would have no effect."""

    model_config = ConfigDict(extra="forbid")
