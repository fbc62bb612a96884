"""The page of keys: named, compared before they are trusted, revoked with a reason."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QCheckBox, QLabel, QLineEdit
from pytestqt.qtbot import QtBot

from app import wiring
from app.desktop.bundles.bundle_dialog import recipients
from app.desktop.bundles.keys_page import KeysPage
from app.desktop.kernel.console import Console
from app.desktop.widgets.questions import Asking
from engine.runtime.clock import SystemClock
from export_import.keys import Keys

Asked = Callable[[str, bool], list[str]]


@pytest.fixture
def vendor(tmp_path: Path) -> Keys:
    return Keys(wiring.open_workspace(tmp_path / "vendor").root, SystemClock())


@pytest.fixture
def card(vendor: Keys, tmp_path: Path) -> Path:
    path = tmp_path / "vendor.card"
    path.write_bytes(vendor.card("Vendor"))
    return path


@pytest.fixture
def page(console: Console, qtbot: QtBot) -> KeysPage:
    page = KeysPage(console)
    qtbot.addWidget(page)
    return page


@pytest.fixture
def answer() -> Asked:
    """Answer the next questions: what is typed (nothing: unchanged), and whether the button is pressed."""

    def given(text: str, pressed: bool) -> list[str]:
        seen: list[str] = []

        def act() -> None:
            asking = QApplication.activeModalWidget()
            if not isinstance(asking, Asking):
                return QTimer.singleShot(10, act)
            seen.extend(label.text() for label in asking.findChildren(QLabel))
            field = asking.findChild(QLineEdit)
            field.setText(text or field.text())
            for box in asking.findChildren(QCheckBox):
                box.setChecked(box.objectName() == "support")
            (asking.do if pressed else asking.leave).click()
            if asking.isVisible():  # it was refused
                seen.append(asking.problem.text())
                asking.reject()
            return None

        QTimer.singleShot(0, act)
        return seen

    return given


def test_a_card_is_trusted_only_once_its_fingerprint_was_compared(
    page: KeysPage, vendor: Keys, card: Path, answer: Asked
) -> None:
    seen = answer("", False)
    page.ask_trust(card)
    assert any(vendor.fingerprint in text for text in seen)
    assert page.list.topLevelItemCount() == 0

    answer("", True)
    page.ask_trust(card)
    row = page.list.topLevelItem(0)
    assert [row.text(at) for at in range(4)] == ["Vendor", "trusted", "bundles, fixes", vendor.fingerprint]


def test_a_card_that_is_none_is_refused_before_anything_is_asked(page: KeysPage, tmp_path: Path) -> None:
    (tmp_path / "x").write_text("hello")
    page.ask_trust(tmp_path / "x")
    assert page.said.text().startswith("-15002002000: that is no key")

    page.ask_trust(tmp_path / "nothing")
    assert page.said.text().startswith(f"-15002002000: {tmp_path / 'nothing'}: No such file or directory")


def test_what_is_done_to_a_key_is_offered_once_one_is_selected(
    page: KeysPage, card: Path, answer: Asked
) -> None:
    page.trust(card, roles=("support",))
    buttons = page.role_button, page.revoke_button
    assert [each.isEnabled() for each in buttons] == [False, False]
    assert {each.toolTip() for each in buttons} == {"Select a key first."}

    page.list.setCurrentItem(page.list.topLevelItem(0))
    assert [each.isEnabled() for each in buttons] == [True, True]

    answer("laptop stolen", True)
    page.revoke_button.click()

    assert page.list.currentItem() is page.list.topLevelItem(0)
    assert [each.isEnabled() for each in buttons] == [False, False]
    assert page.revoke_button.toolTip() == "It is revoked."


def test_a_revoked_key_shows_why(page: KeysPage, card: Path, answer: Asked) -> None:
    page.trust(card, roles=("support",))
    page.list.setCurrentItem(page.list.topLevelItem(0))
    answer("laptop stolen", True)
    page.revoke_button.click()

    assert page.list.topLevelItem(0).text(1) == "revoked: laptop stolen"


def test_our_name_is_on_the_page_and_on_the_card(page: KeysPage, console: Console, tmp_path: Path) -> None:
    assert page.own.text().startswith("Our fingerprint, ")
    page.save_card(tmp_path / "ours.card", "Harbour")

    assert page.own.text().startswith("We are Harbour. ")
    other = Keys(wiring.open_workspace(tmp_path / "other").root, SystemClock())
    assert other.trust((tmp_path / "ours.card").read_bytes(), roles=("site",)).name == "Harbour"


def test_in_chinese_an_error_says_what_it_means(page: KeysPage, console: Console, tmp_path: Path) -> None:
    (tmp_path / "x").write_text("hello")
    console.language.switch("zh_CN")
    page.ask_trust(tmp_path / "x")
    assert page.said.text().startswith("-15002002000: 这不是密钥：")


def test_a_name_that_another_key_has_is_refused_where_it_was_typed(
    page: KeysPage, card: Path, tmp_path: Path, answer: Asked
) -> None:
    page.trust(card, "Vendor", roles=("support",))
    other = Keys(wiring.open_workspace(tmp_path / "other").root, SystemClock())
    (tmp_path / "other.card").write_bytes(other.card("Other"))

    seen = answer("Vendor", True)
    page.ask_trust(tmp_path / "other.card")

    assert seen[-1].startswith("-1500200")
    assert page.list.topLevelItemCount() == 1


def test_a_key_that_was_replaced_is_no_longer_offered_as_a_recipient(
    page: KeysPage, vendor: Keys, card: Path, tmp_path: Path, console: Console, qtbot: QtBot
) -> None:
    # given a key that is trusted here, and the card of the one that took its place
    assert page.none.isVisibleTo(page)
    page.trust(card, roles=("support",))
    assert not page.none.isVisibleTo(page)
    before = vendor.fingerprint
    vendor.rotate()
    card.write_bytes(vendor.card("Vendor"))
    page.trust(card, roles=("support",))

    # then only the later one can be chosen: nothing can be encrypted to the earlier one any more
    box = recipients(console.workspace)
    qtbot.addWidget(box)
    assert [box.itemData(at) for at in range(box.count())] == ["", vendor.fingerprint]
    assert vendor.fingerprint != before
