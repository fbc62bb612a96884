"""Design: drawing tasks."""
