"""Where evidence may lie: a case, a workspace, or a bundle, which is a case while it is looked at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.model.clock import Clock


def is_place(path: Path) -> bool:
    """Whether a folder is a case or a workspace, and no bundle."""
    return any((path / name).is_file() for name in ("case.json", "skerry.db", "workspace.yaml"))


@contextmanager
def folder_at(paths: Sequence[Path], root: Path, clock: Clock) -> Iterator[Path]:
    """The folder of a case or workspace; a bundle is opened with the keys of ``root``.

    Several paths are several media with parts of one bundle.
    """
    from export_import.importing import import_bundle

    if len(paths) == 1 and is_place(paths[0]):
        yield paths[0].absolute()
        return
    with TemporaryDirectory(prefix="skerry-case-") as name:
        folder = Path(name)
        if (root / "keys").is_dir():
            (folder / "keys").symlink_to((root / "keys").absolute())
        yield import_bundle(folder, paths, clock=clock, name="case").folder
