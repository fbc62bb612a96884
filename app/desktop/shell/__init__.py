"""The window around the modes."""
