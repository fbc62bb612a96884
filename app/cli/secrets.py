"""``skerry secret``: passwords and keys by name. A value is never on a command line or in an answer."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from app import wiring
from app.cli.cli_context import CliContext
from app.cli.engine_access import ask, workspace_of
from app.cli.shell import CliGroup
from app.cli.terminal_text import visible
from engine.secrets.vault import Vault

secret = CliGroup("secret", default="list", help="Keep passwords and keys, encrypted")


@secret.command("list")
@click.pass_obj
def list_names(cli: CliContext) -> None:
    """The names of the stored secrets."""
    names = list(_vault(cli).names())
    cli.answer({"secrets": names}, map(visible, names))


@secret.command("set")
@click.argument("name")
@click.pass_obj
def set_secret(cli: CliContext, name: str) -> None:
    """Store or replace a secret; its value comes from standard input, or is asked for."""
    vault = _vault(cli)
    unlock_vault(cli, vault)
    vault.set(name, _value(cli, name))
    cli.answer({"secret": name}, [cli.tell("{name} is stored", name=visible(name))])


@secret.command("unlock")
@click.pass_obj
def unlock(cli: CliContext) -> None:
    """Tell the running engine the passphrase, so that its jobs can use the secrets until it ends."""
    state = ask(cli, lambda service: service.unlock(_passphrase(cli)))
    cli.answer(
        state, [cli.tell("the engine can read the secrets" if state["stored"] else "no secrets are stored")]
    )


@secret.command("rekey")
@click.option("--key-file", type=click.Path(path_type=Path), help="What is in this file opens them then.")
@click.pass_obj
def rekey(cli: CliContext, key_file: Path | None) -> None:
    """Choose another passphrase: typed unseen, or from standard input. The old one is void."""
    vault = _vault(cli)
    if vault.exists:
        unlock_vault(cli, vault)
        vault.rekey(passphrase=None if key_file else _passphrase(cli, new=True), key_file=key_file)
    message = (
        "the secrets were encrypted again; "
        "hand the new passphrase to a running engine with 'skerry secret unlock'"
    )
    cli.answer({"rekeyed": vault.exists}, [cli.tell(message if vault.exists else "no secrets are stored")])


@secret.command("remove")
@click.argument("name")
@click.pass_obj
def remove(cli: CliContext, name: str) -> None:
    """Forget a secret."""
    vault = _vault(cli)
    unlock_vault(cli, vault)
    vault.remove(name)
    cli.answer({"secret": name}, [cli.tell("{name} is removed", name=visible(name))])


@secret.command("accept")
@click.pass_obj
def accept(cli: CliContext) -> None:
    """Take the secret file as it is, after it was put back or changed by something else."""
    vault = _vault(cli)
    names: list[str] = []
    if vault.exists:
        unlock_vault(cli, vault)
        names = list(vault.accept())
    message = cli.tell("the secret file is accepted" if vault.exists else "no secrets are stored")
    cli.answer({"secrets": names}, [message, *map(visible, names)])


def _vault(cli: CliContext) -> Vault:
    return wiring.open_vault(workspace_of(cli))


def unlock_vault(cli: CliContext, vault: Vault) -> None:
    """Opened by the environment, else by what a person types; without either the vault itself refuses."""
    if not vault.unlock(env=os.environ) and _at_terminal():
        vault.unlock(passphrase=_passphrase(cli, new=not vault.exists))


def _value(cli: CliContext, name: str) -> str:
    """The secret: typed unseen, or all of standard input without its last newline."""
    if _at_terminal():
        return _asked(cli, "Value of {name}", twice=True, name=visible(name))
    text = sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
    return text.removesuffix("\n").removesuffix("\r")


def _passphrase(cli: CliContext, *, new: bool = False) -> str:
    """Typed unseen, or the first line of standard input."""
    if _at_terminal():
        message = "New passphrase for the secrets" if new else "Passphrase of the secrets"
        return _asked(cli, message, twice=new)
    return sys.stdin.readline().rstrip("\r\n")


def _at_terminal() -> bool:
    return sys.stdin.isatty()


def _asked(cli: CliContext, message: str, *, twice: bool, **facts: object) -> str:
    again = cli.tell("Once more") if twice else False
    answer: str = click.prompt(
        cli.tell(message, **facts), hide_input=True, confirmation_prompt=again, err=True
    )
    return answer
