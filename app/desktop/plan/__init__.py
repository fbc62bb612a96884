"""Plan: what runs by time, past times that are run again."""
