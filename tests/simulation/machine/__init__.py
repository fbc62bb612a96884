"""The simulated machine: its clock and virtual time, disk, processes and threads."""
