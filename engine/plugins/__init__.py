"""What a job type and a resource type are, and how they are found."""
