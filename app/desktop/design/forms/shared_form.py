"""The form of several nodes: the fields that all of them have; what is set there is set in each."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from PySide6.QtWidgets import QWidget

from app.desktop.design.document import Document
from app.desktop.design.edits import joined
from app.desktop.design.forms.definition_scope import DefinitionScope
from app.desktop.design.forms.field_tables import node_fields
from app.desktop.design.forms.fields import Field
from app.desktop.design.forms.form import Form
from app.desktop.design.forms.form_context import FormContext
from app.desktop.design.forms.plain_text import plain_label, short
from app.desktop.design.tree import REMOVE, Edit, Path, Tree, get, node_path, put
from app.desktop.kernel.language import tr, translated
from app.desktop.widgets.layouts import vbox
from engine.model.names import is_handler
from engine.planning.outline import map_of

_OF_ONE = (
    "name",
    "description",
    "process",
    "after",
    "for_each",
    "run_if",
)  # what makes it that node
_NAMING = ("type", "job", "task")  # whose texts decide which parameters there are
_NAMED = 10  # nodes whose values are told where they differ
_SHOWN = 40  # characters of a value of one of them


def shared_fields(scope: DefinitionScope, nodes: Sequence[str]) -> tuple[Field, ...]:
    """What all of them have, at the paths of the first; where they differ nothing is given, which is said."""
    if len(nodes) < 2:
        return ()
    parts = scope.parts
    trees = {node: map_of(parts.get(node)) for node in nodes}
    likes = {_shape(tree): node for node, tree in trees.items()}  # hundreds of nodes have a few shapes
    first = _own(scope, nodes[0])
    others = [_own(scope, node) for node in likes.values()]
    common = [
        key for key in first if all(key in each and each[key].kind is first[key].kind for each in others)
    ]
    required = {key for key in common if all(each[key].required for each in others)}
    return tuple(_merged(first[key], key, trees, key in required) for key in common)


def _own(scope: DefinitionScope, node: str) -> Mapping[Path, Field]:
    """The fields of a node that are kept at the node, by their paths in it."""
    place = node_path(scope.task, node)
    fields = (each for each in node_fields(scope, node) if each.path[: len(place)] == place)
    return {key: each for each in fields if (key := each.path[len(place) :])[0] not in _OF_ONE}


def _shape(value: Any) -> Hashable:
    """What decides which fields a node has, and of which kinds: all of it but its texts and numbers."""
    if isinstance(value, Mapping):
        return tuple((key, str(each) if key in _NAMING else _shape(each)) for key, each in value.items())
    return ("list", *map(_shape, value)) if isinstance(value, list) else None


def _merged(first: Field, key: Path, trees: Mapping[str, Tree], required: bool) -> Field:
    values = {node: get(tree, key, REMOVE) for node, tree in trees.items()}
    if all(each == first.value for each in values.values()):
        return replace(first, required=required)
    given = (f"{node}: {short(each, _SHOWN)}" for node, each in values.items() if each is not REMOVE)
    names = ", ".join(islice(given, _NAMED))
    words = tr("not the same in all: {values}", values=names)
    return replace(first, value=REMOVE, default=None, origin=(words, words), required=False)


@dataclass(slots=True)
class SharedContext(FormContext):
    """Sets a field in each of ``nodes``, as one step of undo."""

    nodes: Callable[[], Sequence[str]] = tuple

    def set(self, field: Field, value: Any, merge: str | None = None) -> None:
        nodes, task = self.nodes(), self.document.task_id
        rest = field.path[len(node_path(task, nodes[0])) :]
        names = {"field": self.say(field.label), "n": len(nodes)}
        text = tr("Clear {field} of {n} nodes" if value is REMOVE else "Change {field} of {n} nodes", **names)
        edits = [self._edit((*node_path(task, node), *rest), value) for node in nodes]
        self.document.edit(joined(edits), text, merge)

    def _edit(self, path: Path, value: Any) -> Edit:
        return lambda tree: put(tree, self._emptied(path) if value is REMOVE else path, value)


class SharedForm(QWidget):
    """``show_nodes`` shows what several have in common; handlers are none of them."""

    def __init__(self, own: FormContext, document: Document, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.nodes: tuple[str, ...] = ()
        self.context = SharedContext(
            own.console, document, own.standing, own.samples, own.hover, own.editor, nodes=lambda: self.nodes
        )
        self.head = plain_label("", self)
        self.head.setContentsMargins(8, 6, 8, 6)
        self.form = Form(self.context, lambda: shared_fields(self.context.scope(), self.nodes), self)
        vbox(self.head, (self.form, 1), inside=self, margins=0, spacing=0)
        translated(self, self._word)

    def show_nodes(self, nodes: Sequence[str]) -> None:
        """Show others; what of them is there no more is left out by who calls."""
        self.nodes = tuple(sorted(each for each in nodes if not is_handler(each)))
        self._word()
        self.form.renew()

    def _word(self) -> None:
        names = ", ".join(self.nodes[:_NAMED]) + (", …" if len(self.nodes) > _NAMED else "")
        self.setAccessibleName(tr("Form of several nodes"))
        self.head.setText(tr("What is set here is set in {n} nodes: {names}", n=len(self.nodes), names=names))
