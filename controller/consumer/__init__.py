"""The receiving end of the stream: what every consumer must get right, written once to be copied."""
