"""The console's window: it shows and asks, and decides nothing; Qt is used only here."""
