"""Everything with a clock, a thread or a port: wiring, loop, intake, lamps, replay, health."""
