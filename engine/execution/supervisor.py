"""The supervisor of a job: a few hundred bytes of program below which everything stays that the job starts.

It makes itself a *child subreaper* (prctl(2)), starts the wrapper in a session of its own, and waits until
the kernel says that no child is left: whatever loses its parent, in whichever session and with whatever
environment, becomes its child. It outlives the engine, hears no signal but KILL and STOP, tells the engine
through descriptor 3 how the wrapper ended where others live on, and writes ``clean yes`` into the stage file
as its last act: that nothing is left below is then the kernel's word. If it is killed, so is the wrapper.
The sources are beside this file, ``supervisor.*.s``; a test assembles them and compares. A program of any
other kind would cost a start of its own for each job, and a compiled module a build for each platform.
"""

from __future__ import annotations

import fcntl
import os
import platform
import struct
from contextlib import suppress

from engine.execution.files import close_all

NAME = "skerry-supervisor"
PLACE = 3  # the descriptor through which it tells
_MESSAGE = struct.Struct("ii")  # its pid, the wrapper's status as of wait(2)
_ABOVE = 10  # no number that posix_spawn's file actions give away
_BASE = 0x400000
_HEAD = 64 + 2 * 56

# machine -> number in ELF, code
_CODE = {
    "x86_64": (
        62,
        bytes.fromhex(
            "488b2c24488d5c24104c8d64ec106affe825010000bf24000000be01000000b89d0000000f0585c00f88b90000"
            "004883fd030f8cf9000000b83a0000000f0585c00f88a00000000f84a10000004189c541bf0000004048c7c7ff"
            "ffffff4889e64489fa4531d2b83d0000000f0585c0741a83f8f6743e4439e875db448b34244183cf0141bdffff"
            "ffffebcb4183e7feb8270000000f058904244489742404bf030000004889e6ba08000000b8010000000f05eba2"
            "31ff488d3597000000ba0a00000041ba60000000b8120000000f054489f783e77f740881cf80000000eb544489"
            "f7c1ef08eb4cbf7d000000eb45b8700000000f05bf01000000be09000000b89d0000000f056a00e82d000000bf"
            "03000000b8030000000f05488b3b488d73084c89e2b83b0000000f05bf7f000000eb0231ffb83c0000000f05bf"
            "02000000488d74240831d241ba08000000b80e0000000f05c3636c65616e207965730a"
        ),
    ),
    "aarch64": (
        183,
        bytes.fromhex(
            "f80340f9f3430091740e188bff4300d10100809250000094800480d2210080d2e81480d2010000d48006f8371f"
            "0f00f1cb080054202288d2010080d2020080d2030080d2040080d2881b80d2010000d4800500342005f837f503"
            "002a160080521700a85200008092e1030091e203172a030080d2882080d2010000d4200100341f280031200200"
            "541f00156bc1feff54f60340b9f702003215008012f2ffff17f77a1f12881580d2010000d4e05b0029600080d2"
            "e1030091020180d2080880d2010000d4e8ffff17000080d241050010420180d2030c80d2880880d2010000d4c0"
            "1a0072600000540000193218000014c07e085316000014a00f805214000014a81380d2010000d4200080d22101"
            "80d2e81480d2010000d4010080d20e000094600080d2280780d2010000d4600240f961220091e20314aaa81b80"
            "d2010000d4e00f80520200001400008052a80b80d2010000d4e10300f9400080d2e1030091020080d2030180d2"
            "e81080d2010000d4c0035fd6636c65616e207965730a"
        ),
    ),
}


class Unsupervised(Exception):
    """Why no supervisor can be had on this machine, in a sentence."""


class Supervisor:
    """The program, in memory, and the pipe on which those that were started with it tell."""

    def __init__(self) -> None:
        """Raises Unsupervised: another machine, or one that runs no program from memory."""
        self._program = _in_memory(program(platform.machine()))
        self.path = f"/proc/self/fd/{self._program}"
        self.news_fd, self._told = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        _try(self.path)

    @property
    def action(self) -> tuple[int, int, int]:
        """What posix_spawn is to do with descriptors, after everything else."""
        return (os.POSIX_SPAWN_DUP2, self._told, PLACE)

    def news(self) -> list[tuple[int, int]]:
        """Supervisors whose wrapper has ended while others live: (pid, the wrapper's wait status)."""
        with suppress(BlockingIOError):
            return list(_MESSAGE.iter_unpack(os.read(self.news_fd, 512 * _MESSAGE.size)))
        return []

    def close(self) -> None:
        """Those that live go on without telling."""
        close_all([self._program, self.news_fd, self._told])


def program(machine: str) -> bytes:
    """The whole ELF file; Unsupervised where there is none for the machine."""
    if machine not in _CODE:
        raise Unsupervised(f"there is no supervisor for {machine}")
    number, code = _CODE[machine]
    size = _HEAD + len(code)
    head = struct.pack(
        "<16sHHIQQQIHHHHHH",
        b"\x7fELF\x02\x01\x01", 2, number, 1, _BASE + _HEAD, 64, 0, 0, 64, 56, 2, 0, 0, 0,
    )  # fmt: skip
    loaded = struct.pack("<IIQQQQQQ", 1, 5, 0, _BASE, _BASE, size, size, 0x10000)
    stack = struct.pack("<IIQQQQQQ", 0x6474E551, 6, 0, 0, 0, 0, 0, 16)  # not executable
    return head + loaded + stack + code


def code_of(machine: str) -> bytes:
    """Its machine code alone, as assembled from the source."""
    return _CODE[machine][1]


def _in_memory(data: bytes) -> int:
    try:
        made = os.memfd_create(NAME, os.MFD_CLOEXEC)
        try:
            os.write(made, data)
            return fcntl.fcntl(made, fcntl.F_DUPFD_CLOEXEC, _ABOVE)
        finally:
            os.close(made)
    except OSError as error:
        raise Unsupervised(f"this machine keeps no program in memory: {error.strerror}") from error


def _try(path: str) -> None:
    """Without arguments it only tries whether it can be what it is for."""
    try:
        ended = os.waitid(os.P_PID, os.posix_spawn(path, (NAME,), {}), os.WEXITED)
    except OSError as error:
        raise Unsupervised(f"this machine runs no program from memory: {error.strerror}") from error
    if ended is None or ended.si_status != 0:
        raise Unsupervised("this machine's kernel has no child subreapers")
