"""What can go wrong with a database, entries of the catalogue under the number of its user.

Made from sql_codes.yaml by ``python -m app.regenerate_codes``.
"""

from typing import NamedTuple

from engine.model.errors import ErrorCode
from engine.model.listed_code import ListedCode


class SqlCodes(NamedTuple):
    """The entries of one of its users."""

    unreachable: ErrorCode
    driver: ErrorCode
    address: ErrorCode
    folder: ErrorCode
    refused: ErrorCode
    disturbed: ErrorCode
    parameter: ErrorCode
    timed_out: ErrorCode


def sql_codes(number: int) -> SqlCodes:
    """The entries below the user's ``number``."""
    return SqlCodes(
        ListedCode(__file__, -1000, below=number),
        ListedCode(__file__, -2000, retryable=False, below=number),
        ListedCode(__file__, -3000, retryable=False, below=number),
        ListedCode(__file__, -4000, below=number),
        ListedCode(__file__, -5000, retryable=False, below=number),
        ListedCode(__file__, -6000, below=number),
        ListedCode(__file__, -7000, retryable=False, below=number),
        ListedCode(__file__, -8000, below=number),
    )
