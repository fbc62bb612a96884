"""What a worker is and how it is, in words; no widgets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from app.desktop.kernel.language import tr, trn
from app.desktop.kernel.reasons import in_words, reason_of
from app.desktop.kernel.times import length_text, when
from app.desktop.widgets.remedy_words import in_window
from engine.model.worker import LOCAL

Row = Mapping[str, Any]
_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")


def look(row: Row) -> str:
    """Of the table of statuses."""
    return f"worker_{row['state']}"


def slots_text(row: Row) -> str:
    """``2 of 4``; of those that nobody has counted yet how many are taken.

    >>> slots_text({"running": 2, "slots": 4})
    '2 of 4'
    """
    if row["slots"] == "auto":
        return tr("{taken} of ?", taken=row["running"])
    return tr("{taken} of {all}", taken=row["running"], all=row["slots"])


def size_text(size: int | None) -> str:
    """Bytes in the largest unit that they fill.

    >>> size_text(3 << 30), size_text(1536), size_text(None)
    ('3.0 GiB', '1.5 KiB', '')
    """
    if size is None:
        return ""
    step = min(max(size.bit_length() - 1, 0) // 10, len(_UNITS) - 1)
    return f"{size / (1 << 10 * step):.1f} {_UNITS[step]}" if step else f"{size} B"


def load_text(row: Row) -> str:
    return "" if row["load"] is None else f"{row['load']:.2f}"


def skew_text(row: Row) -> str:
    """``+0.3 s``: its clock is ahead."""
    return "" if row["skew"] is None else f"{row['skew']:+.1f} s"


def why_text(row: Row) -> str:
    """Why no job begins there, and since when; empty where one can."""
    why = in_window(in_words(reason_of(row)))
    since = when(row["since"])
    if not why or not since or since in why:
        return why
    return tr("{why} Since {time}.", why=why, time=since)


def summary(rows: Sequence[Row]) -> str:
    """How many there are, and how many of them take jobs."""
    ready = sum(each["state"] == "online" for each in rows)
    return trn(len(rows), "1 worker, ready: {ready}", "{n} workers, ready: {ready}", ready=ready)


def facts(found: Row) -> Iterator[tuple[str, str]]:
    """What is registered of one, each with its label; ``found`` is the whole document."""
    labels = ", ".join(f"{key}={value}" for key, value in found["labels"].items())
    yield from _of_ssh(found)
    here = found["name"] == LOCAL  # whose slots the queue has, whatever is registered
    size = found["slots"] if here else found["size"]
    yield tr("Slots"), tr("by its cores") if size == "auto" else str(size)
    yield tr("Groups"), ", ".join(found["groups"])
    yield tr("Labels"), labels
    yield tr("Application"), found["application"] or ""
    yield tr("Handlers"), ", ".join(found["handlers"])


def _of_ssh(found: Row) -> Iterator[tuple[str, str]]:
    if found["ssh"] is None:
        return
    yield tr("Address"), found["ssh"]
    yield tr("By way of"), ", ".join(found["jumps"])
    yield tr("Login"), login_text(found)
    yield tr("Folder there"), found["root"] or ""
    yield tr("Fence"), tr("never") if found["fence"] is None else length_text(found["fence"])
    yield tr("Jobs with secrets"), tr("allowed") if found["secrets"] == "allow" else tr("refused")


def login_text(found: Row) -> str:
    """How the engine logs in there; empty where that is not known, as at a desk."""
    if found["key"]:
        return tr("key {file}", file=found["key"])
    if found["password_secret"]:
        return tr("password in the secret {name}", name=found["password_secret"])
    return tr("SSH agent") if found["agent"] else ""
