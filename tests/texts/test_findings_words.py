"""What is wrong with a definition can be said in Chinese: each sentence and each part of it has its template."""

from __future__ import annotations

from collections.abc import Iterator

from app import wiring
from app.texts import catalogue
from engine.api.documents import Source
from engine.api.examine import examine
from engine.model.message import Message

_WRONG = """\
skerry: 1
project: [no]
resources:
  store: {type: databse}
jobs:
  load: {type: shell, process: 5, timeuot: 3s, params: {mode: {choices: [a, b], default: c}}}
  fetch: {job: load, type: shell}
tasks:
  nightly:
    schedule: {level: dayly, time: "25:00"}
    nodes:
      a: {job: laod, after: [b]}
      b: {job: load, after: [a, x], params: {mode: 3}}
    depends_on: soon
rules: {}
errors: {oops: 3}
"""


def test_everything_that_is_found_wrong_with_a_definition_has_its_chinese() -> None:
    findings = examine(
        [Source(name="a.yaml", text=_WRONG)], wiring.job_types(), wiring.resource_types()
    ).findings

    said = {template for finding in findings for template in _templates(finding.message)}
    assert len(findings) > 8
    assert said - catalogue("zh", "failures*").keys() == set()


def test_a_finding_keeps_its_facts_beside_its_english() -> None:
    [finding] = examine([Source(name="a.yaml", text="skerry: 1\njbos: {}\n")], {}, {}).findings

    assert isinstance(finding.message, Message)
    assert finding.message.template == "unknown key `{name}`{hint}"
    assert finding.message == "unknown key `jbos`; did you mean `jobs`?"


def _templates(message: object) -> Iterator[str]:
    if isinstance(message, Message):
        yield message.template
        for fact in message.facts.values():
            yield from _templates(fact)
