"""Changes to instances that do not run: each is durable, and in the files, before the next begins.

Who wakes an instance replays its log from the store. Were another change of it still on its way there, both
would go on with the same number.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from typing import TypeVar

from engine.runtime.request_keys import under_way
from engine.runtime.runs.run import Run
from engine.runtime.services import EngineServices
from engine.runtime.upkeep.file_sync import touch

T = TypeVar("T")


def in_turn(services: EngineServices, instances: Collection[int], call: Callable[[], T]) -> T:
    """Make ``call`` on the loop's thread, and give its answer once that is durable; once for a request's key.

    An earlier change of one of these ``instances`` is waited for. Not to be called on the loop's thread.
    """
    keyed, loop = under_way(), services.loop

    def once() -> list[T]:
        if not services.being_changed(instances):
            return [services.request_keys.once(keyed, call)]
        services.after_change(instances, changed.set)
        return []

    while True:
        changed = loop.threads.event()
        if answers := loop.ask(once):
            return answers[0]
        loop.wait_for(changed)


def file_after_commit(services: EngineServices, run: Run) -> None:
    """Bring the files of an instance that does not run up to what this turn decides about it."""
    touch(services, run.facts.id)
    services.changing.add(run.facts.id)
    services.loop.after_commit(partial(file_now, services, run))


def file_now(services: EngineServices, run: Run, then: Callable[[], None] = lambda: None) -> None:
    """The same for what is durable already; a full disk is waited for."""
    touch(services, run.facts.id)
    services.changing.add(run.facts.id)
    services.writes.when_disk_has_room(partial(_filed, services, run, then))


def _filed(services: EngineServices, run: Run, then: Callable[[], None]) -> None:
    run.files.write()
    if run.facts.id not in services.runs:
        run.files.journal.close()
    then()
    services.is_filed(run.facts.id)
