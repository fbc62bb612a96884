"""Resources: what jobs need outside, edited and checked."""
