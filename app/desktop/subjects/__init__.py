"""What can be done with a thing wherever it is shown."""
