"""What leaves for the broker and what comes from it: stream, schedule, session, subscription, takeover."""
