"""What one run and its jobs share: expression scopes, restart, pause, exceptions."""
