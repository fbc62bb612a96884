"""Further runs of ended instances and of what depends on them."""
