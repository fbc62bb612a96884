"""Jobs over SSH against a bare loop over the same server that keeps nothing, in interleaved rounds.

    python -m benchmarks.ssh [--rounds 5] [--jobs 1000]

The bare loop has 8 connections of paramiko with TCP_NODELAY, each of which executes `true` again and again.
The engine has one, and 8 slots. A row is the median over rounds of (engine / loop) within one round.
"""

from __future__ import annotations

import argparse
import getpass
import socket
import statistics
import threading
import time

import paramiko

from app.wiring import open_engine, own_process
from benchmarks.far_workers import connected, submitted, succeeded
from benchmarks.places import apart
from tests.servers.private import folder
from tests.servers.ssh_workers import Sshd, serving

SLOTS = 8
TARGET = 2.0


def loop(server: Sshd, jobs: int) -> float:
    """Seconds of the bare loop; the connections are made before."""
    transports = [_transport(server) for _ in range(SLOTS)]
    left = iter(range(jobs))
    lock = threading.Lock()

    def work(transport: paramiko.Transport) -> None:
        while True:
            with lock:
                if next(left, None) is None:
                    return
            channel = transport.open_session()
            channel.exec_command("true")
            assert channel.recv_exit_status() == 0
            channel.close()

    threads = [threading.Thread(target=work, args=(each,)) for each in transports]
    began = time.monotonic()
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    seconds = time.monotonic() - began
    for transport in transports:
        transport.close()
    return seconds


def _transport(server: Sshd) -> paramiko.Transport:
    made = socket.create_connection(("127.0.0.1", server.port))
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    transport = paramiko.Transport(made)
    transport.start_client()
    transport.auth_publickey(getpass.getuser(), paramiko.Ed25519Key.from_private_key_file(str(server.key)))
    return transport


def engine(server: Sshd, jobs: int) -> float:
    """Seconds of the engine, from the submission to the end of the run."""
    nodes = {f"n{id}": {"type": "shell", "process": "true", "on": {"workers": ["far"]}} for id in range(jobs)}
    workspace, root = apart(), apart()
    with open_engine(workspace) as opened, own_process():
        connected(opened, server, {"far": root / "jobs"}, SLOTS)
        began = time.monotonic()
        succeeded(opened, submitted(opened, nodes))
        return time.monotonic() - began


def main() -> None:
    """Print a row."""
    options = argparse.ArgumentParser()
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--jobs", type=int, default=1000)
    chosen = options.parse_args()
    with folder() as place, serving(place, f"SetEnv HOME={place}") as server:  # no start files of a shell
        rounds = [(loop(server, chosen.jobs), engine(server, chosen.jobs)) for _ in range(chosen.rounds)]
    ratio = statistics.median(ours / bare for bare, ours in rounds)
    bare, ours = (statistics.median(side) for side in zip(*rounds, strict=True))
    print(f"{chosen.jobs} true over SSH: {ratio:.2f} of {TARGET:g}; loop {bare:.2f} s, engine {ours:.2f} s")


if __name__ == "__main__":
    main()
