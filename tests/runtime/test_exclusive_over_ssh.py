"""Exclusive jobs on SSH hosts: whatever else is to run there, nothing ever runs beside one."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.effort import effort
from tests.runtime.site import Site, shell, task
from tests.runtime.ssh_site import ssh_site
from tests.servers.ssh_workers import Sshd

NAMES = ("a", "b", "c")
# A folder for each worker, in which each job has a file as long as it runs.
SEEN = """\
here={folder}/$(basename "$(dirname "$SKERRY_JOB_DIR")")
mkdir -p $here
: > $here/{kind}.$$
if [ {kind} = alone ]; then [ "$(ls $here)" = alone.$$ ]; else [ -z "$(ls $here | grep alone)" ]; fi || echo {kind} >> {folder}/wrong
sleep 0.0{pause}
rm $here/{kind}.$$
"""


def test_exclusive_jobs_never_overlap_with_anything_on_their_worker(
    make_site: Callable[..., Site], ssh_workers: Sshd, tmp_path: Path
) -> None:
    # given random jobs, a fifth of them exclusive, on one, two or any of three workers
    dice, count, nodes = random.Random(17), effort(90, all=500), dict[str, Any]()
    for number in range(count):
        alone = dice.random() < 0.2
        text = SEEN.format(folder=tmp_path, kind="alone" if alone else "plain", pause=dice.randint(0, 9))
        on: dict[str, Any] = {"workers": sorted(dice.sample(NAMES, dice.randint(1, 3))), "exclusive": alone}
        nodes[f"n{number}"] = shell(text, on=on, priority=dice.randint(0, 3))

    # when all of them want to run at once
    site = make_site()
    with ssh_site(site, ssh_workers, tmp_path / "remote") as workers:
        for name in NAMES:
            workers.add(name)
        seen = site.run(task(nodes))
        attempts = [len(each.attempts) for each in seen.latest]
        site.close()

    # then each has run once, on one of its workers, and none has seen what it may not
    assert seen.status == "succeeded"
    assert not (tmp_path / "wrong").exists()
    assert attempts == [1] * count
    assert all(each.row.worker in nodes[each.node]["on"]["workers"] for each in seen.latest)
    assert Counter(each.row.worker for each in seen.latest).keys() == set(NAMES)
