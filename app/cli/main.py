"""The command ``skerry``: the table of its commands."""

from __future__ import annotations

import gc
import os
import signal
from importlib import import_module

import click

from app.cli.cli_context import CliContext
from app.cli.shell import CliProgram
from app.wiring import collect_seldom
from engine import __version__
from engine.secrets.hiding import hide

_DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")

COMMANDS = {
    "check": ("app.cli.checking:check", "Validate definition files."),
    "load": ("app.cli.definitions:load", "Put definitions into the workspace."),
    "dump": ("app.cli.definitions:dump", "Write the workspace's definitions out as YAML."),
    "tasks": ("app.cli.definition_lists:tasks", "List, show and delete tasks."),
    "jobs": ("app.cli.definition_lists:jobs", "List, show and delete jobs."),
    "resources": ("app.cli.definition_lists:resources", "List, show and delete resources."),
    "calendars": ("app.cli.definition_lists:calendars", "List, show and delete calendars."),
    "next": ("app.cli.fire_times:next_fires", "Show when a task or a cron expression fires next."),
    "online": ("app.cli.task_states:online", "Let a task start by its schedule."),
    "offline": ("app.cli.task_states:offline", "Keep a task from starting by its schedule."),
    "delete": ("app.cli.task_states:delete", "Delete a task."),
    "clock": ("app.cli.clock:clock", "See the clock that schedules go by; accept it after a jump."),
    "run": ("app.cli.running:run", "Run a task and show its progress until the end."),
    "list": ("app.cli.instances:list_instances", "List what ran, runs and waits."),
    "show": ("app.cli.instances:show", "Show an instance, its jobs, and why each unfinished one waits."),
    "logs": ("app.cli.logs:logs", "Print what the programs wrote."),
    "watch": ("app.cli.watching:watch", "Watch an instance until it has ended."),
    "context": ("app.cli.instances:context", "Show the values of an instance, now or at an earlier moment."),
    "set": ("app.cli.interventions:set_value", "Change a value of an instance by hand."),
    "cancel": ("app.cli.cancelling:cancel", "Stop an instance or one node, and all that it started."),
    "pause": ("app.cli.interventions:pause", "Start nothing more of an instance; what runs goes on."),
    "resume": ("app.cli.interventions:resume", "Let a paused instance go on."),
    "release": ("app.cli.interventions:release", "Let a waiting instance go on without what it waits for."),
    "approve": ("app.cli.approving:approve", "Answer the question of a job that asks."),
    "queue": ("app.cli.queue:queue", "See, size, pause and clear the queue of jobs."),
    "worker": ("app.cli.workers:worker", "See and steer the workers that jobs run on."),
    "rerun": ("app.cli.rerunning:rerun", "Run parts of ended instances again."),
    "backfill": ("app.cli.backfilling:backfill", "Run past times of a task."),
    "backfills": ("app.cli.backfills:backfills", "See, pause, resume and cancel backfills."),
    "force": ("app.cli.interventions:force", "Settle the outcome of a node by hand."),
    "exceptions": ("app.cli.exceptions:exceptions", "See what failed, and go on from there."),
    "alerts": ("app.cli.alerts:alerts", "See what recovery and rules have raised."),
    "audit": ("app.cli.audit:audit", "See who changed what, and whether that record is whole."),
    "rules": ("app.cli.rules:rules", "See, test and switch handling rules."),
    "resource": ("app.cli.resource:resource", "Check a resource now."),
    "secret": ("app.cli.secrets:secret", "Keep passwords and keys, encrypted."),
    "stats": ("app.cli.stats:stats", "Counts, failures, times and error codes."),
    "errors": ("app.cli.errors:errors", "What an error code means and what to do."),
    "export": ("app.cli.exporting:export", "Write a diagnostic bundle for the support staff."),
    "bundle": ("app.cli.bundles:bundle", "Look at bundles, verify and import them."),
    "keys": ("app.cli.keys:keys", "Keys to sign, verify and encrypt bundles with."),
    "delivery": ("app.cli.delivering:delivery", "Make deliveries, bring them in, roll them back."),
    "fix": ("app.cli.fix_applying:fix", "Make, look at, apply and take back fixes."),
    "clean": ("app.cli.cleaning:clean", "Remove the ended instances that need not be kept."),
    "serve": ("app.cli.serving:serve", "Run the engine without a window."),
    "claim": ("app.cli.serving:claim", "Take the database over from another workspace."),
    "rebuild": ("app.cli.serving:rebuild", "Rebuild the database from the directories."),
}


@click.group(cls=CliProgram, table=COMMANDS, name="skerry", invoke_without_command=True)
@click.version_option(__version__, message="skerry %(version)s")
@click.pass_context
def cli(context: click.Context) -> None:
    """Run, explain and repair tasks on a closed network.

    Without a command it opens the window; where there is no display, it prints this help.
    """
    if context.invoked_subcommand is not None:
        return
    own = context.find_object(CliContext) or CliContext()
    if own.json or not any(os.environ.get(name) for name in _DISPLAYS):
        click.echo(context.get_help())
    else:
        context.exit(open_window(own))


def open_window(cli: CliContext) -> int:
    """The window on the workspace, until it is closed; nothing of it is loaded before."""
    from app.cli.workspace_folder import open_workspace

    status: int = import_module("app.desktop.main").main(open_workspace(cli.root).root, cli.tell)
    return status


def main() -> None:
    """The entry point of the installed command.

    Most commands end before anything they dropped is worth collecting: looking for it costs a seventh of
    their CPU, half of it at the exit of Python.
    """
    collect_seldom()
    hide()
    try:
        cli.main(prog_name="skerry")
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # one that comes now would show a traceback
        gc.freeze()


if __name__ == "__main__":
    main()
