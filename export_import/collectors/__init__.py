"""What goes into a diagnostic bundle: one file here is one collector, found by a scan."""
