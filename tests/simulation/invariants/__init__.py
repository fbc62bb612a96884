"""What must hold in a life: at each commit, whenever an engine is idle, and at the end."""
