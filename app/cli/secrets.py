"""``skerry secret``: passwords and keys by name. A value never stands on a command line or in an answer."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.cli.connect import reading, workspace_of
from app.cli.desk import Desk
from app.cli.shell import Group
from app.cli.text import visible

if TYPE_CHECKING:
    from engine.secrets.vault import Vault


@click.group(cls=Group, invoke_without_command=True)
@click.pass_context
def secret(context: click.Context) -> None:
    """Keep passwords and keys, encrypted; without a word after it: list."""
    if context.invoked_subcommand is None:
        context.invoke(list_names)


@secret.command("list")
@click.pass_obj
def list_names(desk: Desk) -> None:
    """The names of the stored secrets."""
    names = list(_vault(desk).names())
    desk.answer({"secrets": names}, map(visible, names))


@secret.command("set")
@click.argument("name")
@click.pass_obj
def set_secret(desk: Desk, name: str) -> None:
    """Store or replace a secret; its value comes from standard input, or is asked for."""
    vault = _vault(desk)
    _unlock(desk, vault)
    vault.set(name, _value(desk, name))
    desk.answer({"secret": name}, [desk.tell("{name} is stored", name=visible(name))])


@secret.command("unlock")
@click.pass_obj
def unlock(desk: Desk) -> None:
    """Tell the running engine the passphrase, so that its jobs can use the secrets until it ends."""
    with reading(desk) as service:
        told = service.unlock(_passphrase(desk))
    desk.answer(
        told, [desk.tell("the engine can read the secrets" if told["stored"] else "no secrets are stored")]
    )


@secret.command("rekey")
@click.option("--key-file", type=click.Path(path_type=Path), help="What is in this file opens them then.")
@click.pass_obj
def rekey(desk: Desk, key_file: Path | None) -> None:
    """Choose another passphrase: typed unseen, or from standard input. The old one is void."""
    vault = _vault(desk)
    if vault.exists:
        _unlock(desk, vault)
        vault.rekey(passphrase=None if key_file else _passphrase(desk, new=True), key_file=key_file)
    told = "the secrets are sealed anew; a running engine is to be told by 'skerry secret unlock'"
    desk.answer({"rekeyed": vault.exists}, [desk.tell(told if vault.exists else "no secrets are stored")])


@secret.command("remove")
@click.argument("name")
@click.pass_obj
def remove(desk: Desk, name: str) -> None:
    """Forget a secret."""
    vault = _vault(desk)
    _unlock(desk, vault)
    vault.remove(name)
    desk.answer({"secret": name}, [desk.tell("{name} is removed", name=visible(name))])


@secret.command("accept")
@click.pass_obj
def accept(desk: Desk) -> None:
    """Take the secret file as it is, after it was put back or changed by something else."""
    vault = _vault(desk)
    names: list[str] = []
    if vault.exists:
        _unlock(desk, vault)
        names = list(vault.accept())
    told = desk.tell("the secret file is accepted" if vault.exists else "no secrets are stored")
    desk.answer({"secrets": names}, [told, *map(visible, names)])


def _vault(desk: Desk) -> Vault:
    from app import wiring

    return wiring.open_vault(workspace_of(desk))


def _unlock(desk: Desk, vault: Vault) -> None:
    """Opened by the environment, else by what a person types; without either the vault itself refuses."""
    if not vault.unlock(env=os.environ) and _at_terminal():
        new = not vault.exists
        told = "New passphrase for the secrets" if new else "Passphrase of the secrets"
        vault.unlock(passphrase=_asked(desk, told, twice=new))


def _value(desk: Desk, name: str) -> str:
    """The secret: typed unseen, or all of standard input without its last newline."""
    if _at_terminal():
        return _asked(desk, "Value of {name}", twice=True, name=visible(name))
    text = sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
    return text.removesuffix("\n").removesuffix("\r")


def _passphrase(desk: Desk, *, new: bool = False) -> str:
    """Typed unseen, or the first line of standard input."""
    if _at_terminal():
        told = "New passphrase for the secrets" if new else "Passphrase of the secrets"
        return _asked(desk, told, twice=new)
    return sys.stdin.readline().rstrip("\r\n")


def _at_terminal() -> bool:
    return sys.stdin.isatty()


def _asked(desk: Desk, told: str, *, twice: bool, **facts: object) -> str:
    again = desk.tell("Once more") if twice else False
    answer: str = click.prompt(desk.tell(told, **facts), hide_input=True, confirmation_prompt=again, err=True)
    return answer
