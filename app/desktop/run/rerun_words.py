"""What a rerun will do, in the picture of the task and in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from app.desktop.canvas.graph import CanvasGraph
from app.desktop.kernel.language import tr
from app.desktop.kernel.visible_text import visible
from app.desktop.run.reading import RunLook
from app.desktop.run.rerun_model import PlanAnswer, Verdict

_WORDS: Mapping[Verdict, str] = {"run": "runs again", "keep": "kept", "skip": "skipped"}


def picture(look: RunLook, plan: PlanAnswer, edited: frozenset[str]) -> CanvasGraph:
    """The task with the verdict on every node."""
    nodes = []
    for node in look.graph.nodes:
        verdict = plan.verdicts.get(node.id, "skip")
        job = look.job(node.id)
        badges = (tr(_WORDS[verdict]), *((tr("on edited values"),) if node.id in edited else ()))
        status = "queued" if verdict == "run" else job["status"] if verdict == "keep" and job else "skipped"
        runs = verdict == "run"
        nodes.append(
            replace(node, status=status, badges=badges, faint=not runs, mark="changed" if runs else "")
        )
    return replace(look.graph, nodes=tuple(nodes))


def summary(plan: PlanAnswer, edited: frozenset[str]) -> str:
    """What will happen, in one line."""
    run = plan.nodes("run")
    named = ", ".join(run[:8]) + ("…" if len(run) > 8 else "")
    text = tr("Runs again: {n} ({nodes})", n=len(run), nodes=named)
    text += " · " + tr("kept: {n}", n=len(plan.nodes("keep")))
    text += " · " + tr("skipped: {n}", n=len(plan.nodes("skip")))
    text += " · " + tr("on edited values: {n}", n=len(edited)) if edited else ""
    return text + (" · " + tr("other instances after it: {n}", n=len(plan.behind)) if plan.behind else "")


def followers(plan: PlanAnswer) -> str:
    """Which other instances run again, after what, and which of their nodes."""
    if not plan.behind:
        return tr("No other instance depends on this one.")
    lines = [tr("Then these instances run again, each when those before it have succeeded:")]
    for each in plan.behind:
        after, nodes = ", ".join(map(str, each.after)), visible(", ".join(each.run))
        named = {"n": each.instance, "task": visible(each.task), "after": after, "nodes": nodes}
        lines.append(tr("Instance {n} of {task}, after {after}: {nodes}", **named))
    return "\n".join(lines)


def others(names: Sequence[str]) -> str:
    """Which tasks depend on this one, while nobody asks for their instances."""
    if not names:
        return tr("No other task depends on this one.")
    text = tr("These tasks depend on this one: {tasks}.", tasks=visible(", ".join(names)))
    return f"{text}\n" + tr("Their instances stay as they are unless you choose to run them again too.")
