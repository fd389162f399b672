"""Everything with a clock, a thread or a port: wiring, daemon, loop, intake, conditions, lamps, replay."""
