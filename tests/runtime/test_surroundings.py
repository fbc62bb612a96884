"""What the programs of a job find around them: the environment, and the folder that they start in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.model.codes.processes import NO_WORKING_DIR
from engine.model.codes.runtime import MEMBER_FAILED
from tests.runtime.site import Gate, Site, task

HEAD = "skerry: 1\n"


def printed(site: Site, text: str, node: str = "a", **given: object) -> str:
    """What a node of the last task of ``text`` printed."""
    seen = site.run(HEAD + text, **given)
    seen.assert_replays()
    return seen[node].log


def test_a_parameter_of_the_task_is_in_the_environment_of_every_program(site: Site) -> None:
    text = """
tasks:
  t:
    params: {A: harbour, n: 7, empty: null, two-words: no, hidden: {value: x, secret: true}}
    nodes:
      a: {type: shell, process: 'echo "[$A][$n][${empty-unset}][${hidden-unset}]"'}
      b: {type: python, process: "import os; print(os.environ['A'], 'two-words' in os.environ)"}
"""
    seen = site.run(HEAD + text)

    assert seen["a"].log == "[harbour][7][unset][unset]\n"
    assert seen["b"].log == "harbour False\n"
    assert json.loads((seen["a"].folder / "inputs" / "params.json").read_text()) == {}


def test_a_typed_secret_reaches_no_program_that_was_not_given_it(site: Site) -> None:
    text = """
tasks:
  t:
    params: {key: {secret: true}}
    nodes: {a: {type: shell, process: 'echo "[${key-unset}]"'}}
"""
    assert printed(site, text, texts={"key": "canary"}) == "[unset]\n"


def test_the_nearest_one_wins_name_by_name(site: Site) -> None:
    text = """
jobs:
  show:
    type: shell
    env: {B: job, C: job, E: job}
    params: {E: {value: parameter}}
    process: 'echo "$A $B $C $D $E"'
tasks:
  t:
    params: {D: parameter of the task, A: hidden}
    env: {A: task, B: task, C: task}
    nodes: {a: {job: show, env: {C: node}}}
"""
    assert printed(site, text) == "task job node parameter of the task parameter\n"


def test_variables_are_expressions_of_the_job_and_what_they_read_is_in_the_log(site: Site) -> None:
    text = """
tasks:
  t:
    nodes:
      a: {type: shell, process: 'printf quay > "$SKERRY_OUTPUTS/place"', results: {place: {}}}
      b:
        type: shell
        after: [a]
        env: {PLACE: "at {$.JOB['a'].RESULT['place']}", LIST: [1, 2]}
        process: 'echo "$PLACE $LIST"'
"""
    seen = site.run(HEAD + text)

    assert seen["b"].log == "at quay [1,2]\n"
    noted = [each for each in seen.lines if each.get("why") == "env.PLACE"]
    assert [(each["value"], each["expression"]) for each in noted] == [
        ("at quay", "at {$.JOB['a'].RESULT['place']}")
    ]


def test_a_variable_without_a_value_is_taken_away(site: Site) -> None:
    text = "tasks: {t: {env: {HOME: null, PATH: /opt/own}, nodes: {a: {type: shell, process: 'echo $PATH ${HOME-none}'}}}}"

    assert printed(site, text) == "/opt/own none\n"


def test_members_of_a_group_and_every_stage_find_the_same_around_them(site: Site, tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    text = f"""
tasks:
  t:
    env: {{A: task}}
    working_dir: {tmp_path}/here
    nodes:
      a:
        type: group
        env: {{B: group}}
        jobs:
          - type: shell
            env: {{C: member}}
            ready: 'echo "ready $A $B $C $PWD"'
            process: 'echo "process $A $B $C $PWD"'
            end: |
              #!/bin/bash
              echo "end $A $B $C $PWD"
"""
    around = f"task group member {tmp_path}/here"

    log = printed(site, text, node="a.0")

    assert log == f"ready {around}\nprocess {around}\nend {around}\n"


def test_a_program_starts_in_the_folder_and_leaves_its_outputs_where_they_belong(
    site: Site, tmp_path: Path
) -> None:
    folder = tmp_path / "work here"
    folder.mkdir()
    (folder / "run.sh").write_text("#!/bin/sh\npwd\n")
    (folder / "run.sh").chmod(0o700)
    text = f"""
tasks:
  t:
    params: {{where: "{folder}"}}
    nodes:
      a: {{type: command, working_dir: "{{$.TASK.PARAMS['where']}}", argv: [./run.sh]}}
      b:
        type: python
        working_dir: {folder}
        process: |
          import os
          open(os.environ["SKERRY_OUTPUTS"] + "/got", "w").write(os.getcwd())
        results: {{got: {{}}}}
"""
    seen = site.run(HEAD + text)

    assert seen["a"].log == f"{folder}\n"
    assert seen["b"].results["got"] == str(folder)


@pytest.mark.parametrize("folder", ["/no/such/folder", "/etc/hostname", "{$.TASK.PARAMS['where']}"])
def test_a_folder_that_is_not_there_fails_the_job_with_its_code(site: Site, folder: str) -> None:
    text = f"""
tasks: {{t: {{params: {{where: relative}}, nodes: {{a: {{type: shell, working_dir: "{folder}", process: pwd}}}}}}}}
"""
    seen = site.run(HEAD + text)

    assert (str(seen["a"].status), seen["a"].error_code) == ("failed", NO_WORKING_DIR.number)


def test_an_attempt_that_the_next_engine_takes_up_ends_with_the_same_around_it(
    site: Site, tmp_path: Path
) -> None:
    gate = Gate(tmp_path / "gate")
    tree = task(
        {
            "a": {
                "type": "shell",
                "env": {"B": "two"},
                "process": gate.script(then='echo "$A"'),
                "end": 'echo "$A $B"',
            }
        },
        params={"A": "one"},
    )
    instance = site.begin(tree)
    gate.until_up()

    site.again()
    gate.open()

    assert site.end(instance)["a"].log == "one\none two\n"


def test_defaults_are_for_what_a_job_does_not_say(site: Site) -> None:
    text = """
jobs:
  once: {type: shell, process: exit 3, retry: {times: 0}}
tasks:
  t:
    defaults: {retry: {times: 2}, timeout: 1m}
    nodes:
      a: {type: shell, process: exit 3}
      b: {job: once}
      c: {type: group, jobs: [{type: shell, process: exit 3}]}
"""
    seen = site.run(HEAD + text)

    assert [len(seen[node].attempts) for node in ("a", "b", "c")] == [3, 1, 3]
    assert seen["c"].error_code == MEMBER_FAILED.number


def test_only_the_named_exit_statuses_are_tried_again(site: Site) -> None:
    text = """
tasks:
  t:
    nodes:
      a: {type: shell, process: exit 3, retry: {times: 1, exit: [3, 7]}}
      b: {type: shell, process: exit 4, retry: {times: 1, exit: [3, 7]}}
      c: {type: shell, process: exit 7, success: false, retry: {times: 1, exit: [3, 7]}}
      d: {type: shell, process: exit 4, retry: {times: 1, exit: [3], on: [-11000001004]}}
"""
    seen = site.run(HEAD + text)

    assert [len(seen[node].attempts) for node in "abcd"] == [2, 1, 2, 2]
