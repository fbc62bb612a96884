"""Queue: the handles of the job queue."""
