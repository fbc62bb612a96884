"""A second corpus of accidental secrets and harmless lines, by a hand that had not read the code which hides them."""
