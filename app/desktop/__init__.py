"""The console's window: it shows and asks, and decides nothing; Qt is used only here."""

from app.desktop.kernel.overrides import guard_overrides
from app.desktop.kernel.plain_imports import import_without_features

guard_overrides()
import_without_features()
