"""What to look for in a case: each file is one analyzer, found by a scan."""
