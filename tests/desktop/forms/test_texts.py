"""Every text of the forms' tables has its Chinese, also where it is a single word."""

from __future__ import annotations

from collections.abc import Iterator

from app import wiring
from app.desktop.design.forms import dependency_fields, key_words, schedule_fields
from app.desktop.design.forms.kinds import schedule, specs
from app.desktop.design.forms.labels import title
from app.desktop.design.picker import condition_rows, date_builder, source_tree, sources
from app.texts import catalogue
from engine.plugins.shapes import key_rows


def tables() -> Iterator[str]:
    """The texts in tables."""
    keys = (*key_words.NAMING, *key_words.NODE, *key_words.ON, *key_words.JOB, *key_words.TASK, key_words.URI)
    keys += (schedule_fields.LEVEL, *schedule_fields.KEYS.values(), *schedule_fields.COMMON)
    keys += (dependency_fields.UPSTREAM, *dependency_fields.KEYS, dependency_fields.ADDING)
    yield from (*dependency_fields.WINDOW_WORDS.values(), dependency_fields.OF_SELF, dependency_fields.ITSELF)
    yield from key_words.GROUPS.values()
    for key in keys:
        yield from (key.label, key.help)
        yield from (words for _, words in key.choices if isinstance(words, str))
    yield from (words for words, _ in sources._TASK_WORDS.values())
    yield from (words for words, _, _ in sources._JOB_WORDS.values())
    yield from (*condition_rows.WORDS.values(), *condition_rows.JOINS)
    yield from (words for _, words in (*date_builder.UNITS, *specs.KINDS, *schedule.ON_DAYS_OFF))
    yield from source_tree._KINDS.values()


def test_every_text_of_the_tables_has_its_chinese() -> None:
    assert sorted({each for each in tables() if each and each not in catalogue("zh")}) == []


def keys_of_types() -> Iterator[tuple[str, str]]:
    """Each key of each installed type, as type and key."""
    types = wiring.installed_types()
    for job in types.job_types.values():
        yield from ((job.kind, row.name) for row in key_rows(job.keys))
    for each in types.resource_types.values():
        models = (each.check_keys, each.request_keys)
        yield from ((each.kind, row.name) for model in models for row in key_rows(model))


def test_every_key_of_every_type_is_called_something_in_both_languages() -> None:
    titles = {(kind, name): title(name, kind) for kind, name in keys_of_types()}

    assert len(titles) > 60
    english = {key: words if isinstance(words, str) else words[0] for key, words in titles.items()}
    assert {key for key, text in english.items() if text == key[1]} == set()
    assert {text for text in english.values() if text not in catalogue("zh")} == {"JSON", "SHA-256"}


def test_a_value_that_people_type_in_is_not_called_what_a_condition_decides_by() -> None:
    assert title("value", "approve") != title("value", "condition")
