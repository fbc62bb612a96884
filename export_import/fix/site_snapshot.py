"""What a supporter was shown of this site: what stands here, without what must not leave."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from functools import cached_property
from typing import TYPE_CHECKING, Any

from engine.api.documents import sections_of
from export_import.desk.omission_marks import is_marked
from export_import.fix.site_match import same, translated

if TYPE_CHECKING:
    from engine.model.clock import Clock
    from engine.secrets.vault import Vault
    from export_import.keys import Keys
    from export_import.redaction.redactor import Redactor

Translate = Callable[[str], str]


class SiteSnapshot:
    """Compares an earlier content of a fix with what stands here; a context manager.

    A masked part is never taken for whatever stands there: the site masks its own content again, by its
    own rules, and compares that. Refused (the secrets are locked) where that cannot be done.
    """

    def __init__(self, keys: Keys, clock: Clock, instance: int | None, vault: Vault | None) -> None:
        from export_import.redaction.pseudonyms import Pseudonyms

        self._keys, self._clock, self._instance, self._vault = keys, clock, instance, vault
        self._open = ExitStack()
        self.translate: Translate = Pseudonyms(keys).translate

    def __enter__(self) -> SiteSnapshot:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def definition(self, kind: str, id: str, was: Any, now: Any) -> bool:
        """Whether ``was`` is how that definition was shown, which is ``now`` here; None: there is none."""
        return self._fits(was, now, lambda redacted: sections_of({(kind, id): redacted}), now)

    def value(self, was: Any, tree: Any, at: Callable[[Any], Any]) -> bool:
        """Whether ``was`` is how the value was shown that ``at`` finds in the context ``tree``."""
        return self._fits(was, at(tree), lambda _: tree, tree, at)

    def _fits(
        self,
        was: Any,
        now: Any,
        within: Callable[[Any], Any],
        whole: Any,
        at: Callable[[Any], Any] | None = None,
    ) -> bool:
        if same(translated(was, self.translate), now):
            return True
        if not is_marked(was) or now is None:
            return False
        redacted = self._redactor.tree(within(whole))
        shown = at(redacted) if at else _only(redacted)
        return same(translated(was, self.translate), translated(shown, self.translate))

    @cached_property
    def _redactor(self) -> Redactor:
        from export_import.export_source import InstanceChoice, site_at
        from export_import.redaction.redactor import redactor_for

        choices = () if self._instance is None else (InstanceChoice(self._instance),)
        site = self._open.enter_context(site_at(self._keys.folder.parent, choices, self._clock))
        return redactor_for(site, self._keys, self._vault, True)


def _only(tree: Any) -> Any:
    """The one definition in the sections of a file."""
    [section] = tree.values()
    return section[0] if isinstance(section, list) else next(iter(section.values()))
