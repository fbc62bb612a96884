"""The execution of one job: attempts, their stages, what follows a failure."""
