"""Definition files that are run in one workspace, and what their jobs did."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from app.cli.main import cli

Run = Callable[..., dict[str, Any]]


def runner(workspace: Path) -> Run:
    """Runs a definition file with further arguments; gives the document that ``--json`` prints."""

    def once(file: Path, *args: str) -> dict[str, Any]:
        command = ["--workspace", str(workspace), "run", str(file), *args, "--json"]
        answer = CliRunner().invoke(cli, command, prog_name="skerry")
        document: dict[str, Any] = json.loads(answer.stdout)
        assert answer.exit_code == (0 if document.get("status") == "succeeded" else 1), answer.output
        return document

    return once


def by_node(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The jobs of a document: ``fixed[2]`` is a member, ``look@2`` the second round."""
    return {_name(job): job for job in document["jobs"]}


def states(document: dict[str, Any]) -> dict[str, str]:
    """The state of each of them."""
    return {name: job["status"] for name, job in by_node(document).items()}


def output(job: dict[str, Any]) -> str:
    """What it printed."""
    return Path(job["directory"], "job.log").read_text("utf-8")


def _name(job: dict[str, Any]) -> str:
    index = "" if job["index"] is None else f"[{job['index']}]"
    return f"{job['node']}{index}" + (f"@{job['round']}" if job["round"] > 1 else "")
