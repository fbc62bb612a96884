"""The library of Jobs: made once, used by many nodes."""
