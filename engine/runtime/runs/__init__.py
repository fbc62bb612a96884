"""The life of a task run: started, its nodes, its end."""
