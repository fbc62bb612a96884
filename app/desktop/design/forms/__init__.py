"""Forms: a node, a job, a task as fields that are filled in, with help and findings at each."""
