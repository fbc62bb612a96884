"""How the bytes of a sent file can be wrong, an entry of the catalogue under the number of the type.

Made from sending_codes.yaml by ``python -m app.regenerate_codes``.
"""

from engine.model.listed_code import CodeFamily, ListedCode


class SendingCodes(CodeFamily):
    """The entries below the ``number`` of one of its users."""

    def __init__(self, number: int) -> None:
        self.unlike = ListedCode(__file__, -101000, below=number)
