"""Every resource type that the scan finds keeps the rules."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import resources
from engine.plugins.registry import resource_types
from engine.plugins.resource_type import CheckResult, ResolvedResource, ResourceType
from engine.testing import resource_breaches, resource_conforms, sub_domains
from tests.texts.test_type_pages import Pier

TYPES = {each.kind: each for each in resource_types(resources).values()}
HERE = Path(__file__).parent


@pytest.mark.parametrize("kind", TYPES)
def test_every_resource_type_keeps_the_rules(kind: str) -> None:
    resource_conforms(TYPES[kind])


@pytest.mark.parametrize("kind", TYPES)
def test_every_resource_type_has_a_test_of_its_own(kind: str) -> None:
    name = type(TYPES[kind]).__name__
    tests = [file for file in HERE.glob("test_*.py") if file != Path(__file__)]

    assert any(re.search(rf"\b{name}\b", file.read_text("utf-8")) for file in tests), (
        f"say in a test below {HERE} how {name} is checked and asked, and how that fails"
    )


def test_no_two_resource_types_share_a_sub_domain() -> None:
    found = [(kind, number) for kind, each in TYPES.items() for number in sub_domains(each.codes)]

    assert len({number for _, number in found}) == len(found), found


class Mistaken(Pier):
    """A type with a mistake of every sort."""

    label = ("Pier", "")
    meanings: Mapping[str, tuple[str, str]] = {"height": ("Metres.", "米。")}
    example = "type: bridge\n"

    def check(self, resource: ResolvedResource, on_cancel: Any = None) -> CheckResult:
        return CheckResult(True, "fine")


@pytest.mark.parametrize(
    "said", ["label", "not of domain 30", "meaning of 'depth'", "'height'", "does not begin", "the example:"]
)
def test_the_suite_names_each_mistake(said: str) -> None:
    mistaken: ResourceType = Mistaken()

    assert any(said in breach for breach in resource_breaches(mistaken))
    with pytest.raises(AssertionError, match="pier"):
        resource_conforms(mistaken)
