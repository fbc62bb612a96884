"""The real engine on a simulated machine: one seed decides about time, processes, disk, people and faults."""
