"""What a host says of a path of its own: for file resources that are looked at on the worker of a job."""

from __future__ import annotations

from functools import partial

from engine.execution.ssh import refusals
from engine.execution.ssh.link import ANSWER, SshLink
from engine.execution.ssh.quoting import call
from engine.execution.ssh.session import RemotePlace
from engine.plugins.resource_type import FileFacts

_DIGEST = 3600.0  # seconds that it may take to read all of a big file


def looked_at(link: SshLink, path: str, digest: bool) -> FileFacts:
    """Blocks. Raises SkerryError HOST_UNREACHABLE."""
    answer = link.answer_to(partial(_asked, path, digest), _DIGEST if digest else ANSWER)
    if answer is None:
        raise refusals.unreachable(link.settings.target)
    if answer[0] == "failed":
        raise refusals.no_process(link.settings.target)
    kind, size, modified, now, readable, free, sha256 = answer[1:8]
    since = float(modified)
    return FileFacts(
        kind,
        int(size),
        since,
        max(float(now) - since, 0.0),
        readable == "y",
        int(free) * 1024,
        sha256 if len(sha256) == 64 else None,
    )


def _asked(path: str, digest: bool, number: str, place: RemotePlace) -> bytes:
    """The reading of a big file is done beside other requests."""
    if digest:
        return call("beside", number, "seen", path, "sum")
    return call("seen", number, path, "")
