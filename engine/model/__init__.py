"""Values and pure rules: no I/O, no clock, no knowledge of the layers above."""
