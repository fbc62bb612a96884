"""``skerry fix``: repairs that a supporter makes and a site looks at, applies and can take back."""

from __future__ import annotations

from app.cli.fix_applying import apply_fix, list_fixes, show_preview, undo
from app.cli.fix_building import build, show_receipt
from app.cli.shell import Group

fix = Group(
    "fix",
    [build, show_receipt, show_preview, apply_fix, undo, list_fixes],
    default="list",
    help="Make, look at, apply and take back fixes",
)
