"""Run: watching, understanding, repairing and replaying runs."""
