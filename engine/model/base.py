"""The frozen base of everything that is read from a definition file, and its value types."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StrictBool, StrictInt

from engine.model.names import ID, LONGEST_ID
from engine.model.quantities import seconds, size_bytes


class Frozen(BaseModel):
    """A value: never changed after it was made; an unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def one_or_several(value: Any) -> Any:
    """Where a list is allowed, so is one value by itself."""
    return tuple(value) if isinstance(value, list) else (value,)


def _digits_are_an_id(value: Any) -> Any:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _eleven_digits(value: int) -> int:
    if -20_000_000_000 < value <= -10_000_000_000:
        return value
    raise ValueError("an error code has eleven digits: -1DDSSCCCXXX, zeros at its end for all below it")


_IdText = Annotated[str, Field(pattern=f"^{ID}$", min_length=1, max_length=LONGEST_ID)]
# The input types are what a file may hold; the JSON Schema of the format shows them.
Id = Annotated[_IdText, BeforeValidator(_digits_are_an_id, json_schema_input_type=_IdText | int)]
Seconds = Annotated[float, BeforeValidator(seconds, json_schema_input_type=float | str)]
Size = Annotated[int, BeforeValidator(size_bytes, json_schema_input_type=int | str)]
Bool = StrictBool
Int = StrictInt
Code = Annotated[Int, AfterValidator(_eleven_digits)]
Count = Annotated[StrictInt, Field(ge=0)]
