"""What happens in one life, from its seed: definitions, requests of operators, faults."""
