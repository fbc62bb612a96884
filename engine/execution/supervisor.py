"""The supervisor of a job: a few hundred bytes of program below which everything stays that the job starts.

It makes itself a *child subreaper* (prctl(2)), starts the job's program in a session of its own, and waits
until the kernel says that no child is left: whatever loses its parent, in whichever session and with whatever
environment, becomes its child. It outlives the engine, hears no signal but KILL and STOP, writes into the
stage file how the program ended, reports that through descriptor 3 where others live on, and writes ``clean
yes`` as its last act: that nothing is left below is then the kernel's word.
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
from engine.execution.proc import mark_of, program_of

NAME = "skerry-supervisor"
REPORTS = 3  # the descriptor through which it reports
_MESSAGE = struct.Struct("ii")  # its pid, the program's exit status
_ABOVE = 10  # no number that posix_spawn's file actions give away
_BASE = 0x400000
_HEAD = 64 + 2 * 56

# machine -> number in ELF, code
_CODE = {
    "x86_64": (
        62,
        bytes.fromhex(
            "488b2c24488d5c24104c8d64ec106affe873010000bf24000000be01000000b89d0000000f0585c00f88180100"
            "004883fd030f8c47010000b83a0000000f0585c00f88ff0000000f84000100004189c541bf0000004048c7c7ff"
            "ffffff4889e64489fa4531d2b83d0000000f0585c00f848500000083f8f60f84a80000004439e875d38b042441"
            "89c641c1ee0883e07f7407448db0800000004489f0bb20303030b90a00000031d2f7f1c1e21801d331d2f7f1c1"
            "e21001d3c1e00801c3c74424f065786974895c24f4895c24f8c64424fc0a31ff488d7424f0ba0d00000041ba6a"
            "000000b8120000000f054183cf0141bdffffffffe95cffffff4183e7feb8270000000f058904244489742404bf"
            "030000004889e6ba08000000b8010000000f05e930ffffff31ff488d3573000000ba0a00000041ba60000000b8"
            "120000000f054489f7eb3bbf7d000000eb34b8700000000f056a00e82d000000bf03000000b8030000000f0548"
            "8b3b488d73084c89e2b83b0000000f05bf7f000000eb0231ffb83c0000000f05bf02000000488d74240831d241"
            "ba08000000b80e0000000f05c3636c65616e207965730a"
        ),
    ),
    "aarch64": (
        183,
        bytes.fromhex(
            "f80340f9f3430091740e188bff4300d10100809262000094800480d2210080d2e81480d2010000d44009f8371f"
            "0f00f10b0b0054202288d2010080d2020080d2030080d2040080d2881b80d2010000d440080034e007f837f503"
            "002a160080521700a85200008092e1030091e203172a030080d2882080d2010000d4600400341f280031600500"
            "541f00156bc1feff54e00340b9167c085300180072400000541600193241018052c20ac11a43d8011b4408c11a"
            "8588011b000486520006a6720020040b0040050b0060030ba10c8f52218dae72e103be2941018052e007012900"
            "0080d2e1030091a20180d2430d80d2880880d2010000d4ff430091f702003215008012d8ffff17f77a1f128815"
            "80d2010000d4e05b0029600080d2e1030091020180d2080880d2010000d4ceffff17000080d241040010420180"
            "d2030c80d2880880d2010000d4e003162a12000014a00f805210000014a81380d2010000d4010080d20e000094"
            "600080d2280780d2010000d4600240f961220091e20314aaa81b80d2010000d4e00f80520200001400008052a8"
            "0b80d2010000d4e10300f9400080d2e1030091020080d2030180d2e81080d2010000d4c0035fd6636c65616e20"
            "7965730a"
        ),
    ),
}


class Unsupervised(Exception):
    """Why no supervisor can be had on this machine, in a sentence."""


class Supervisor:
    """The program, in memory, and the pipe on which those that were started with it report."""

    def __init__(self) -> None:
        """Raises Unsupervised: another machine, or one that runs no program from memory."""
        self._program = _in_memory(program(platform.machine()))
        self.path = f"/proc/self/fd/{self._program}"
        self.news_fd, self._reports = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        _try(self.path)

    @property
    def action(self) -> tuple[int, int, int]:
        """What posix_spawn is to do with descriptors, after everything else."""
        return (os.POSIX_SPAWN_DUP2, self._reports, REPORTS)

    def news(self) -> list[tuple[int, int]]:
        """Supervisors whose program has ended while others live: (pid, the program's exit status)."""
        with suppress(BlockingIOError):
            return list(_MESSAGE.iter_unpack(os.read(self.news_fd, 512 * _MESSAGE.size)))
        return []

    def close(self) -> None:
        """Those that live go on without reporting."""
        close_all([self._program, self.news_fd, self._reports])


def is_supervisor(pid: int, mark: str) -> bool:
    """Whether a process is the supervisor of a stage of that attempt: nothing changes its environment."""
    return mark_of(pid) == mark.encode() and program_of(pid) == NAME.encode()


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
