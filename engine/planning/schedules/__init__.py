"""When tasks start by themselves: fire times, zones, working days, the life-cycle of a task; pure."""
