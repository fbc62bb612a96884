"""Fixes and deliveries of an engine that is played: what was asked is remembered."""

from __future__ import annotations

from engine.api.documents import Document
from engine.model.codes.desk import NOT_APPLIED
from engine.model.errors import Refused


class FakeAmending:
    """Keeps records and changes nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.amended: list[Document] = []

    def amend(self, package: Document, dry_run: bool = False) -> Document:
        """See ``Service``."""
        record = {
            "id": package["paths"][0],
            "kind": package["kind"],
            "applied_at": None if dry_run else "now",
        }
        if not dry_run:
            self.amended.append(record)
        return record

    def take_back(self, id: str, reason: str) -> Document:
        """See ``Service``."""
        for record in self.amended:
            if record["id"] == id:
                return {**record, "undone_at": "now", "undone_why": reason}
        raise Refused(NOT_APPLIED, f"there is no {id!r}", where=id)

    def amendments(self) -> list[Document]:
        """See ``Service``."""
        return list(self.amended)
