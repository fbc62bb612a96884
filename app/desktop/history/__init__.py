"""History: everything that ran."""
