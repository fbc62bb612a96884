"""The engine's own entries of the error catalogue, a file for each domain."""
