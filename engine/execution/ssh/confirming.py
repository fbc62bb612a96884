"""What a host itself has of a stage that is taken to run there."""

from __future__ import annotations

from functools import partial

from engine.execution.outcomes import FENCED, Exit, Lost, Unreachable
from engine.execution.ssh import answers, requests
from engine.execution.ssh.link import SshLink
from engine.execution.ssh.stage import SshStage


def confirmed(link: SshLink, stage: SshStage, seconds: float) -> Exit | Lost | Unreachable | None:
    """None: it runs there, or its end is on its way here; blocks for at most so many ``seconds``."""
    if isinstance(stage.end, (Exit, Lost)):
        return stage.end
    if stage.end is not None or stage.leaving or not stage.pid:
        return None
    answer = link.answer_to(partial(requests.look, stage), seconds)
    if answer is None:
        return Unreachable(f"{link.settings.target} does not answer")
    if (end := answers.end_in(answer)) is not None:
        return Lost(FENCED) if end.status is None else Exit.of(end.status)
    return answers.FOLDER_GONE if answer[0] in answers.ABSENT else answers.lost_in(answer)
