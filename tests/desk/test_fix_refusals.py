"""Fixes that are not to be trusted or do not fit are refused with the reason, and change nothing."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from app import wiring
from engine.api.documents import RunRequest
from engine.api.local import LocalService
from engine.context.tree import with_texts
from engine.definitions.writer import dump
from engine.model.errors import SkerryError
from engine.runtime.clock import SystemClock
from export_import.container import BundleWriter
from export_import.desk.evidence import Evidence
from export_import.fix.applying import apply, read_receipt
from export_import.fix.building import FixSource, Repair, make_fix, write_fix
from export_import.fix.checking import open_fix
from export_import.fix.fix_content import PLAN, Fix, FixDefinition, FixValue, RerunPlan, read_fix
from export_import.fix.site_snapshot import same, unmasked
from export_import.keys import Keys
from tests.desk.conftest import REPAIR
from tests.runtime.site import Site

CLOCK = SystemClock()
LIMIT = "$.TASK.PARAMS['limit']"


class Bench:
    """A site with a failed run, a supporter's key, and a fix for it."""

    def __init__(self, site: Site, desk: Path) -> None:
        desk.mkdir()
        self.site, self.folder = site, desk
        self.service = LocalService(site.engine, "operator")
        self.service.load([{"name": "repair.yaml", "text": REPAIR.read_text()}])
        self.instance = self.service.run(RunRequest("nightly"))
        site.engine.wait(self.instance, 60)
        self.at_site, self.at_desk = Keys(site.root, CLOCK), Keys(desk, CLOCK)
        self.at_site.trust(self.at_desk.card("support"), roles=("support", "author"))
        self.before = self.state()

    def fix(self, **keys: Any) -> Fix:
        """One that fits, but for what is said."""
        repair = Repair("t", "letter", self.instance, {}, {LIMIT: 30}, rerun=RerunPlan("failed"))
        with Evidence.open(self.site.root) as evidence:
            source = FixSource.of(self.site.root)
            made = make_fix(evidence, source, repair, CLOCK, wiring.installed_types())
        return dataclasses.replace(made, **keys)

    def write(self, fix: Fix, keys: Keys | None = None, name: str = "fix") -> Path:
        """The bundle, as a folder."""
        return write_fix(fix, self.folder / name, keys or self.at_desk, CLOCK)

    def apply(self, path: Path) -> Any:
        """At the site."""
        return apply(
            open_fix([path], self.at_site, CLOCK), self.service, self.site.engine.store, self.at_site, CLOCK
        )

    def state(self) -> Any:
        """Everything that must not change."""
        store = self.site.engine.store
        rows = [store.instance(self.instance), store.setting("amendments")]
        return dump(store.raw_definitions()), list(store.lines(self.instance)), rows

    def refused(self, path: Path) -> int:
        """The code of the refusal; nothing was changed."""
        with pytest.raises(SkerryError) as caught:
            self.apply(path)
        assert self.state() == self.before
        return caught.value.code


@pytest.fixture
def bench(site: Site, tmp_path: Path) -> Bench:
    return Bench(site, tmp_path / "desk")


def test_a_fix_that_fits_is_applied(bench: Bench) -> None:
    applied = bench.apply(bench.write(bench.fix()))

    bench.site.engine.wait(bench.instance, 60)
    assert applied.run == 2
    assert bench.site.see(bench.instance).status == "succeeded"


def test_it_is_refused_without_a_signature(bench: Bench) -> None:
    path = bench.write(bench.fix())
    (path / "BUNDLE.json.sig").unlink()

    assert bench.refused(path) in (-15001001000, -15001002000)


def test_it_is_refused_from_a_key_that_is_not_trusted(bench: Bench, tmp_path: Path) -> None:
    stranger = tmp_path / "stranger"
    stranger.mkdir()

    assert bench.refused(bench.write(bench.fix(), Keys(stranger, CLOCK))) == -15001001000


