"""Archives written: zip, tar and what is compressed; they hold names, content and the right to execute."""

from __future__ import annotations

import gzip
import lzma
import shutil
import tarfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import Any, BinaryIO

import zstandard

from engine.model.codes.jobs import TROUBLE
from engine.model.errors import SkerryError
from engine.plugins.arguments import unfit
from engine.plugins.files import CHUNK, ByteMeter, open_regular
from jobs_builtin.archives.sources import PackedEntry

_BEGIN = (1980, 1, 1, 0, 0, 0)  # the earliest time that a zip knows
_SHORT = {".tgz": ".gz", ".txz": ".xz", ".tzst": ".zst"}
_Compress = Callable[[BinaryIO], AbstractContextManager[Any]]
_COMPRESS: dict[str, _Compress] = {
    ".gz": lambda out: gzip.GzipFile("", "wb", 6, out, mtime=0),
    ".xz": partial(lzma.LZMAFile, mode="wb"),
    ".zst": lambda out: zstandard.ZstdCompressor().stream_writer(out, closefd=False),
}


def pack(sources: Sequence[PackedEntry], name: str, out: BinaryIO, meter: ByteMeter) -> None:
    """Write an archive of the form that its name ends with. Raises SkerryError and OSError."""
    lower = name.lower()
    ending = next((each for each in (".zip", ".tar", *_SHORT, *_COMPRESS) if lower.endswith(each)), "")
    if ending == ".zip":
        _zip(sources, out, meter)
    elif ending == ".tar":
        _tar(sources, out, meter)
    elif ending in _SHORT or (ending and lower.endswith(f".tar{ending}")):
        with _COMPRESS[_SHORT.get(ending, ending)](out) as stream:
            _tar(sources, stream, meter)
    elif ending:
        with _COMPRESS[ending](out) as stream, _opened(_only(sources), meter) as file:
            shutil.copyfileobj(file, stream, CHUNK)
    else:
        raise unfit("target", "no form of an archive is called like {name}", name=name)


def _only(sources: Sequence[PackedEntry]) -> PackedEntry:
    if len(sources) != 1 or sources[0].folder:
        raise unfit("files", "only a single file can be compressed without a tar")
    return sources[0]


def _zip(sources: Sequence[PackedEntry], out: BinaryIO, meter: ByteMeter) -> None:
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for source in sources:
            about = zipfile.ZipInfo(_text(source.name) + "/" * source.folder, _BEGIN)
            about.create_system = 3  # Unix, wherever it is written
            about.external_attr = (0o040755 if source.folder else 0o100000 | _mode(source)) << 16
            if source.folder:
                archive.writestr(about, b"")
                continue
            about.compress_type, about.file_size = zipfile.ZIP_DEFLATED, source.size
            with archive.open(about, "w") as part, _opened(source, meter) as file:
                shutil.copyfileobj(file, part, CHUNK)


def _tar(sources: Sequence[PackedEntry], out: Any, meter: ByteMeter) -> None:
    with tarfile.open(fileobj=out, mode="w|", format=tarfile.PAX_FORMAT) as archive:
        for source in sources:
            about = tarfile.TarInfo(source.name)
            about.type = tarfile.DIRTYPE if source.folder else tarfile.REGTYPE
            about.mode, about.size = _mode(source), source.size
            if source.folder:
                archive.addfile(about)
                continue
            with _opened(source, meter) as file:
                archive.addfile(about, file)


def _mode(source: PackedEntry) -> int:
    return 0o755 if source.folder or source.executable else 0o644


def _text(name: str) -> str:
    """A name that a zip can have: its names are texts, those of a disk are bytes."""
    try:
        name.encode()
    except UnicodeEncodeError:
        raise unfit("files", "the name {name} is no text; a tar can have it", name=ascii(name)) from None
    return name


class _Metered:
    """Reads exactly the bytes that the file had when it was looked at, and counts them."""

    def __init__(self, file: BinaryIO, source: PackedEntry, meter: ByteMeter) -> None:
        self._file, self._source, self._meter = file, source, meter
        self._left = source.size

    def read(self, size: int = -1) -> bytes:
        piece = self._file.read(min(size, CHUNK, self._left) if size >= 0 else min(CHUNK, self._left))
        self._left -= len(piece)
        self._meter.add(len(piece))
        if not piece and self._left:
            raise _changed(self._source)
        return piece


@contextmanager
def _opened(source: PackedEntry, meter: ByteMeter) -> Iterator[Any]:
    with open_regular(source.path) as file:
        yield _Metered(file, source, meter)
        if file.read(1):
            raise _changed(source)


def _changed(source: PackedEntry) -> SkerryError:
    return SkerryError.at(TROUBLE, "the file has changed while it was packed: {where}", source.path)
