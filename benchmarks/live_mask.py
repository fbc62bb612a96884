"""Masking of live output, three secrets known, against one plain search for them in the same log lines.

python -m benchmarks.live_mask [--rounds 5]
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable
from statistics import median

from engine.secrets.masking import ValueMasker

SECRETS = ("hunter2-Secret", "tok/en+with=signs", "P4ssw0rd!")
LINE = b"2026-11-21 08:00:00 INFO an ordinary line of a log with some words and numbers 1234567890\n"
BLOCK = LINE * 3000
BLOCKS = 100


def main() -> None:
    """Print megabytes a second of both, interleaved, and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    plain = re.compile(b"|".join(re.escape(each.encode()) for each in SECRETS))
    figures = [(_speed(lambda block: plain.search(block)), _masked()) for _ in range(rounds)]
    floor, ours = (median(each) for each in zip(*figures, strict=True))
    print(f"one search {floor:.0f} MB/s, mask {ours:.0f} MB/s: {floor / ours:.1f} times as long")


def _masked() -> float:
    stream = ValueMasker(SECRETS).stream()
    return _speed(stream.feed)


def _speed(work: Callable[[bytes], object]) -> float:
    """Megabytes of a second of CPU."""
    began = time.process_time()
    for _ in range(BLOCKS):
        work(BLOCK)
    return BLOCKS * len(BLOCK) / 1e6 / (time.process_time() - began)


if __name__ == "__main__":
    main()
