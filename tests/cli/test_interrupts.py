"""What Ctrl-C leaves on a terminal."""

from __future__ import annotations

import subprocess
import sys

# An interrupt that comes just while the pool takes a connection back.
READ = """
import signal
from sqlalchemy import create_engine, event, text
from app.cli.interrupts import interruptible
engine = create_engine("sqlite://")
event.listen(engine, "reset", lambda *given: signal.raise_signal(signal.SIGINT))
with interruptible(print, print) as interrupts:
    interrupts.follow()
    try:
        with engine.connect() as connection:
            connection.execute(text("select 1"))
    except KeyboardInterrupt:
        print("interrupted")
"""


def test_an_interrupt_amid_a_read_leaves_no_traceback_of_the_library() -> None:
    done = subprocess.run([sys.executable, "-c", READ], capture_output=True, text=True, check=False)

    assert (done.stdout, done.stderr) == ("interrupted\n", "")
