"""What can go wrong with a web service, entries of the catalogue under the number of its user.

Made from http_codes.yaml by ``python -m app.regenerate_codes``.
"""

from typing import NamedTuple

from engine.model.errors import ErrorCode
from engine.model.listed_code import ListedCode


class HttpCodes(NamedTuple):
    """The entries of one of its users."""

    unreachable: ErrorCode
    certificate: ErrorCode
    address: ErrorCode
    unfit: ErrorCode
    status: ErrorCode
    too_big: ErrorCode
    redirects: ErrorCode
    foreign: ErrorCode
    timed_out: ErrorCode


def http_codes(number: int) -> HttpCodes:
    """The entries below the user's ``number``."""
    return HttpCodes(
        ListedCode(__file__, -1000, below=number),
        ListedCode(__file__, -2000, retryable=False, below=number),
        ListedCode(__file__, -3000, retryable=False, below=number),
        ListedCode(__file__, -4000, retryable=False, below=number),
        ListedCode(__file__, -5000, below=number),
        ListedCode(__file__, -6000, retryable=False, below=number),
        ListedCode(__file__, -7000, retryable=False, below=number),
        ListedCode(__file__, -8000, retryable=False, below=number),
        ListedCode(__file__, -9000, below=number),
    )
