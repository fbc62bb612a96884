"""What each version added to the tables of state: a migration step sees the tables as they were then."""

from __future__ import annotations

from collections.abc import Mapping

NewColumns = Mapping[str, Mapping[str, str]]  # table -> column -> its SQL type

COLUMNS: Mapping[int, NewColumns] = {
    3: {"job_run": {"log_size": "BIGINT", "error_log_size": "BIGINT"}},
    4: {
        "instance": {"why": "TEXT"},
        "job_instance": {"stop": "TEXT", "why": "TEXT"},
        "run": {"boot_id": "TEXT", "start_ticks": "BIGINT", "stop": "TEXT", "follows": "TEXT"},
    },
    5: {"instance": {"due_at": "TEXT"}},
    6: {
        **{table: {"error_facts": "TEXT"} for table in ("instance", "run", "job_instance", "job_run")},
        "exception": {"message_facts": "TEXT", "note_facts": "TEXT"},
        "alert": {"message_facts": "TEXT"},
    },
}
TABLES: Mapping[int, tuple[str, ...]] = {
    5: ("schedule",),
    7: ("link", "backfill", "backfill_step"),
    8: ("worker",),
}


def later_columns(version: int) -> dict[str, set[str]]:
    """By table those that came after a version."""
    found: dict[str, set[str]] = {}
    for number, tables in COLUMNS.items():
        for table, columns in tables.items() if number > version else ():
            found.setdefault(table, set()).update(columns)
    return found


def later_tables(version: int) -> frozenset[str]:
    """Those that came after a version."""
    return frozenset(name for number, names in TABLES.items() if number > version for name in names)
