"""What the engine's own record of a stage says, before any host is asked."""

from __future__ import annotations

from collections.abc import Callable

from engine.execution import stage_file
from engine.execution.outcomes import RESTARTED, Exit, Lost, Unreachable
from engine.execution.ssh import intents
from engine.execution.ssh.intents import Intent, Terms
from engine.model.job import StageName

Certain = Callable[[Terms], Lost | Unreachable | None]  # of a stage that was sent under these terms


def read(
    directory: str, stage: StageName, mark: str, now: Terms, certain: Certain, *, restarted: bool
) -> Exit | Lost | Unreachable | Intent:
    """What is known of a stage; the intent: its host is to be asked. ``now`` are the terms of today.

    ``restarted``: the host has another boot id than the one that the attempt began in.
    """
    path = f"{directory}/.skerry/{stage}"
    record = stage_file.read(path)
    if record is not None and record.mark == mark and record.exit is not None:
        return Exit.of(record.exit)
    whole = record is None or record.mark == mark
    intent = intents.read(path, now if whole else now._replace(fence=None, lease=""))
    if (found := certain(intent.terms)) is not None:
        return found
    if restarted:
        return Lost(RESTARTED)
    if record is None or (record.torn(mark) and not record.begun):
        return Lost("it was never started", begun=False)
    if record.mark == mark:
        return intent
    if record.damaged(mark):
        return intent._replace(has_secrets=True)  # what says that may be what is gone
    return Lost("the record in its directory is of another attempt", begun=False)
