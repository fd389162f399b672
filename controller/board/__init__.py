"""The result board: MQTT in, server-sent events out; reads, and never writes."""