def test_it_is_refused_when_any_byte_was_changed(bench: Bench) -> None:
    path = bench.write(bench.fix())
    for file in sorted(path.iterdir()):
        if file.name in ("README.txt", "BUNDLE.json.sig"):  # a line end within the armour says nothing
            continue
        whole = file.read_bytes()
        for at in range(0, len(whole), max(len(whole) // 7, 1)):
            file.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
            assert bench.refused(path) < 0
        file.write_bytes(whole)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda fix: {"expires": (datetime.now(UTC) - timedelta(hours=1)).isoformat()}, -15021004000),
        (lambda fix: {"expires": "tomorrow"}, -15021002000),
        (lambda fix: {"site": "SHA256:another"}, -15021005000),
        (lambda fix: {"site": None}, -15021005000),
        (lambda fix: {"target": dataclasses.replace(fix.target, instance=99)}, -15021005000),
        (lambda fix: {"target": dataclasses.replace(fix.target, task="weekly")}, -15021005000),
        (lambda fix: {"target": dataclasses.replace(fix.target, seq=3)}, -15021007000),
        (lambda fix: {"target": dataclasses.replace(fix.target, run=2)}, -15021007000),
        (lambda fix: {"target": dataclasses.replace(fix.target, time="2020")}, -15021007000),
        (lambda fix: {"target": dataclasses.replace(fix.target, site_hash="0" * 64)}, -15021007000),
        (lambda fix: {"target": dataclasses.replace(fix.target, definitions_hash="0" * 64)}, -15021007000),
        (lambda fix: {"target": dataclasses.replace(fix.target, site_hash=None)}, -15021007000),
        (lambda fix: {"target": dataclasses.replace(fix.target, definitions_hash=None)}, -15021007000),
        (lambda fix: {"expires": "9999-12-31T23:59:59+00:00"}, -15021004000),
        (lambda fix: {"expires": "9999-12-31T23:59:59-12:00"}, -15021004000),
        (lambda fix: {"id": "../../../x"}, -15021002000),
        (lambda fix: {"values": fix.values * 2}, -15021002000),
        (lambda fix: {"values": (FixValue(LIMIT, "******", 30, "why"),)}, -15021007000),
        (lambda fix: {"target": None}, -15021002000),
        (lambda fix: {"values": (FixValue(LIMIT, 11, 30, "why"),)}, -15021007000),
        (lambda fix: {"values": (FixValue("$.JOB['x'].RESULT['y']", 1, 2, "why"),)}, -15021007000),
        (lambda fix: {"definitions": (FixDefinition("task", "nightly", None, {"nodes": {}}),)}, -15021007000),
        (lambda fix: {"definitions": (FixDefinition("task", "nightly", "******", {"nodes": {}}),)}, -15021007000),
        (lambda fix: {"definitions": (FixDefinition("job", "x", "******", {"nodes": {}}),)}, -15021007000),
        (lambda fix: {"definitions": (FixDefinition("job", "x", None, {"type": "shell", "process": "true"}),) * 2},
         -15021002000),
        (lambda fix: {"definitions": (FixDefinition("job", "x", None, {"type": "none"}),)}, None),
        (lambda fix: {"definitions": (FixDefinition("job", "x", None, {"type": "shell", "process": "******"}),)},
         -15021008000),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(
    bench: Bench, change: Callable[[Fix], dict[str, Any]], code: int | None
) -> None:
    fix = bench.fix()

    found = bench.refused(bench.write(dataclasses.replace(fix, **change(fix))))

    assert code is None or found == code


@pytest.mark.parametrize(("ahead", "fits"), [(timedelta(hours=20), True), (timedelta(days=3), False)])
def test_it_is_refused_where_the_clock_is_far_behind(bench: Bench, ahead: timedelta, fits: bool) -> None:
    moment = (CLOCK.now() + ahead).isoformat(timespec="seconds")
    path = bench.write(bench.fix(made_at=moment))

    assert fits or bench.refused(path) == -15021004000
    assert not fits or bench.apply(path).run == 2


def test_it_is_refused_when_the_site_has_changed_since(bench: Bench) -> None:
    row = bench.site.engine.store.definition("task", "nightly")
    assert row is not None
    new = {**row.content, "name": "Another"}
    path = bench.write(bench.fix(definitions=(FixDefinition("task", "nightly", row.content, new),)))
    bench.service.load([{"name": "r", "text": REPAIR.read_text().replace("Nightly load", "By another")}])
    bench.before = bench.state()

    assert bench.refused(path) == -15021007000


def test_it_is_refused_while_the_instance_runs_again(bench: Bench) -> None:
    from engine.api.documents import Rerun

    path = bench.write(bench.fix())
    bench.service.rerun([Rerun(bench.instance, "failed")])
    bench.site.engine.wait(bench.instance, 60)
    bench.before = bench.state()

    assert bench.refused(path) == -15021007000


def test_another_kind_of_bundle_is_no_fix(bench: Bench) -> None:
    target = bench.folder / "other"
    with BundleWriter(target, kind="delivery", clock=CLOCK, keys=bench.at_desk) as writer:
        writer.add(PLAN, [b"{}"])
        writer.finish()
    empty = bench.folder / "empty"
    with BundleWriter(empty, kind="fix", clock=CLOCK, keys=bench.at_desk) as writer:
        writer.finish()

    assert bench.refused(target) == bench.refused(empty) == -15021002000
    with pytest.raises(SkerryError):
        read_receipt(open_fix([bench.write(bench.fix())], bench.at_site, CLOCK).bundle)


@pytest.mark.parametrize(
    "change",
    [
        {"format": "skerry-fix/2"}, {"target": {}}, {"values": [{}]}, {"values": 3}, {"rerun": {"mode": "some"}},
        {"title": 3}, {"definitions": [{"kind": "virus", "id": "x", "was": None, "content": {}}]}, {"more": 1},
        {"definitions": [{"kind": "task", "id": "x", "was": None, "content": None}]},
        {"rerun": {"mode": "boil", "nodes": [], "with_upstream": False, "current": False}},
        {"rerun": {"mode": "all", "nodes": [3], "with_upstream": False, "current": False}},
    ],
)  # fmt: skip
def test_a_plan_of_another_form_is_refused(bench: Bench, change: dict[str, Any]) -> None:
    tree = {**bench.fix().to_json(), **change}

    with pytest.raises(SkerryError) as caught:
        read_fix(json.dumps(tree).encode())

    assert caught.value.code == -15021002000


def test_names_are_translated_and_masked_parts_stay_as_the_site_has_them() -> None:
    was = {"url": "https://host-1a2b/x", "key": "token=******;", "list": ["a"]}
    now = {"url": "https://db.harbour/x", "key": "token=s3cret;", "list": ["a"]}

    def translate(text: str) -> str:
        return text.replace("host-1a2b", "db.harbour")

    assert same(with_texts({**was, "key": "token=s3cret;"}, translate), now)
    assert not same(was, now)
    assert not same({"a": 1}, {"a": True})
    assert unmasked({**was, "list": ["b"]}, was, now) == {**was, "key": "token=s3cret;", "list": ["b"]}
    for wrong in ({"other": "token=******;"}, {"key": "******"}, {"list": ["******"]}):
        with pytest.raises(SkerryError):
            unmasked(wrong, was, now)
