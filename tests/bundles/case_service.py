"""What the service answers of a case, as the command line asks it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager

from app import wiring
from engine.api.read_only import ReadOnlyService
from export_import.case import Case


@contextmanager
def service_of(case: Case) -> Iterator[ReadOnlyService]:
    with closing(wiring.open_reader(case.folder)) as store:
        yield ReadOnlyService(store, wiring.open_workspace(case.folder))
