"""The console's window: it shows and asks, and decides nothing; Qt is used only here."""

from app.desktop.kernel.overrides import guard_overrides

guard_overrides()
