"""The frozen base of everything that is read from a definition file, and its value types."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StrictBool, StrictInt

from engine.model.quantities import seconds, size_bytes


class Frozen(BaseModel):
    """A value: never changed after it was made; an unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def _digits_are_an_id(value: Any) -> Any:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


Id = Annotated[
    str,
    BeforeValidator(_digits_are_an_id),
    Field(pattern=r"^(?:[A-Za-z_][A-Za-z0-9_.-]*|[0-9]+)$", min_length=1, max_length=64),
]
Seconds = Annotated[float, BeforeValidator(seconds)]
Size = Annotated[int, BeforeValidator(size_bytes)]
Bool = StrictBool
Int = StrictInt
Count = Annotated[StrictInt, Field(ge=0)]
