"""Bundles in the window: the export assistant, cases, fixes, deliveries, keys."""
