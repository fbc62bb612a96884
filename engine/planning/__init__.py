"""What a run will do, decided before and while it runs; pure: no I/O, no clock."""
