"""An engine that is killed around a pause: a sub-task begins nothing before its parent goes on."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests import commands
from tests.cli.test_whole import Site
from tests.waiting import until

TREE = f"""\
skerry: 1
tasks:
  leaf:
    params: {{dir: {{required: true}}}}
    nodes:
      hold:
        type: shell
        params: &p {{dir: "$.TASK.PARAMS['dir']"}}
        process: 'touch "${{dir}}/up"; while [ -d /proc/{os.getpid()} ] && [ ! -e "${{dir}}/go" ]; do sleep 0.05; done'
      done: {{type: shell, after: [hold], params: *p, process: 'echo begun >> "${{dir}}/begun"'}}
  mid: {{params: &d {{dir: {{required: true}}}}, nodes: {{s: {{type: task, task: leaf, params: *p}}}}}}
  top: {{params: *d, nodes: {{s: {{type: task, task: mid, params: *p}}}}}}
"""


@contextmanager
def _engine(site: Site) -> Iterator[subprocess.Popen[str]]:
    with site.begun("serve") as engine:
        assert engine.stdout is not None
        assert engine.stdout.readline() == "ready\n"
        yield engine


def test_what_was_paused_with_its_parent_is_held_by_every_later_engine(tmp_path: Path) -> None:
    # given a sub-task two levels down whose first job runs, and an engine that dies right after the pause
    site = Site(tmp_path)
    site.file.write_text(TREE)
    with _engine(site) as engine:
        top = str(
            site("run", str(site.file), "--task", "top", "-p", f"dir={site.gate}", "--detach")["instance"]
        )
        site.until_held()
        mid = str(site("show", top)["jobs"][0]["results"]["instance"])
        low = str(site("show", mid)["jobs"][0]["results"]["instance"])
        answer = site("pause", top, "--reason", "the file is late")
        commands.kill(engine)
    site.open()

    # then without an engine, and under the next one, the child says who paused it with its parent
    why = f"paused with instance {top}, {answer['reason']}"
    assert site("show", low)["reason"] == why
    with _engine(site) as engine:
        shown = until(lambda: (d := site("show", low))["jobs"][0]["status"] == "succeeded" and d)
        assert (shown["status"], shown["reason"]) == ("paused", why)
        waits = shown["jobs"][1]
        assert (waits["status"], waits["reason"]) == ("pending", f"the instance is {why}")
        assert not (site.gate / "begun").exists()

        # when it is resumed and that engine dies as well, then the next one goes on with all of them, once
        site("resume", top)
        commands.kill(engine)
    with _engine(site) as engine:
        until(lambda: site("show", top)["status"] == "succeeded")
        engine.terminate()
        assert engine.wait(60) == 0
    assert [site("show", each)["status"] for each in (mid, low)] == ["succeeded"] * 2
    assert (site.gate / "begun").read_text() == "begun\n"
