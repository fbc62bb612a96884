"""What a trusted key may send here: its roles, what narrows them, and when another key took its place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, get_args

from engine.model.codes import bundles as codes
from engine.model.errors import Invalid, Refused
from engine.model.plain_words import quoted
from export_import.container.form import Kind, Trust

if TYPE_CHECKING:
    from engine.runtime.interventions.amendment import NewDefinition
    from engine.store.sql_store import Store

Role = Literal["site", "support", "author"]
Sending = Literal["bundle", "fix", "delivery", "receipt"]
ROLES: tuple[Role, ...] = get_args(Role)
_SENDS: dict[Role, tuple[Sending, ...]] = {
    "site": ("bundle", "receipt"),
    "support": ("bundle", "fix"),
    "author": ("bundle", "delivery"),
}
_WITHOUT_ROLE: tuple[Sending, ...] = ("bundle", "receipt")  # nothing that changes a site


@dataclass(frozen=True, slots=True)
class KeyScope:
    """What narrows the roles of a key; an empty part narrows nothing.

    ``sites`` are fingerprints: whose bundles and receipts it may send, and which sites it may change.
    ``projects``: only tasks of these may it change. ``may``: of what its roles allow, only this.
    """

    sites: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()
    may: tuple[Sending, ...] = ()


@dataclass(frozen=True, slots=True)
class TrustedKey:
    """The key of another party. ``id`` is the fingerprint (of a key that only encrypts: its ``age1…``)."""

    id: str
    name: str
    signing: str | None
    encryption: str | None
    added_at: str
    replaced_by: str | None = None  # the id of the key that took its place; still good for old bundles
    revoked_at: str | None = None
    reason: str | None = None
    roles: tuple[Role, ...] = ()  # empty: trusted before there were any
    scope: KeyScope = KeyScope()
    replaced_at: str | None = None  # when, as on the card of its successor

    @property
    def is_current(self) -> bool:
        """Neither revoked nor replaced: what is signed, granted or encrypted from now on may go by it."""
        return not self.revoked_at and not self.replaced_by

    @property
    def may(self) -> tuple[Sending, ...]:
        allowed = {each for role in self.roles for each in _SENDS[role]} if self.roles else {*_WITHOUT_ROLE}
        chosen = self.scope.may or get_args(Sending)
        return tuple(each for each in get_args(Sending) if each in allowed and each in chosen)

    def standing(self, kind: Kind, created: datetime) -> Trust:
        """Whether a bundle of that kind, made (as it says itself) at that time, is believed."""
        if self.revoked_at:
            return "revoked"
        if self.replaced_at and created > datetime.fromisoformat(self.replaced_at):
            return "replaced"
        return "known" if sending(kind) in self.may else "not_allowed"


def sending(kind: Kind) -> Sending:
    """The kind of a bundle as people call it here."""
    return "bundle" if kind == "diagnostic" else kind


def read_roles(words: Iterable[str]) -> tuple[Role, ...]:
    """Roles in their own order, each once; Invalid for another word."""
    given = {each.strip() for each in words}
    if wrong := given - {*ROLES}:
        raise Invalid(codes.ROLE_NEEDED, "{role!r} is no role", where="--role", role=sorted(wrong)[0])
    return tuple(role for role in ROLES if role in given)


def read_scope(texts: Iterable[str], roles: Sequence[Role]) -> KeyScope:
    """A scope from texts ``site=SHA256:…``, ``project=NAME``, ``may=fix``; Invalid for anything else."""
    found: dict[str, list[str]] = {"site": [], "project": [], "may": []}
    for text in (part.strip() for each in texts for part in each.split(",")):
        name, _, value = text.partition("=")
        if name not in found or not value or (name == "site" and not value.startswith("SHA256:")):
            message = "{text} narrows nothing that there is"
            raise Invalid(codes.SCOPE_WRONG, message, where="--scope", text=quoted(text))
        found[name].append(value)
    allowed = {each for role in roles for each in _SENDS[role]}
    may = tuple(each for each in get_args(Sending) if each in found["may"])
    if set(found["may"]) - allowed:
        template = "a key with the role {roles} may send {kinds}"
        kinds = ", ".join(sorted(allowed))
        raise Invalid(codes.SCOPE_WRONG, template, where="--scope", roles=", ".join(roles), kinds=kinds)
    return KeyScope(tuple(found["site"]), tuple(found["project"]), may)


def trusted_from(tree: Mapping[str, Any]) -> TrustedKey:
    """A key as it was written down, also by an older program; TypeError or ValueError for anything else."""
    scope = tree.get("scope") or {}
    made = TrustedKey(**{
        **tree,
        "roles": read_roles(tree.get("roles", ())),
        "scope": KeyScope(**{field.name: tuple(scope.get(field.name, ())) for field in fields(KeyScope)}),
    })  # fmt: skip
    if made.replaced_at:
        datetime.fromisoformat(made.replaced_at)
    return made


def insist_on_projects(
    key: TrustedKey | None, definitions: Iterable[NewDefinition], task: str | None, store: Store
) -> None:
    """Refused where a key for certain projects changes, or runs again, anything beyond them.

    Jobs, resources and calendars belong to no project: it may add some, but not change those that others
    use. Rules and catalogue entries are for all.
    """
    if key is None or not key.scope.projects:
        return
    outside = [f"{each.kind} {each.id}" for each in definitions if not _is_within(each, key, store)]
    if task is not None and not _has_project(store, task, key):
        outside.append(f"task {task}")
    if outside:
        template = "the key {name!r} is trusted for {projects}, not for {where}"
        projects = ", ".join(key.scope.projects)
        raise Refused.at(codes.NOT_ALLOWED, template, outside[0], name=key.name, projects=projects)


def _is_within(new: NewDefinition, key: TrustedKey, store: Store) -> bool:
    if new.kind == "task":
        project = new.content.get("project") if isinstance(new.content, Mapping) else None
        is_new = store.definition("task", new.id) is None
        return project in key.scope.projects and (is_new or _has_project(store, new.id, key))
    return new.kind in ("job", "resource", "calendar") and store.definition(new.kind, new.id) is None


def _has_project(store: Store, task: str, key: TrustedKey) -> bool:
    row = store.definition("task", task)
    return row is not None and row.project in key.scope.projects
