"""The store: the port, one implementation for SQLite and PostgreSQL, upgrades, rebuild from directories."""
