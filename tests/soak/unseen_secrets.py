"""Accidental secrets and harmless lines go through runs, a bundle and the supporter's import: what is left?

    python -m tests.soak.unseen_secrets [first.txt second.txt] [--no-harmless]

Of the corpus (tests/bundles/secrets_unseen) first.txt was written before any of the code which hides secrets was
read, second.txt after.
Everything happens by the commands, as people use them: the texts are printed, written as results, typed as parameters
and kept in definitions and contexts. In the case that the import makes each secret is looked for as it is, as
its text spelled it, and in common encodings; and in the text itself its last half.
"""

from __future__ import annotations

import argparse
import base64
import json
import re
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest
from pathlib import Path
from urllib.parse import quote

from click.testing import CliRunner

from app.cli.main import cli
from tests.bundles.secrets_unseen.corpus import Case, cases, harmless

_MARK = "2026-11-22 10:00:00 INFO step {} done"
_NAME = re.compile(
    r"[\w.+:/-]*@[\w.-]+|\w+://[^\s/]+|\b\d{1,3}(?:\.\d{1,3}){3}\b|\b[\w-]+(?:\.[\w-]+)*\.[a-z]{2,6}\b"
    r"|[\da-f]*(?::+[\da-f]+){2,}|\w+",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Outcome:
    """What the supporter can see."""

    cases: int
    missed: tuple[tuple[Case, str], ...]  # and where something of it is
    lines: int
    altered: tuple[tuple[str, str], ...]  # as it was, as it is
    programs: int


def measure(
    work: Path, files: Sequence[str] = ("first.txt",), fillings: int = 2, lines: bool = True
) -> Outcome:
    """Run everything, export it, import it elsewhere and look.

    Args:
        work: An empty folder.
        files: Which parts of the corpus.
        fillings: With how many values each form is filled, at most two.
        lines: Whether the harmless lines go along.
    """
    every = [case for file in files for case in cases(file, fillings)]
    plain = list(harmless()) if lines else []
    _write(work / "source", every, plain)
    _run(work, every)
    _skerry(work / "site", "export", *_instances(every), "-o", str(work / "bundle"))
    _skerry(work / "desk", "bundle", "import", str(work / "bundle"), "--name", "case")
    seen = {
        path: path.read_bytes() for path in (work / "desk" / "cases" / "case").rglob("*") if path.is_file()
    }
    seen |= {path: path.read_bytes() for path in (work / "bundle").rglob("*") if path.is_file()}
    whole = b"\0".join(seen.values())
    places = ((case, _seen(number, case, seen, whole)) for number, case in enumerate(every))
    missed = tuple((case, at) for case, at in places if at)
    return Outcome(
        len(every), missed, len(plain), _altered(plain, seen), len({case.program for case in every})
    )


def _write(source: Path, every: Sequence[Case], plain: Sequence[tuple[bool, str]]) -> None:
    results = source / "results"
    contexts = source / "contexts"
    results.mkdir(parents=True)
    contexts.mkdir()
    log = []
    for number, case in enumerate(every):
        if case.where == "log":
            log += [_MARK.format(number), case.text.rstrip("\n")]
        elif case.where == "json":
            (contexts / f"c{number}").write_text(case.text)
        elif case.where not in ("param", "env"):
            (results / f"{number}-{case.where}").write_text(case.text)
    (source / "log.txt").write_text("\n".join([*log, _MARK.format(len(every)), ""]))
    half = len(plain) // 2
    (source / "lines.txt").write_text("".join(line + "\n" for _, line in plain[:half]))
    (source / "lines-notes.txt").write_text("".join(line + "\n" for _, line in plain[half:]))


def _run(work: Path, every: Sequence[Case]) -> None:
    for filling, task in enumerate(_tasks(work / "source", every)):
        file = work / f"task{filling}.json"
        file.write_text(json.dumps(task))
        typed = [case.text.rstrip("\n") for case in _typed(every, "param", filling + 1)]
        _skerry(work / "site", "run", str(file), *(part for text in typed for part in ("-p", text)))


def _tasks(source: Path, every: Sequence[Case]) -> list[dict[str, object]]:
    maps = {f"c{number}": {"kind": "map"} for number, case in enumerate(every) if case.where == "json"}
    nodes = {
        "log": _shell(f"cat {source}/log.txt"),
        "lines": _shell(f"cat {source}/lines.txt; cp {source}/lines-notes.txt $SKERRY_OUTPUTS/"),
        "results": _shell(f"cp -r {source}/results/. $SKERRY_OUTPUTS/"),
        "contexts": {**_shell(f"cp -r {source}/contexts/. $SKERRY_OUTPUTS/"), "results": maps},
    }
    tasks: list[dict[str, object]] = []
    for filling in range(1, 3):
        typed = [case.text.partition("=")[0] for case in _typed(every, "param", filling)]
        fixed = dict(case.text.rstrip("\n").split("=", 1) for case in _typed(every, "env", filling))
        if filling == 1 or typed or fixed:
            params = {key: {"kind": "text", "value": ""} for key in typed}
            env = {"env": {**_shell("env"), "params": fixed}}
            tasks.append({"params": params, "nodes": {**(nodes if filling == 1 else {}), **env}})
    return [{"skerry": 1, "tasks": {f"t{number}": task}} for number, task in enumerate(tasks)]


def _shell(code: str) -> dict[str, object]:
    return {"type": "shell", "process": code}


def _typed(every: Sequence[Case], where: str, filling: int) -> list[Case]:
    return [case for case in every if case.where == where and case.name.endswith(f" {filling}")]


def _instances(every: Sequence[Case]) -> list[str]:
    return [str(number + 1) for number in range(len(_tasks(Path(), every)))]


def _skerry(workspace: Path, *arguments: str) -> None:
    """A command, in this process: each in one of its own would load the program thrice."""
    words = ["--workspace", str(workspace), *arguments]
    done = CliRunner().invoke(cli, words, env={"SKERRY_PASSPHRASE": "Reede-7"}, prog_name="skerry")
    if done.exit_code:
        raise RuntimeError(f"skerry {arguments[0]}: {done.exit_code}\n{done.output[-2000:]}")


def _seen(number: int, case: Case, seen: dict[Path, bytes], whole: bytes) -> str:
    """Where something of a case's secrets is, or nothing; ``whole`` are the files as one."""
    own = _own(number, seen)
    for secret, spelled in zip(case.secrets, case.spelled, strict=True):
        if len(secret) > 9 and secret[-max(5, len(secret) // 2) :].encode() in own:
            return f"the end of {secret}"
        for form in _forms(secret, spelled):
            if form in whole:
                place = next(path for path, data in seen.items() if form in data)
                return f"{form.decode()} in {place.name}"
    return ""


def _own(number: int, seen: dict[Path, bytes]) -> bytes:
    log = next(data for path, data in seen.items() if path.name == "job.log" and "job-log-" in str(path))
    start = log.find(_MARK.format(number).encode() + b"\n")
    files = [
        data for path, data in seen.items() if path.name.startswith(f"{number}-") or path.name == f"c{number}"
    ]
    return b"".join(files) + (log[start : log.find(b" INFO step ", start + 40)] if start >= 0 else b"")


def _forms(secret: str, spelled: str) -> set[bytes]:
    clear = secret.encode()
    forms = {clear, spelled.encode(), quote(secret, safe="").encode(), json.dumps(secret)[1:-1].encode()}
    return forms | {base64.b64encode(clear).rstrip(b"="), clear.hex().encode(), clear[::-1]}


def _altered(plain: Sequence[tuple[bool, str]], seen: dict[Path, bytes]) -> tuple[tuple[str, str], ...]:
    if not plain:
        return ()
    log = next(data for path, data in seen.items() if path.name == "job.log" and "job-lines-" in str(path))
    notes = next(data for path, data in seen.items() if path.name == "lines-notes.txt")
    now = (log + notes).decode().split("\n")[:-1]
    before = [line for _, line in plain]
    pairs: list[tuple[int | None, str | None]] = []
    for kind, low, high, first, last in SequenceMatcher(None, before, now, autojunk=False).get_opcodes():
        if kind != "equal":
            pairs += zip_longest(range(low, high), now[first:last])
    return tuple(
        (before[n], other)
        for n, other in pairs
        if n is not None and not _same(plain[n][0], before[n], other or "")
    )


def _same(exact: bool, line: str, now: str) -> bool:
    """Whether a line is what it was, where names may be exchanged for pseudonyms if it has some."""
    return line == now or (not exact and "***" not in now and _NAME.sub("N", line) == _NAME.sub("N", now))


def main() -> int:
    """Measure, and print what was missed and altered."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak.unseen_secrets")
    parser.add_argument("files", nargs="*", default=["first.txt", "second.txt"])
    parser.add_argument("--no-harmless", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        outcome = measure(Path(folder), options.files, lines=not options.no_harmless)
    for case, at in outcome.missed:
        print(
            f"missed {case.name} ({case.where}): {at}\n    " + case.text.rstrip("\n").replace("\n", "\n    ")
        )
    for line, now in outcome.altered:
        print(f"altered {line}\n     as {now}")
    found = outcome.cases - len(outcome.missed)
    print(
        f"{found} of {outcome.cases} found ({100 * found / outcome.cases:.2f} %), forms of {outcome.programs} programs;",
        end=" ",
    )
    print(f"{len(outcome.altered)} of {outcome.lines} harmless lines altered")
    return 0


if __name__ == "__main__":
    sys.exit(main())
