"""Monitor: charts of the machine, the engine and the jobs."""
