"""Where a bundle goes by itself: onto the removable medium that is mounted, else where the last one went."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QStorageInfo

from app.desktop.kernel.console import Console

LAST = "export/folder"  # a setting of the window: where the last bundle was written
_MEDIA = ("/media/", "/run/media/", "/Volumes/")  # where desktops mount what is plugged in
_BLOCKS = Path("/sys/class/block")


@dataclass(frozen=True, slots=True)
class Volume:
    """A file system that is mounted: its root, its device (``/dev/sdb1``), bytes free."""

    root: Path
    device: str
    free: int
    writable: bool = True


def place_for(console: Console, root: Path, stick: Path | None) -> Path:
    """The medium that is plugged in, else the folder of the last bundle, else that of ``root``."""
    last = Path(console.settings.text(LAST))
    return stick or (last if last.is_absolute() and last.is_dir() else root / "bundles")


def mounted() -> Iterator[Volume]:
    """All that are ready."""
    for each in QStorageInfo.mountedVolumes():
        if each.isValid() and each.isReady():
            device = os.fsdecode(bytes(each.device().data()))
            yield Volume(Path(each.rootPath()), device, each.bytesAvailable(), not each.isReadOnly())


def medium(volumes: Iterable[Volume], blocks: Path = _BLOCKS) -> Path | None:
    """The root of the removable one that can be written, the one with most room if there are several."""
    fitting = [each for each in volumes if each.writable and _is_removable(each, blocks)]
    return max(fitting, key=lambda each: each.free).root if fitting else None


def _is_removable(volume: Volume, blocks: Path) -> bool:
    """As its device says (of a partition the disk that it is on), else as the place where it is mounted."""
    if f"{volume.root}/".startswith(_MEDIA):
        return True
    device = (blocks / Path(volume.device).name).resolve()
    for at in (device, device.parent):
        flag = at / "removable"
        if flag.is_file():
            return flag.read_text().strip() == "1"
    return False
