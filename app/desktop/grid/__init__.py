"""The last runs of a task beside each other."""
