"""Care of a workspace over time: its database, retention, disk reserve, synced files."""
