"""Samples of machine, engine and job processes, and the limits that are checked with them."""
