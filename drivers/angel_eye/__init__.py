"""Angel Eye II-EX card shoe: wire, driver and simulator."""
