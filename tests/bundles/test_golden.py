"""Bundles of every version of the format open for ever, also with the tools that every site has."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import tarfile
from hashlib import sha256
from pathlib import Path

import pyrage
import pytest
import zstandard

from export_import.container import open_bundle
from export_import.container.checking import check_bundle
from export_import.desk.evidence import Evidence
from export_import.desk.findings import Study, findings
from export_import.desk.reevaluation import reevaluate
from export_import.importing import import_bundle
from export_import.keys import Keys
from tests.bundles.case_service import service_of
from tests.bundles.conftest import CLOCK
from tests.bundles.make_golden import FILES
from tests.servers.private import program

GOLDEN = Path(__file__).parent / "golden"
BUNDLES = [f"v1/{name}" for name in ("plain", "one.skerry", "sealed")]


def keys_of(name: str, tmp_path: Path) -> Keys:
    """The keys that a golden bundle was made with."""
    shutil.copytree(GOLDEN / Path(name).parts[0] / "keys", tmp_path / "keys")
    return Keys(tmp_path, CLOCK)


@pytest.mark.parametrize("name", BUNDLES)
def test_golden_bundles_open(name: str, tmp_path: Path) -> None:
    keys = keys_of(name, tmp_path)
    bundle = open_bundle([GOLDEN / name], keys, clock=CLOCK, must_be_trusted=True)
    assert bundle.facts["site"] == "golden"
    assert {each: bundle.read(each) for each in bundle.entries} == FILES
    assert [(each.name, each.size) for each in bundle.omitted] == [("outputs/big", 5 << 30)]
    assert check_bundle([GOLDEN / name], keys, clock=CLOCK).intact


def test_the_signature_is_one_for_openssh(tmp_path: Path) -> None:
    expected = json.loads((GOLDEN / "v1" / "expected.json").read_text())
    allowed = tmp_path / "allowed"
    allowed.write_text(f"site {expected['public']}\n")
    command = [
        program("ssh-keygen", "openssh-client"),
        "-Y",
        "verify",
        "-f",
        str(allowed),
        "-I",
        "site",
        "-n",
        "skerry-diagnostic",
    ]
    folder = GOLDEN / "v1" / "sealed"
    header = (folder / "BUNDLE.json").read_bytes()
    subprocess.run([*command, "-s", str(folder / "BUNDLE.json.sig")], input=header, check=True)


def test_a_reader_of_a_third_party_needs_only_age_tar_zstd_and_json() -> None:
    """What docs/bundle-format.md says is enough; nothing of the program is used."""
    expected = json.loads((GOLDEN / "v1" / "expected.json").read_text())
    identity = pyrage.x25519.Identity.from_str(expected["age"])
    folder = GOLDEN / "v1" / "sealed"
    header = json.loads((folder / "BUNDLE.json").read_bytes())

    def opened(part: dict[str, object]) -> bytes:
        data = (folder / str(part["name"])).read_bytes()
        assert sha256(data).hexdigest() == part["sha256"]
        return pyrage.decrypt(data, [identity])

    manifest = json.loads(zstandard.ZstdDecompressor().decompress(opened(header["manifest"])))
    objects: dict[str, bytes] = {}
    for volume in header["volumes"]:
        with tarfile.open(fileobj=io.BytesIO(opened(volume))) as tape:
            for member in tape:
                stored = tape.extractfile(member)
                assert stored is not None
                objects[member.name.removeprefix("o/")] = zstandard.ZstdDecompressor().decompress(
                    stored.read()
                )
    files = {
        file["name"]: b"".join(objects[digest] for digest, _, _ in file["objects"])
        for file in manifest["files"]
    }
    assert files == FILES
    assert len(header["volumes"]) > 1


def test_a_golden_bundle_of_scheduled_instances_is_a_case_as_it_was(tmp_path: Path) -> None:
    # given instances in every state that time makes, with partners, and what the site showed of them
    expected = json.loads((GOLDEN / "v1" / "scheduled.json").read_text())
    case = import_bundle(tmp_path, [GOLDEN / "v1" / "scheduled.skerry"], clock=CLOCK)

    with service_of(case) as service:
        for state, there in expected.items():
            here = service.instance(there["instance"])
            assert {key: here[key] for key in there} == there, state  # type: ignore[literal-required]
    with Evidence.open(case.folder) as evidence:
        read = reevaluate(evidence, expected["succeeded"]["instance"])
        [fired] = [
            each
            for each in findings(Study(evidence, expected["succeeded"]["instance"]))
            if each.analyzer == "schedule"
        ]
        assert (read.expressions, read.differences) == (1, ())
        assert "in Europe/Berlin" in fired.title.en
        assert {row.level for row in evidence.store.schedules_of("up")} == {"hour"}
