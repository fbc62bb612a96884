"""``skerry logs``: what the programs wrote, byte for byte, but for a case on a terminal."""

from __future__ import annotations

import codecs
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from app.cli.cli_context import CliContext, as_json
from app.cli.engine_access import reading
from app.cli.following_runs import ended
from app.cli.growing_file import Growing
from app.cli.log_search import FoundLine, matching
from app.cli.run_progress import name_of
from app.cli.shell import CliCommand
from app.cli.terminal_text import harmless, visible
from app.cli.value_types import INSTANCE
from engine.api.documents import LogFile
from engine.api.service import Service
from engine.model.missing_files import missing_of
from engine.model.states import JobState
from export_import.case import is_case

_LOOK = 0.1  # seconds between two looks at a growing file
_ASK = 5  # looks after which the engine is asked what has ended


@click.command(cls=CliCommand)
@click.argument("instance", type=INSTANCE)
@click.argument("node", required=False)
@click.option("--stderr", "errors", is_flag=True, help="The error output instead of the output.")
@click.option("--follow", is_flag=True, help="Go on until the job has ended.")
@click.option("--attempt", type=INSTANCE, metavar="N", help="An earlier attempt.")
@click.option("--grep", "wanted", metavar="PATTERN", help="Only the lines that match, of both outputs.")
@click.pass_obj
def logs(
    cli: CliContext,
    instance: int,
    node: str | None,
    errors: bool,
    follow: bool,
    attempt: int | None,
    wanted: str | None,
) -> None:
    """Print the logs of an instance, or of one NODE, as they are."""
    if wanted is not None and follow:
        raise click.UsageError("--grep and --follow do not go together")
    with reading(cli) as service:
        if wanted is not None:
            _search(cli, service.logs(instance, node, attempt), errors, wanted)
        elif follow:
            Tail(cli, errors).follow(service, instance, node, attempt)
        else:
            _print(cli, service.logs(instance, node, attempt), errors)


def _print(cli: CliContext, found: list[LogFile], errors: bool) -> None:
    if cli.json:
        cli.write(as_json({"logs": [_document(file, errors) for file in found]}))
        return
    if not found:
        cli.note(cli.tell("there are no logs: nothing of it has run"))
    for file in found:
        if cli.terminal and len(found) > 1:
            cli.write(heading(file))
        for block in _shown(cli, _content(_path(file, errors))):
            cli.write_bytes(block)
        _note_missing(cli, file, errors)


def _search(cli: CliContext, found: list[LogFile], errors: bool, wanted: str) -> None:
    """The lines that match, each with its node, its file and its number there."""
    from engine.model.expression.pattern import compile_pattern  # the library of patterns is slow to load

    pattern = compile_pattern(wanted)
    for file in found:
        for path in [_path(file, each) for each in ((True,) if errors else (False, True))]:
            for line in matching(_content(path), pattern):
                _show_line(cli, file, path.name, line)
                if cli.reader_gone:
                    return


def _show_line(cli: CliContext, file: LogFile, name: str, line: FoundLine) -> None:
    if cli.json:
        of = {"node": file["node"], "instance": file["instance"], "attempt": file["attempt"]}
        cli.write(as_json({**of, "file": name, "line": line.number, "text": line.text}))
        return
    text = harmless(line.text) if cli.terminal else line.text
    cli.write(f"{visible(name_of(file))}:{name}:{line.number}: {text}")


def _note_missing(cli: CliContext, file: LogFile, errors: bool) -> None:
    """What a power cut took of a log is not taken for something that was never printed."""
    if (lacks := missing_of(_path(file, errors))) is not None:
        message = lacks.worded(cli.tell)
        cli.note(cli.labelled(file["node"], message))


def heading(file: LogFile) -> str:
    """The line between the logs of several jobs, for a person; what is piped has only the programs' own."""
    return f"── {visible(name_of(file))} ──"


class Tail:
    """Prints what files gain until nothing more can come."""

    def __init__(self, cli: CliContext, errors: bool) -> None:
        self._cli = cli
        self._errors = errors
        self._files: dict[Path, Iterable[bytes]] = {}
        self._latest: Path | None = None  # whose lines were printed last
        self._several = False
        self._decoders: dict[Path, codecs.IncrementalDecoder] = {}

    def follow(self, service: Service, instance: int, node: str | None, attempt: int | None) -> None:
        """Until all of it has ended, or nobody reads any more."""
        over = False
        while not over and not self._cli.reader_gone:
            # First this, then the files: what was written before the end is not missed.
            over = attempt is not None or _over(service, instance, node)
            found = service.logs(instance, node, attempt)
            self._several = node is None
            for _ in range(1 if over else _ASK):
                for file in found:
                    self._print(file)
                if not over:
                    time.sleep(_LOOK)

    def _print(self, file: LogFile) -> None:
        path = _path(file, self._errors)
        if path not in self._files:
            self._files[path] = _shown(self._cli, _content(path))
        for block in self._files[path]:
            if self._cli.json:
                payload = {"node": file["node"], "instance": file["instance"], "attempt": file["attempt"]}
                decoder = self._decoders.setdefault(path, _decoder())
                self._cli.write(as_json({**payload, "text": decoder.decode(block)}))
            else:
                self._head(file, path)
                self._cli.write_bytes(block)

    def _head(self, file: LogFile, path: Path) -> None:
        """Whose lines follow, where a person watches those of several jobs."""
        if self._cli.terminal and self._several and path != self._latest:
            self._cli.write(heading(file))
        self._latest = path


def _shown(cli: CliContext, log: Iterable[bytes]) -> Iterable[bytes]:
    """As it is; on a terminal, the log of a case (a stranger wrote it) has its control characters visible."""
    return _harmless(log) if cli.terminal and is_case(cli.root) else log


def _harmless(log: Iterable[bytes]) -> Iterator[bytes]:
    decoder = _decoder()
    for block in log:
        yield harmless(decoder.decode(block)).encode()


def _decoder() -> codecs.IncrementalDecoder:
    """Characters may lie across two blocks."""
    return codecs.getincrementaldecoder("utf-8")("replace")


def _over(service: Service, instance: int, node: str | None) -> bool:
    """Whether nothing more will be written."""
    document = service.instance(instance)
    if ended(document) or service.about()["pid"] is None:
        return True
    own = [job for job in document["jobs"] if job["node"] == node]
    return bool(own) and all(JobState(job["status"]).ended for job in own)


def _path(file: LogFile, errors: bool) -> Path:
    path = Path(file["path"])
    return path.with_name("job-error.log") if errors else path


def _content(path: Path) -> Iterable[bytes]:
    """What a log has, and what it gains until it is asked again; a case may hold it packed."""
    if not path.exists():
        from export_import.packed_logs import packed_log

        if log := packed_log(path):
            return log.chunks()
    return Growing(path)


def _document(file: LogFile, errors: bool) -> dict[str, object]:
    path = _path(file, errors)
    text = b"".join(_content(path)).decode("utf-8", "replace")
    lacks = missing_of(path)
    return {**file, "path": str(path), "text": text, **({"missing": lacks._asdict()} if lacks else {})}
