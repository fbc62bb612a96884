"""Keys: made at first use, exchanged, replaced and revoked."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from engine.model.codes import bundles as codes
from engine.model.errors import Invalid, SkerryError
from export_import.container import BundleWriter, open_bundle
from export_import.key_cards import card_bytes
from export_import.keys import Keys
from tests.bundles.conftest import CLOCK
from tests.bundles.killing import killed_at
from tests.servers.private import program


def keys_at(path: Path) -> Keys:
    path.mkdir(exist_ok=True)
    return Keys(path, CLOCK)


@pytest.fixture
def vendor(tmp_path: Path) -> Keys:
    return keys_at(tmp_path / "vendor")


def signed(path: Path, keys: Keys) -> Path:
    with BundleWriter(path, kind="fix", keys=keys, clock=CLOCK) as writer:
        writer.add("x", [b"x"])
        return writer.finish()


def test_keys_are_made_once_and_are_private(tmp_path: Path) -> None:
    keys = keys_at(tmp_path / "site")
    assert not (tmp_path / "site" / "keys").exists()
    with ThreadPoolExecutor(4) as pool:
        prints = set(pool.map(lambda _: keys_at(tmp_path / "site").fingerprint, range(8)))
    assert prints == {keys.fingerprint}
    for each in keys.folder.iterdir():
        assert each.stat().st_mode & 0o777 == 0o600


def test_the_fingerprint_is_the_one_that_openssh_shows(tmp_path: Path) -> None:
    keys = keys_at(tmp_path / "site")
    public = tmp_path / "key.pub"
    public.write_text(keys.public + "\n")
    openssh = program("ssh-keygen", "openssh-client")
    output = subprocess.run([openssh, "-l", "-f", str(public)], capture_output=True, text=True, check=True)
    assert keys.fingerprint in output.stdout
    private = subprocess.run(
        [openssh, "-y", "-f", str(keys.folder / "signing")], capture_output=True, text=True
    )
    assert private.stdout.split()[:2] == keys.public.split()


def test_a_card_makes_its_bundles_known(tmp_path: Path, keys: Keys, vendor: Keys) -> None:
    path = signed(tmp_path / "out", vendor)
    assert open_bundle([path], keys, clock=CLOCK).trust == "unknown"
    trusted = keys.trust(vendor.card("Vendor Ltd"), roles=("support",))
    assert (trusted.name, trusted.id) == ("Vendor Ltd", vendor.fingerprint)
    assert open_bundle([path], keys, clock=CLOCK, must_be_trusted=True).trust == "known"
    assert keys.recipient_for("Vendor Ltd") == vendor.recipient == keys.recipient_for(vendor.fingerprint)


def test_a_revoked_key_is_never_believed_again(tmp_path: Path, keys: Keys, vendor: Keys) -> None:
    card = vendor.card("Vendor")
    keys.trust(card, roles=("support",))
    keys.revoke("Vendor", "stolen")
    path = signed(tmp_path / "out", vendor)
    assert open_bundle([path], keys, clock=CLOCK).trust == "revoked"
    with pytest.raises(SkerryError) as refused:
        open_bundle([path], keys, clock=CLOCK, must_be_trusted=True)
    assert refused.value.entry is codes.REVOKED
    for again in (lambda: keys.trust(card, roles=("support",)), lambda: keys.recipient_for("Vendor")):
        with pytest.raises(Invalid) as taken:
            again()
        assert taken.value.entry is codes.KEY_TAKEN


def test_a_rotated_key_follows_by_the_word_of_the_old_one(tmp_path: Path, keys: Keys, vendor: Keys) -> None:
    keys.trust(vendor.card("Vendor"), roles=("support",))
    before, sealed_to = vendor.fingerprint, vendor.recipient
    old = signed(tmp_path / "old", vendor)
    with BundleWriter(
        tmp_path / "sealed", kind="receipt", keys=keys, recipients=[sealed_to], clock=CLOCK
    ) as writer:
        writer.add("x", [b"x"])
        writer.finish()

    card = vendor.rotate()

    assert vendor.fingerprint != before
    added = keys.trust(card)
    assert added.name == "Vendor"
    assert next(each for each in keys.trusted() if each.id == before).replaced_by == added.id
    assert keys.recipient_for("Vendor") == vendor.recipient != sealed_to
    assert open_bundle([signed(tmp_path / "new", vendor)], keys, clock=CLOCK).trust == "known"
    assert open_bundle([old], keys, clock=CLOCK).trust == "known"
    assert open_bundle([old], vendor, clock=CLOCK).trust == "known"
    assert open_bundle([tmp_path / "sealed"], keys_at(tmp_path / "vendor"), clock=CLOCK).read("x") == b"x"


def test_a_name_revokes_a_key_and_those_that_it_replaced_a_fingerprint_only_one(
    tmp_path: Path, keys: Keys, vendor: Keys
) -> None:
    first = keys.trust(vendor.card("Vendor"), roles=("support",)).id
    old = signed(tmp_path / "old", vendor)
    second = keys.trust(vendor.rotate()).id
    new = signed(tmp_path / "new", vendor)

    assert keys.revoke(first, "stolen").id == first
    trust = [open_bundle([path], keys, clock=CLOCK).trust for path in (old, new)]
    assert trust == ["revoked", "known"]

    third = keys.trust(vendor.rotate()).id
    newest = signed(tmp_path / "newest", vendor)
    assert keys.revoke("Vendor", "stolen again").id == third
    assert {each.id for each in keys.trusted() if each.revoked_at} == {first, second, third}
    assert next(each for each in keys.trusted() if each.id == first).reason == "stolen"
    trust = [open_bundle([path], keys, clock=CLOCK).trust for path in (old, new, newest)]
    assert trust == ["revoked"] * 3


def test_a_key_without_a_name_is_called_by_its_own_fingerprint_also_after_a_rotation(
    keys: Keys, vendor: Keys
) -> None:
    assert keys.trust(vendor.card(), roles=("support",)).name == vendor.fingerprint
    assert keys.trust(vendor.rotate()).name == vendor.fingerprint


def test_a_rotated_key_follows_also_when_it_is_given_another_name(keys: Keys, vendor: Keys) -> None:
    before = keys.trust(vendor.card("Vendor"), roles=("support",)).id
    vendor.rotate()

    added = keys.trust(vendor.card("Vendor of another name"), None)

    assert vendor.name == "Vendor of another name"
    assert added.name == "Vendor"
    assert next(each for each in keys.trusted() if each.id == before).replaced_by == added.id


def test_killed_at_any_step_a_rotation_leaves_whole_keys_of_which_none_is_lost(tmp_path: Path) -> None:
    vendor = keys_at(tmp_path / "vendor")
    vendor.card("Vendor")
    before, sealed_to = vendor.fingerprint, vendor.recipient
    seen = set()
    for number in range(1000):
        place = shutil.copytree(tmp_path / "vendor", tmp_path / f"killed-{number}")
        ended = killed_at(number, lambda place=place: keys_at(place).rotate())  # type: ignore[misc]
        here = keys_at(place)
        assert here.name == "Vendor"
        here.sign("x", b"y")
        followed = json.loads(here.card())["follows"]
        assert (here.fingerprint == before) is (followed is None)
        assert here.is_own(before)
        assert any(
            str(each.to_public()) == sealed_to for each in here.identities() if hasattr(each, "to_public")
        )
        assert keys_at(place).rotate()
        seen.add(followed is None)
        if ended:
            break
    assert number > 12
    assert seen == {False, True}


def test_a_stranger_cannot_take_a_name_over(tmp_path: Path, keys: Keys, vendor: Keys) -> None:
    keys.trust(vendor.card("Vendor"), roles=("support",))
    stranger = keys_at(tmp_path / "stranger")
    card = json.loads(stranger.card("Vendor"))
    with pytest.raises(Invalid):
        keys.trust(stranger.card("Vendor"), roles=("support",))
    forged = {**card, "follows": {"signing": vendor.public, "proof": card["proof"]}}
    with pytest.raises(Invalid):
        keys.trust(json.dumps(forged).encode())


@pytest.mark.parametrize("field", ["name", "encryption", "signing", "created", "proof"])
def test_a_changed_card_is_refused(tmp_path: Path, keys: Keys, vendor: Keys, field: str) -> None:
    other = keys_at(tmp_path / "other")
    card, theirs = json.loads(vendor.card("Vendor")), json.loads(other.card("Other"))
    with pytest.raises(Invalid) as refused:
        keys.trust(json.dumps({**card, field: theirs[field] + ("x" if field == "created" else "")}).encode())
    assert refused.value.entry is codes.KEY_TEXT


@pytest.mark.parametrize(
    "text",
    ["", "x", "{}", "[]", "age1xyz", "ssh-ed25519 AAAA", "ssh-rsa AAAA x", '{"skerry_key":1}', "-----BEGIN OPENSSH PRIVATE KEY-----",
     "AGE-SECRET-KEY-1QQQ", '{"skerry_key":1,"name":1,"created":1,"signing":1,"encryption":1,"proof":1,"follows":1}'],
)  # fmt: skip
def test_what_is_no_key_is_refused(keys: Keys, text: str) -> None:
    with pytest.raises(Invalid) as refused:
        keys.trust(text.encode(), "name")
    assert refused.value.entry is codes.KEY_TEXT


def test_what_is_no_plain_file_of_a_cards_size_is_refused_at_once(tmp_path: Path, keys: Keys) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "large").write_bytes(b"x" * 20_000)
    for path in (
        tmp_path / "fifo",
        tmp_path / "large",
        tmp_path,
        Path("/dev/zero"),
        tmp_path / "nothing",
        Path("a\0b"),
    ):
        with pytest.raises(Invalid) as refused:
            card_bytes(path)
        assert refused.value.entry is codes.KEY_TEXT
    with pytest.raises(Invalid):
        keys.recipient_for(str(tmp_path / "fifo"))


def test_bare_keys_are_taken_too(tmp_path: Path, keys: Keys, vendor: Keys) -> None:
    assert keys.trust(vendor.public.encode(), "Vendor", ("support",)).encryption is None
    assert keys.trust(vendor.recipient.encode(), "For us").signing is None
    assert keys.recipient_for("For us") == vendor.recipient
    file = tmp_path / "key.txt"
    file.write_text(f"# the vendor's\n{vendor.recipient}\n")
    assert keys.recipient_for(str(file)) == vendor.recipient
    with BundleWriter(
        tmp_path / "out", kind="diagnostic", keys=keys, recipients=[keys.recipient_for("Vendor")], clock=CLOCK
    ) as writer:
        writer.add("x", [b"x"])
        path = writer.finish()
    assert open_bundle([path], vendor, clock=CLOCK).read("x") == b"x"
    for unknown in ("Nobody", "/no/such/file", "a\0b"):
        with pytest.raises(Invalid) as refused:
            keys.recipient_for(unknown)
        assert refused.value.entry is codes.KEY_UNKNOWN


def test_damaged_keys_are_said_to_be(tmp_path: Path) -> None:
    for name in ("signing", "age.txt", "trusted.json"):
        keys = keys_at(tmp_path / name.replace(".", "-"))
        keys.card("x")
        keys.folder.joinpath(name).write_text("rubbish")
        with pytest.raises(SkerryError) as refused:
            (keys_at(tmp_path / name.replace(".", "-")).fingerprint, keys.recipient, keys.trusted())
        assert refused.value.entry is codes.KEYS_DAMAGED


def test_a_revoked_key_does_not_come_back_by_a_flipped_bit(tmp_path: Path, keys: Keys) -> None:
    other = keys_at(tmp_path / "other")
    keys.trust(other.card("other"), roles=("support",))
    keys.revoke("other", "stolen")
    file = keys.folder / "trusted.json"
    whole = file.read_bytes()

    for at in range(whole.index(b"revoked_at"), whole.index(b"reason") + 20):
        for bit in range(8):
            data = bytearray(whole)
            data[at] ^= 1 << bit
            file.write_bytes(data)
            with pytest.raises(SkerryError) as refused:
                keys.trusted()
            assert refused.value.entry is codes.KEYS_DAMAGED


@pytest.mark.parametrize("name", ["signing", "age.txt"])
def test_any_flipped_bit_of_a_key_is_said_or_has_no_effect(keys: Keys, name: str) -> None:
    keys.card("x")
    file, right = keys.folder / name, (keys.public, keys.recipient, len(keys.identities()))
    whole = file.read_bytes()

    for at in range(0, 8 * len(whole), 3):
        data = bytearray(whole)
        data[at // 8] ^= 1 << at % 8
        file.write_bytes(data)
        for ask in (lambda: keys.public, lambda: keys.recipient, lambda: len(keys.identities())):
            try:
                found: object = ask()
            except SkerryError as error:
                found = error.entry
            assert found in (*right, codes.KEYS_DAMAGED), f"bit {at}"


@pytest.mark.parametrize("left", [0, 31, 33, 63])
def test_a_site_secret_that_was_cut_names_nobody(keys: Keys, left: int) -> None:
    whole = keys.site_secret
    file = keys.folder / "site.secret"
    assert keys.site_secret == whole
    file.write_bytes(file.read_bytes()[:left])

    with pytest.raises(SkerryError) as refused:
        _ = keys.site_secret
    assert refused.value.entry is codes.KEYS_DAMAGED


def test_a_missing_card_does_not_make_new_keys(tmp_path: Path) -> None:
    keys = keys_at(tmp_path)
    keys.card("x")
    before = (keys.folder / "signing").read_bytes()
    (keys.folder / "card.json").unlink()

    with pytest.raises(SkerryError) as refused:
        _ = keys_at(tmp_path).public
    assert refused.value.entry is codes.KEYS_DAMAGED
    assert (keys.folder / "signing").read_bytes() == before


def test_an_own_key_that_was_stolen_can_be_revoked(tmp_path: Path, keys: Keys) -> None:
    before = keys.fingerprint
    old = signed(tmp_path / "old", keys)
    keys.rotate()
    keys.revoke(before, "stolen")
    assert open_bundle([old], keys, clock=CLOCK).trust == "revoked"
    with pytest.raises(Invalid):
        keys.revoke("nobody", "x")
