"""Archives: written the same each time; read from strangers, with no name, kind, size or count believed."""
