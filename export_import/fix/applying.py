"""Applying a fix at its site, taking it back, and the receipt that goes back to the supporter."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.api.documents import Document
from engine.api.service import Service
from engine.model.clock import Clock
from engine.model.codes.desk import NOT_A_FIX
from engine.model.errors import Refused, SkerryError
from engine.model.message import Message
from engine.model.names import RECORD
from engine.model.worker import LOCAL
from engine.store.sql_store import Store
from export_import.container import Bundle, BundleWriter
from export_import.container.form import ReadLimits
from export_import.container.strict_json import parse
from export_import.fix.checking import Opened, amendment_for
from export_import.fix.preview import fix_package, fix_seen, rerun_of
from export_import.keys import Keys
from export_import.redaction.pseudonyms import Pseudonyms

RECEIPT = "receipt.json"
_FORMAT = "skerry-receipt/1"
_WORKER = re.compile(rf"(?<={RECORD})[\w.-]+$|(?<=WORKERS\[')[\w.-]+(?='\])")
# What a receipt reports of a run: states and codes, no values or messages that would have to be redacted.
_OF_RUN = ("instance", "task", "run", "status", "error_code", "started_at", "ended_at")
_OF_JOB = ("node", "round", "index", "status", "attempt", "exit_code", "error_code", "started_at", "ended_at")


@dataclass(frozen=True, slots=True)
class Applied:
    """The record of a fix that was applied; ``run`` is the number of the run that it started, else None."""

    record: Document
    instance: int | None
    run: int | None


def apply(
    opened: Opened, service: Service, store: Store, keys: Keys, clock: Clock, *,
    rerun: bool = True, seen: str | None = None,
) -> Applied:  # fmt: skip
    """All of it in one transaction, then what runs again is started. Refused, with nothing changed, if it
    does not fit, or is not what ``seen`` is the hash of (None: as it is now); when only the rerun is refused
    the fix stays applied, as the error says.
    """
    amendment = amendment_for(opened, keys, store, clock)
    record = service.amend(fix_package(opened.paths, seen or fix_seen(amendment, store)))
    plan, base = opened.fix.rerun, amendment.base
    if plan is None or base is None or not rerun:
        return Applied(record, base.instance if base else None, None)
    try:
        [started] = service.rerun([rerun_of(plan, base.instance, amendment, current=plan.current)])
    except SkerryError as error:
        error.reword("the fix is applied, but nothing runs again: {message}")
        raise
    return Applied(record, base.instance, int(started["run"]))


def receipt(
    record: Mapping[str, Any], run: Mapping[str, Any] | None, keys: Keys, clock: Clock
) -> dict[str, Any]:
    """A site's report on a fix: when, by whom, what it changed (no contents), how the rerun ended."""
    shown = _without_workers(Pseudonyms(keys))
    payload = None if run is None else {name: run[name] for name in _OF_RUN}
    jobs = [] if run is None else [{name: job[name] for name in _OF_JOB} for job in run["jobs"]]
    jobs = [{**job, "node": shown(job["node"])} for job in jobs]
    named = [{"kind": each["kind"], "id": each["id"]} for each in record["definitions"]]
    return {
        "format": _FORMAT,
        "fix": record["id"],
        "site": keys.fingerprint,
        "made_at": clock.now().isoformat(timespec="seconds"),
        "applied_at": record["applied_at"],
        "undone_at": record["undone_at"],
        "instance": record["instance"],
        "definitions": named,
        "values": [shown(each["path"]) for each in record["values"]],
        "run": payload,
        "jobs": jobs,
    }


def _without_workers(pseudonyms: Pseudonyms) -> Callable[[str], str]:
    """Records of workers and their values, as a bundle names them."""

    def shown(found: re.Match[str]) -> str:
        return found[0] if found[0] == LOCAL else pseudonyms.of("worker", found[0])

    return lambda text: _WORKER.sub(shown, text)


def write_receipt(
    payload: Mapping[str, Any], path: Path, keys: Keys, clock: Clock, to: Sequence[str] = ()
) -> Path:
    """The signed receipt bundle at ``path``; Refused when the path exists."""
    with BundleWriter(path, kind="receipt", clock=clock, keys=keys, recipients=to) as writer:
        writer.add(RECEIPT, [json.dumps(payload, ensure_ascii=False, indent=1).encode()], role="receipt")
        return writer.finish(
            fix=payload["fix"], site=payload["site"], status=(payload["run"] or {}).get("status")
        )


def read_receipt(bundle: Bundle) -> dict[str, Any]:
    """The content of a receipt; Refused when the bundle is none."""
    if bundle.kind != "receipt" or RECEIPT not in bundle.entries:
        raise Refused(NOT_A_FIX, "it is a {kind} bundle, no receipt", kind=Message.of(bundle.kind))
    tree = parse(bundle.read(RECEIPT), ReadLimits(), RECEIPT)
    if tree.get("format") != _FORMAT:
        raise Refused.at(NOT_A_FIX, "{where} is no {format}", RECEIPT, format=_FORMAT)
    return tree


def answer_to(signer: str, keys: Keys) -> tuple[str, ...]:
    """Whom a receipt is encrypted to: the signer of the fix, where his key can do that."""
    found = next((each for each in keys.trusted() if each.id == signer), None)
    return (found.encryption,) if found is not None and found.encryption else ()
