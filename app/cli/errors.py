"""``skerry errors``: the catalogue."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import click

from app.cli.cli_context import CliContext
from app.cli.engine_access import reading
from app.cli.shell import CliCommand
from app.cli.terminal_text import columns, pairs
from app.cli.value_types import OneOf
from app.wiring import catalogue
from engine.model.codes.commands import NO_SUCH_CODE
from engine.model.errors import ErrorCode, Invalid

_DIGITS = 11


@click.command(cls=CliCommand, context_settings={"ignore_unknown_options": True})
@click.argument("code", required=False)
@click.option("--lang", type=OneOf(["en", "zh"]), help="English or Chinese.")
@click.pass_obj
def errors(cli: CliContext, code: str | None, lang: str | None) -> None:
    """What error codes mean and what to do; all of them, or CODE.

    A CODE that ends in zeros stands for everything below it: -10100000000 is the whole domain 01.
    """
    if lang:
        cli.language = lang
    known = catalogue(_own(cli))
    if code is None:
        rows = ((each.number, each.text(cli.language).title) for each in known)
        documents = [_document(cli, each) for each in known]
        return cli.answer({"errors": documents}, columns((*cli.heads(["code"]), ""), rows))
    number = _number(code)
    entry = known.find(number)
    if entry is not None:
        return cli.answer(_document(cli, entry, number), _lines(cli, entry, number))
    below = known.below(number)
    if not below:
        raise _unknown(code)
    documents = [_document(cli, each) for each in below]
    return cli.answer({"errors": documents}, (line for each in below for line in _lines(cli, each)))


def _own(cli: CliContext) -> Mapping[str, Any]:
    """The entries that the workspace has; without a workspace the catalogue works too."""
    if not (cli.root / "workspace.yaml").exists():
        return {}
    with reading(cli) as service:
        return service.own_errors()


def _number(code: str) -> int:
    digits = code.removeprefix("-").replace("_", "")
    if not (digits.isascii() and digits.isdigit() and len(digits) == _DIGITS and digits[0] == "1"):
        raise _unknown(code)
    return -int(digits)


def _unknown(code: str) -> Invalid:
    return Invalid.at(NO_SUCH_CODE, "{where!r} is no code of the catalogue (-1 and ten digits)", code)


def _document(cli: CliContext, entry: ErrorCode, number: int | None = None) -> dict[str, Any]:
    text = entry.text(cli.language)
    return {"code": number or entry.number, **text._asdict(), "retryable": entry.retryable}


def _lines(cli: CliContext, entry: ErrorCode, number: int | None = None) -> Iterator[str]:
    text = entry.text(cli.language)
    yield cli.labelled(number or entry.number, text.title)
    extra = entry.number - number if number else 0
    meaning = cli.tell("(exit status, signal or HTTP status)")
    facts = [
        ("cause", text.cause),
        ("remedy", text.remedy),
        ("worth a retry", cli.tell("yes" if entry.retryable else "no, it would fail again")),
        ("extra part", f"{extra} {meaning}" if extra else ""),
    ]
    yield from pairs(cli.facts(facts))
