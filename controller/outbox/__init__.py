"""Letters not yet acknowledged: topics, payloads, the pump and its MQTT shell."""
