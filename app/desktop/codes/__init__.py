"""Codes: the catalogue, exceptions and handling rules."""
