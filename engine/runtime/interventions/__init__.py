"""What operators do to instances, the queue and exceptions, and amendments."""
