"""The graph of a task as a picture: layout, links, gestures."""
