"""The editors of values, one file for each kind."""
