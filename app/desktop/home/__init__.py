"""Home: what needs the operator now."""
