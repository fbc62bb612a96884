"""Reading archives from strangers: no name, kind, size or count in them is believed."""
