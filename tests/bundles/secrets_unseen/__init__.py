"""A second corpus of accidental secrets and harmless lines: first.txt before any code was read, second.txt after."""
