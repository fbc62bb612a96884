"""What can go wrong with an FTP server, entries of the catalogue under the number of its user.

Made from ftp_codes.yaml by ``python -m app.regenerate_codes``.
"""

from typing import NamedTuple

from engine.model.errors import ErrorCode
from engine.model.listed_code import ListedCode


class FtpCodes(NamedTuple):
    """The entries of one of its users."""

    unreachable: ErrorCode
    login: ErrorCode
    address: ErrorCode
    missing: ErrorCode
    answer: ErrorCode
    timed_out: ErrorCode


def ftp_codes(number: int) -> FtpCodes:
    """The entries below the user's ``number``."""
    return FtpCodes(
        ListedCode(__file__, -1000, below=number),
        ListedCode(__file__, -2000, retryable=False, below=number),
        ListedCode(__file__, -3000, retryable=False, below=number),
        ListedCode(__file__, -4000, below=number),
        ListedCode(__file__, -5000, below=number),
        ListedCode(__file__, -6000, below=number),
    )
