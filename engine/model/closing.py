"""What is closed where its block ends."""

from __future__ import annotations

from typing import Self


class Closing:
    """A context manager of itself: ``close`` is called at the end of the block."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Leave nothing open."""
