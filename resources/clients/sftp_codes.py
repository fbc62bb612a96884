"""What can go wrong with an SFTP server, entries of the catalogue under the number of its user.

Made from sftp_codes.yaml by ``python -m app.regenerate_codes``.
"""

from engine.model.listed_code import CodeFamily, ListedCode


class SftpCodes(CodeFamily):
    """The entries below the ``number`` of one of its users."""

    def __init__(self, number: int) -> None:
        self.unreachable = ListedCode(__file__, -1000, below=number)
        self.login = ListedCode(__file__, -2000, retryable=False, below=number)
        self.address = ListedCode(__file__, -3000, retryable=False, below=number)
        self.missing = ListedCode(__file__, -4000, below=number)
        self.answer = ListedCode(__file__, -5000, below=number)
        self.timed_out = ListedCode(__file__, -6000, below=number)
        self.unpinned = ListedCode(__file__, -7000, retryable=False, below=number)
        self.changed = ListedCode(__file__, -8000, retryable=False, below=number)
        self.private_key = ListedCode(__file__, -9000, retryable=False, below=number)
        self.denied = ListedCode(__file__, -10000, retryable=False, below=number)
