"""Secrets at rest (the vault) and on their way out (masking)."""
