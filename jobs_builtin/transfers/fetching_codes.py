"""How the bytes of a fetched file can be wrong, an entry of the catalogue under the number of the type.

Made from fetching_codes.yaml by ``python -m app.regenerate_codes``.
"""

from engine.model.listed_code import CodeFamily, ListedCode


class FetchingCodes(CodeFamily):
    """The entries below the ``number`` of one of its users."""

    def __init__(self, number: int) -> None:
        self.incomplete = ListedCode(__file__, -101000, below=number)
