"""What the expressions of a task or of a running job can see of the context."""

from __future__ import annotations

from engine.context.queries import Queries
from engine.context.visible import VisibleContext
from engine.context.walk import Walk
from engine.model.expression import Found, ParsedPath


class ContextScope(VisibleContext):
    """The values at the paths of expressions (a :class:`engine.model.expression.Scope`)."""

    def lookup(self, path: ParsedPath) -> Found:
        """The value at ``path``; SkerryError naming the path and the job when it is not there."""
        walk = Walk(self, path)
        if not path.rest:
            return walk.found()
        if path.steps:
            walk.found()  # what leads to the query must be there
        return Found(value := Queries(self).value(path), value)
