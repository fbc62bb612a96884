"""What helps against each error of the catalogue, as kinds of help that the window can offer; one table.

A code that the table does not name is helped as its sub-domain is, else as its domain; a user's own code,
whose domain may be any, by what helps always.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final


class HelpKind(StrEnum):
    """One way to help, beside those that are there for every error."""

    VALUE = "value"  # change what the job was based on
    LOG = "log"
    CHARTS = "charts"
    RESOURCE = "resource"
    DEFINITION = "definition"
    SOURCE = "source"  # the job whose value the message names
    MEMBER = "member"  # what failed within it: a member of a group, a sub-task
    QUEUE = "queue"
    SECRETS = "secrets"
    ROOM = "room"
    SETTINGS = "settings"
    EXPORT = "export"


_V, _L, _C, _R, _D = (HelpKind.VALUE, HelpKind.LOG, HelpKind.CHARTS, HelpKind.RESOURCE, HelpKind.DEFINITION)
_S, _M, _Q, _K, _SPACE = (HelpKind.SOURCE, HelpKind.MEMBER, HelpKind.QUEUE, HelpKind.SECRETS, HelpKind.ROOM)

TABLE: Final[Mapping[int, tuple[HelpKind, ...]]] = {
    # definitions, expressions, planning and context
    -1_01_00_000_000: (_D,),
    -1_02_00_000_000: (_D, _S),
    -1_02_00_003_000: (_S, _V, _D),  # the value is not there
    -1_02_00_007_000: (_S, _V, _D),
    -1_02_00_008_000: (_S, _V, _D),  # it does not fit its kind
    -1_02_00_009_000: (_S, _L, _D),  # a pattern was not found
    -1_02_00_018_000: (_S, _L),
    -1_02_00_019_000: (_S, _V, _D),
    -1_03_00_000_000: (_D,),
    -1_03_00_030_000: (_V, _D),  # no branch for that value
    -1_03_00_031_000: (_V, _D),
    -1_03_00_901_000: (_V, _D),  # a success condition
    -1_03_00_903_000: (_V, _D),  # no value, or one that does not fit
    -1_03_00_904_000: (_V, _D),
    -1_03_00_910_000: (_M, _L),
    -1_03_00_911_000: (_L, _D),  # a result was not written
    -1_03_00_912_000: (_L, _V, _D),
    -1_03_00_913_000: (_L,),
    -1_03_00_914_000: (_R, _D),
    -1_03_00_915_000: (_L, _D),
    -1_03_01_000_000: (HelpKind.EXPORT,),
    # processes
    -1_10_00_000_000: (_L,),
    -1_10_00_002_000: (_L, _C),  # a signal
    -1_10_00_003_000: (_L, _C, _D),  # it took too long
    -1_10_00_004_000: (_C, _D),
    -1_10_00_005_000: (_C, _D),
    -1_10_00_006_000: (_L, _D),
    -1_10_01_000_000: (_D, _V),
    -1_10_01_007_000: (_Q, HelpKind.SETTINGS),
    -1_10_02_000_000: (_L, _D),
    -1_10_02_001_000: (_SPACE,),
    # queue, workers, recovery
    -1_11_00_000_000: (_Q, _D),
    -1_11_00_011_000: (_L, _D),
    -1_12_00_000_000: (_L,),
    # job types: of HTTP, SQL, FTP and SFTP most is about the resource
    -1_20_00_000_000: (_V, _D),
    -1_20_00_005_000: (_SPACE,),
    -1_20_05_000_000: (_R, _D, _L),
    -1_20_05_008_000: (_K, _D),
    -1_20_06_000_000: (_R, _D, _L),
    -1_20_06_001_000: (_R, _K, _D),
    -1_20_07_000_000: (_R, _D, _L),
    -1_20_07_001_000: (_R, _K, _D),
    -1_20_11_000_000: (_M, _D),
    -1_20_17_000_000: (_R, _D, _V),
    -1_20_17_002_000: (_R, _K),  # the login
    **dict.fromkeys((-1_20_31_000_000, -1_20_32_000_000, -1_20_33_000_000), (_R, _D, _V)),
    **dict.fromkeys((-1_20_31_002_000, -1_20_32_002_000, -1_20_33_002_000), (_R, _K)),
    # resources
    -1_30_00_000_000: (_R,),
    -1_30_01_006_000: (_SPACE, _R),
    -1_30_02_001_000: (_R, _K),
    -1_30_03_008_000: (_R, _K),
    -1_30_04_002_000: (_R, _K),
    -1_30_05_002_000: (_R, _K),
    # schedules, secrets, store, internal
    -1_40_00_000_000: (_D,),
    -1_60_00_000_000: (_K,),
    -1_70_00_000_000: (HelpKind.SETTINGS, HelpKind.EXPORT),
    -1_70_00_001_000: (_SPACE,),
    -1_90_00_000_000: (HelpKind.EXPORT,),
}
_GROUPS: Final = (1, 1_000, 1_000_000, 100_000_000)  # a code itself; without its extra part; and so on


def kinds_of(code: int | None) -> tuple[HelpKind, ...]:
    """What helps against a code, the most likely first.

    >>> [*map(str, kinds_of(-13000102005))], [*map(str, kinds_of(-11000003000))]
    (['resource'], ['log', 'charts', 'definition'])
    """
    if code is None:
        return ()
    return next((TABLE[at] for at in (-(-code // size * size) for size in _GROUPS) if at in TABLE), ())
