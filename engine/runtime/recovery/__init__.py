"""What a new engine does with the runs and files that an earlier one left."""
