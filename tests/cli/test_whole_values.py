"""With --json a result is its value, however big; what is no text stays a reference."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Skerry

FILE = """\
skerry: 1
tasks:
  t:
    nodes:
      a:
        type: shell
        process: |
          head -c 300000 /dev/zero | tr '\\0' x > outputs/text
          head -c 300000 /dev/urandom > outputs/bytes
          (printf '['; seq -s, 1 60000; printf ']') > outputs/list
        results: {list: {kind: list}}
    results: {again: {kind: list, value: "$.JOB['a'].RESULT['list']"}}
"""


def test_results_over_256_kib_are_values_in_the_documents(skerry: Skerry, tmp_path: Path) -> None:
    file = tmp_path / "big.yaml"
    file.write_text(FILE)

    ran = skerry("run", str(file), "--json").document
    shown = skerry("show", "1", "--json").document

    assert shown["results"] == ran["results"] == {"again": list(range(1, 60001))}
    [job] = ran["jobs"]
    assert job["results"]["text"] == "x" * 300_000
    assert job["results"]["bytes"].keys() == {"$file", "size", "sha256"}
