"""What can go wrong with a database, entries of the catalogue under the number of its user.

Made from sql_codes.yaml by ``python -m app.regenerate_codes``.
"""

from engine.model.listed_code import CodeFamily, ListedCode


class SqlCodes(CodeFamily):
    """The entries below the ``number`` of one of its users."""

    def __init__(self, number: int) -> None:
        self.unreachable = ListedCode(__file__, -1000, below=number)
        self.driver = ListedCode(__file__, -2000, retryable=False, below=number)
        self.address = ListedCode(__file__, -3000, retryable=False, below=number)
        self.folder = ListedCode(__file__, -4000, below=number)
        self.refused = ListedCode(__file__, -5000, retryable=False, below=number)
        self.disturbed = ListedCode(__file__, -6000, below=number)
        self.parameter = ListedCode(__file__, -7000, retryable=False, below=number)
        self.timed_out = ListedCode(__file__, -8000, below=number)
