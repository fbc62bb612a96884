"""How a binding is called for people: where it comes from, and what is done to it."""

from __future__ import annotations

from app.desktop.design.forms.form_context import FormContext
from app.desktop.design.picker import sources
from app.desktop.design.picker.bindings import PathBinding, steps_of
from app.desktop.kernel.language import tr

_ICONS = {"JOB": "source-result", "ROUNDS": "source-result", "ITEM": "source-item", "INDEX": "source-item"}


def icon_of(binding: PathBinding) -> str:
    found = steps_of(binding.path)
    steps = found.steps if found else ()
    if "OUTPUT" in steps or "ERROR_OUTPUT" in steps:
        return "source-output"
    if "PARAMS" in steps:
        return "source-param"
    return _ICONS.get(str(steps[0]) if steps else "", "source-builtin")


def label_of(context: FormContext, binding: PathBinding) -> str:
    """``words › count``, with what is done to it: ``words › What it printed › part``."""
    parts = [*_path_parts(context, binding.path)]
    if binding.pattern is not None:
        parts.append(tr("part of its text"))
    if binding.shift is not None:
        parts.append(_shifted(binding.shift))
    return " › ".join(parts)


def _shifted(shift: str) -> str:
    return tr("as written") if shift in ("", "0", "0d") else shift


def _path_parts(context: FormContext, path: str) -> list[str]:
    found = steps_of(path)
    if found is None or found.rest:
        return [path]
    source = sources.find(sources.near(context.scope(), context.node(), path), path)
    if source is None:
        return [str(step) for step in found.steps]
    group, one = source
    begun = steps_of(one.path)
    tail = [_step(step) for step in found.steps[len(begun.steps) if begun else 0 :]]
    return [context.say(group.title), context.say(one.label), *tail]


def _step(step: object) -> str:
    if isinstance(step, int):
        return tr("item {n}", n=step + 1) if step >= 0 else tr("item {n} from the end", n=-step)
    return str(step)
