"""How this product talks to what is outside: a client each, for a resource's check and for the job types."""
