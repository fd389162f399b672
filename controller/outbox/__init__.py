"""The stream of messages on its way: topics, schedule, publisher, session with the broker, subscription."""
