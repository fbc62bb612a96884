"""Another machine, reached over SSH with nothing installed on it, as a host of attempts."""
