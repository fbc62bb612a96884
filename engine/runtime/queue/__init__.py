"""The job queue: slots, order and their number."""
