"""``python -c`` as a module: runs the text that it is given."""

from __future__ import annotations

import sys

if __name__ == "__main__":
    text = sys.argv[1]
    sys.argv[:] = ["-c", *sys.argv[2:]]
    exec(compile(text, "<string>", "exec"), {"__name__": "__main__"})
