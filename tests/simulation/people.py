"""Requests of people: carried out by tasks of the engine, as its socket's threads do, and dying with it.

Who asked then asks the next engine again, with the same key, as the command line does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.simulation import operators
from tests.simulation.engines import Engines
from tests.simulation.invariants.history import described
from tests.simulation.invariants.life import Life
from tests.simulation.machine.virtual_time import Task
from tests.simulation.workload.action import Action
from tests.simulation.workload.answers import Answer, answer_of

_TRY_AGAIN = 0.5  # seconds until who asked asks the next engine


class People:
    """Each of them asks until an engine has answered."""

    def __init__(self, life: Life, engines: Engines) -> None:
        self._life = life
        self._engines = engines
        self.asking = 0  # how many have no answer yet

    def do(self, index: int, action: Action) -> None:
        """What an action asks for."""
        who = f"{action.actor}-{index}"
        self.ask(who, action.what, lambda: operators.act(self._life, action, index), action)

    def ask(self, who: str, what: str, call: Callable[[], Any], action: Action | None = None) -> None:
        """A request, asked again of the next engine until one has answered."""
        life = self._life
        self.asking += 1
        answered: list[Answer] = []

        def answered_or_failed() -> Answer | None:
            try:
                return answer_of(call)
            except Exception as error:  # asked again it would fail again, under each engine
                life.history.wrong(f"what people asked failed: {who} {what}: {described(error)}")
                return Answer(refusal=repr(error))

        def carry_out() -> None:
            answer = answered_or_failed() if life.working is not None else None
            if answer is None:  # the engine ends: the next one is asked
                return
            answered.append(answer)
            if action is not None:
                life.history.answered.append((action, answer))
            life.note(f"{who} {what} {answer}")

        def insist() -> None:
            while not answered:
                while life.down:
                    life.hub.wait(self._engines.await_change)
                number = life.number
                request = life.hub.start(("engine", number), "request", carry_out)
                while request.is_alive() and number == life.number:
                    self._wait_for(request)
                if not answered:
                    life.hub.sleep(_TRY_AGAIN)
            self.asking -= 1

        life.hub.start("people", who, insist)

    def _wait_for(self, request: Task) -> None:
        """Until it has ended, or the engine has."""

        def register(resume: Callable[[], None]) -> None:
            request.when_ended(resume)
            self._engines.await_change(resume)

        self._life.hub.wait(register)
