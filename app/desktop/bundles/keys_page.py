"""Our own keys and those of others: shown, compared, trusted, revoked, renewed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QFileDialog, QWidget

from app.desktop.bundles.bundle_dialog import add_row, error_text, keys_at
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr, translated
from app.desktop.kernel.times import local
from app.desktop.kernel.visible_text import visible
from app.desktop.widgets.layouts import vbox
from app.desktop.widgets.pane_widgets import button, line, plain, tree
from app.desktop.widgets.questions import Asking, confirm
from engine.model.errors import SkerryError
from export_import.key_cards import card_bytes, read_card
from export_import.keys import Keys
from export_import.trust import TrustedKey

_TRUSTED = "Compare its fingerprint with its owner before you rely on it."


_NONE = "No key of others is trusted yet. Ask them for a key card, and trust it here."


class KeysPage(QWidget):
    def __init__(self, console: Console, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._console = console
        self._trusted: dict[str, TrustedKey] = {}  # by fingerprint
        self.own, self.said = plain(), plain()
        columns = ("Name", "Standing", "May send", "Fingerprint", "Since")
        self.list = tree("Keys of others", columns, widths=(160, 110, 190, 370, 150))
        ours = line(button("Save our key card…", self._ask_card), button("Take new keys…", self._ask_rotate))
        self.revoke_button = button("Revoke the selected key…", self._ask_revoke)
        self.role_button = button("Change its role…", self._ask_role)
        theirs = line(button("Trust a key card…", self._ask_trust), self.role_button, self.revoke_button)
        self.list.currentItemChanged.connect(lambda *_: self._offer())
        self.none = plain()
        self.none.setAlignment(Qt.AlignmentFlag.AlignCenter)
        vbox(self.own, ours, (self.list, 1), (self.none, 1), theirs, self.said, inside=self)
        translated(self, self.refresh)

    def refresh(self) -> None:
        """Read them again; our own are made when there are none."""
        self.none.setText(tr(_NONE))
        try:
            own = self._keys()
            text = tr(
                "Our fingerprint, to be compared by telephone or in person:\n{fingerprint}",
                fingerprint=own.fingerprint,
            )
            text = f"{tr('We are {name}.', name=own.name)} {text}" if own.name else text
            self._trusted = {key.id: key for key in own.trusted()}
        except SkerryError as error:
            text, self._trusted = error_text(error, self._console), {}
        self.own.setText(text)
        self._fill()
        self.none.setVisible(not self._trusted)
        self.list.setVisible(bool(self._trusted))

    def _fill(self) -> None:
        """The key that is selected stays it."""
        before = self._selected
        self.list.clear()
        for id, key in self._trusted.items():
            row = (key.name, _standing(key), _may(key), id, local(key.added_at))
            item = add_row(self.list, *row, data=id)
            if before is not None and id == before.id:
                self.list.setCurrentItem(item)
        self._offer()

    @property
    def _selected(self) -> TrustedKey | None:
        item = self.list.currentItem()
        return None if item is None else self._trusted.get(str(item.data(0, Qt.ItemDataRole.UserRole)))

    def _offer(self) -> None:
        """What can be done with the selected key; what cannot says why."""
        key = self._selected
        none = "Select a key first."
        for each, why in (
            (self.revoke_button, none if key is None else "It is revoked." if key.revoked_at else ""),
            (self.role_button, none if key is None else "" if key.is_current else "It is no longer used."),
        ):
            each.setEnabled(not why)
            each.setToolTip(tr(why) if why else "")

    # what is done

    def save_card(self, path: Path, name: str | None = None) -> None:
        """Write the card that others need to trust us; ``name`` is what they will see."""
        done = tr("The key card is saved: {path}", path=path)
        self._do(lambda: path.write_bytes(self._keys().card(name)), done)

    def trust(self, path: Path, name: str | None = None, roles: Sequence[Any] = ()) -> None:
        """Believe the key of a card from now on, in these roles."""
        self._do(lambda: self._keys().trust(card_bytes(path), name, roles), tr(_TRUSTED))

    def rotate(self) -> None:
        """New keys; the old ones still open what was written to them."""
        self._do(self._keys().rotate, tr("There are new keys: give the new card to the others."))

    def _do(self, what: Callable[[], Any], done: str) -> None:
        try:
            what()
            self.said.setText(done)
        except (SkerryError, OSError) as error:
            self.said.setText(self._words(error))
        self.refresh()

    def _ask_until_done(self, asking: Asking, what: Callable[[], Any], said: str, field: QWidget) -> None:
        """What refuses it is said at the field; what was typed stays."""

        def done() -> None:
            self.said.setText(said)
            self.refresh()

        asking.carry_out_here(what, done, field, self._words)

    def _words(self, error: Exception) -> str:
        if isinstance(error, OSError):
            why = {"path": error.filename, "reason": error.strerror}
            return tr("{path} cannot be used: {reason}", **why)
        return error_text(error, self._console)

    def _ask_card(self) -> None:
        explained = tr("Others see this name beside the key, for example the name of the site.")
        asking = Asking(self, _plain(tr("Save our key card…")), explained, tr("Save"))
        name = asking.line(tr("Name"), self._keys().name, needed=True)

        def choose() -> None:
            chosen, _ = QFileDialog.getSaveFileName(self, tr("Save our key card…"), "skerry-key.json")
            if chosen:
                self.save_card(Path(chosen), name.text().strip())

        asking.carry_out_here(lambda: self._keys().card(name.text().strip()), choose, name, self._words)

    def _ask_trust(self) -> None:
        chosen, _ = QFileDialog.getOpenFileName(self, tr("Trust a key card…"))
        if chosen:
            self.ask_trust(Path(chosen))

    def ask_trust(self, path: Path) -> None:
        """Show whose card it is and its fingerprint; trust it if the person has compared that."""
        try:
            card = read_card(card_bytes(path))
        except SkerryError:
            self.trust(path)  # says what is wrong with it
            return
        text = tr(
            "Ask the owner, by telephone or in person, to read out the fingerprint:\n\n{fingerprint}\n\n"
            "If it is the same, say what its owner may send here from now on.",
            fingerprint=card.fingerprint,
        )
        asking = Asking(self, _plain(tr("Trust a key card…")), text, tr("It is the same: trust it"))
        name = asking.line(tr("Name"), self._name_for(card), needed=True)
        boxes = asking.ticks(tr("Role"), _roles(), self._roles_of(card)) if card.signing else []
        self._ask_until_done(
            asking, lambda: self._keys().trust(card_bytes(path), name.text().strip(), _ticked(boxes)),
            tr(_TRUSTED), name,
        )  # fmt: skip

    def _name_for(self, card: Any) -> str:
        """The name that the key has here: that of the key which it follows, else its card's."""
        before = self._keys().before(card)
        return str(before.name if before is not None else card.name)

    def _roles_of(self, card: Any) -> Sequence[str]:
        """The roles that the key has here already, or the one which it follows."""
        like = self._keys().trusted_key(card.fingerprint) or self._keys().before(card)
        return like.roles if like is not None else ()

    def _ask_role(self) -> None:
        key = self._selected
        if key is None:
            return
        text = tr("What may the owner of {name} send here from now on?", name=key.name)
        asking = Asking(self, _plain(tr("Change its role…")), text, tr("Change"))
        boxes = asking.ticks(tr("Role"), _roles(), key.roles)
        self._ask_until_done(
            asking,
            lambda: self._keys().say_role(key.id, _ticked(boxes)),
            tr("The role is changed."),
            boxes[0],
        )

    def _ask_revoke(self) -> None:
        key = self._selected
        if key is None:
            return
        text = tr(
            "What {name} signed is refused from now on. This cannot be taken back.", name=visible(key.name)
        )
        asking = Asking(self, _plain(tr("Revoke the selected key…")), text, tr("Revoke"))
        reason = asking.line(tr("Reason"), needed=True)
        self._ask_until_done(
            asking,
            lambda: self._keys().revoke(key.id, reason.text().strip()),
            tr("The key is revoked."),
            reason,
        )

    def _ask_rotate(self) -> None:
        question = tr("Take new keys? Everybody who trusts this site needs the new card.")
        if confirm(self, _plain(tr("Take new keys…")), question, tr("Take new keys")):
            self.rotate()

    def _keys(self) -> Keys:
        return keys_at(self._console.workspace)


def _standing(key: Any) -> str:
    if key.revoked_at:
        return tr("revoked: {reason}", reason=key.reason) if key.reason else tr("revoked")
    return tr("replaced") if key.replaced_by else tr("trusted")


def _may(key: Any) -> str:
    """What it may send, and how that is narrowed."""
    words = {
        "bundle": tr("bundles"),
        "fix": tr("fixes"),
        "delivery": tr("deliveries"),
        "receipt": tr("receipts"),
    }
    if not key.signing:
        return ""
    found = "; ".join([", ".join(words[each] for each in key.may), *key.scope.sites, *key.scope.projects])
    return found if key.roles else tr("{what} (no role yet)", what=found)


def _roles() -> list[tuple[str, str]]:
    return [
        ("site", tr("Site: sends bundles and receipts")),
        ("support", tr("Support: sends fixes")),
        ("author", tr("Author: sends deliveries")),
    ]


def _ticked(boxes: Sequence[QCheckBox]) -> list[Any]:
    return [box.objectName() for box in boxes if box.isChecked()]


def _plain(text: str) -> str:
    """A button's text as a title."""
    return text.rstrip("…")
