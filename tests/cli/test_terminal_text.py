"""What goes to a terminal steers nothing, whoever wrote it; what is piped is as it was."""

from __future__ import annotations

import pytest

from app.cli.desk import Desk

FOREIGN = "\x1b]52;c;cm0=\x07a\x9b31mb\u202e\n\tc"


@pytest.mark.parametrize(
    ("terminal", "shown"),
    [
        (True, "\\x1b]52;c;cm0=\\x07a\\x9b31mb\\u202e\n\tc\n"),
        (False, f"{FOREIGN}\n"),
    ],
)
def test_lines_of_an_answer(
    terminal: bool, shown: str, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setattr(Desk, "terminal", terminal)

    Desk().answer({}, [FOREIGN])
    Desk().say(FOREIGN)

    assert capsysbinary.readouterr().out.decode() == shown * 2


def test_a_remark_steers_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    Desk().note(FOREIGN)

    assert capsys.readouterr().err == "\\x1b]52;c;cm0=\\x07a\\x9b31mb\\u202e\n\tc\n"
