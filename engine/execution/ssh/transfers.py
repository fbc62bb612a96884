"""Files of attempts that are carried beside the loop."""

from __future__ import annotations

from collections.abc import Callable

from engine.execution.ssh.mailbox import Mailbox
from engine.execution.ssh.refusals import of_here
from engine.model.errors import SkerryError
from engine.model.threads import Threads

_THREADS = 32  # made as they are needed: one that takes its time holds up no other attempt


class Transfers:
    """Of one host, each on a thread; what became of it is said on the loop's."""

    def __init__(self, name: str, mail: Mailbox, threads: Threads) -> None:
        self._mail = mail
        self._pool = threads.pool(_THREADS, f"skerry-ssh-{name}-files")

    def carry(self, work: Callable[[], None], done: Callable[[SkerryError | None], None]) -> None:
        """Do the ``work``, then call ``done`` with what went wrong."""

        def carried() -> None:
            problem: SkerryError | None = None
            try:
                work()
            except SkerryError as error:
                problem = error
            except (
                Exception
            ) as error:  # a disk here, or what nobody thought of: its job must not wait for ever
                problem = of_here(error)
            self._mail.post(lambda: done(problem))

        self._pool.submit(carried)

    def close(self) -> None:
        """What has not begun is not carried any more."""
        self._pool.shutdown(wait=False, cancel_futures=True)
