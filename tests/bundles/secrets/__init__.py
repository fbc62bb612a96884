"""Secrets that nobody stored, in the formats of real programs, and lines of real logs that hold none."""
