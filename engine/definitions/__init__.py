"""Definition files (YAML or JSON) to values of the model and back, with every mistake at its place."""
