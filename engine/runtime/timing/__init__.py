"""When tasks start by themselves: what holds, what is due, who may fire, and the clock that says so."""
