"""What can go wrong with a web service, entries of the catalogue under the number of its user.

Made from http_codes.yaml by ``python -m app.regenerate_codes``.
"""

from engine.model.listed_code import CodeFamily, ListedCode


class HttpCodes(CodeFamily):
    """The entries below the ``number`` of one of its users."""

    def __init__(self, number: int) -> None:
        self.unreachable = ListedCode(__file__, -1000, below=number)
        self.certificate = ListedCode(__file__, -2000, retryable=False, below=number)
        self.address = ListedCode(__file__, -3000, retryable=False, below=number)
        self.unfit = ListedCode(__file__, -4000, retryable=False, below=number)
        self.status = ListedCode(__file__, -5000, below=number)
        self.too_big = ListedCode(__file__, -6000, retryable=False, below=number)
        self.redirects = ListedCode(__file__, -7000, retryable=False, below=number)
        self.foreign = ListedCode(__file__, -8000, retryable=False, below=number)
        self.timed_out = ListedCode(__file__, -9000, below=number)
