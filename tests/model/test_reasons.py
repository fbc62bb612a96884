"""Why something waits, was skipped or was stopped: data, and a sentence for each kind in both languages."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.reason import SKIPS, Kind, Reason, written
from engine.model.reason_words import brief, sentence, sentences, words

VALUES = {
    "nodes": ["a", "b"],
    "holders": ["#1 a"],
    "on": ["a"],
    "pids": [7],
    "instances": [3],
    "names": ["x"],
    "workers": [{"name": "w", "why": {"kind": "not_registered"}}],
    "choices": ["approve"],
    "jobs": [{"name": "load", "why": {"kind": "turn"}}],
}
INTEGERS = {"instance": 5, "job_instance": 6}


def facts_of(template: str) -> set[str]:
    return set(re.findall(r"{(\w+)}", template))


def with_all_facts(kind: Kind) -> Reason:
    names = facts_of("".join(sentences()[kind]))
    return Reason(kind, {name: VALUES.get(name, INTEGERS.get(name, f"<{name}>")) for name in names})


def test_the_sentences_are_those_of_the_kinds() -> None:
    assert list(sentences()) == [str(kind) for kind in Kind]


@pytest.mark.parametrize("kind", Kind)
def test_every_kind_has_a_sentence_in_both_languages_with_all_that_is_known(kind: Kind) -> None:
    reason = with_all_facts(kind)
    said = sentences()[kind]

    assert facts_of(said.en or said.brief) <= facts_of(said.zh) | {"nodes"}
    for language in ("en", "zh"):
        answer = sentence(reason, language)
        assert not re.search(r"[{}\[\]]", answer)
        assert answer == sentence(reason, language).strip()
    assert re.search(r"[\u4e00-\u9fff]", sentences()[kind].zh) or kind in (
        Kind.TEXT,
        Kind.OF_JOBS,
        Kind.PROGRESS,
        Kind.ASKS,
    )


@pytest.mark.parametrize("kind", Kind)
def test_what_was_written_down_is_read_again(kind: Kind) -> None:
    reason = with_all_facts(kind)

    assert Reason.read(reason.to_json(), brief(reason)) == reason


@pytest.mark.parametrize("kind", sorted(SKIPS))
def test_a_skip_is_read_from_the_word_that_the_log_has(kind: Kind) -> None:
    assert written(brief(with_all_facts(kind))) == with_all_facts(kind)


def test_a_fact_that_looks_like_a_place_for_one_stays_as_it_is() -> None:
    assert words(Reason.of(Kind.ASKS, message="{rule} [x]")) == "{rule} [x]; waits for it, or for an answer"


def test_a_time_that_is_none_is_shown_as_it_is() -> None:
    def never(text: str) -> str:
        raise ValueError(text)

    assert words(Reason.of(Kind.WAIT_UNTIL, until="soon"), time=never) == "waits until soon"


@given(
    st.recursive(
        st.none() | st.integers() | st.text(),
        lambda each: (
            st.lists(each)
            | st.dictionaries(
                st.sampled_from(["kind", "nodes", "instance", "at"]),
                each | st.sampled_from([str(kind) for kind in Kind]),
            )
        ),
    )
)
def test_whatever_another_site_wrote_gives_words(tree: Any) -> None:
    reason = Reason.read(tree, "as it was written")

    assert reason is not None
    assert isinstance(sentence(reason, "zh"), str)


def test_why_each_worker_cannot_run_a_job_is_said_in_the_readers_language() -> None:
    why = Reason(Kind.NOT_REGISTERED).to_json()
    reason = Reason.of(Kind.NO_WORKER, names=["a (not registered)"], workers=[{"name": "a", "why": why}])

    assert words(reason) == "no worker is there to run it: a (not registered)"
    assert words(reason, "zh") == "没有可用的执行主机：a（未登记）"
    assert words(Reason.of(Kind.NO_WORKER, names=["a"]), "zh") == "没有可用的执行主机：a"
