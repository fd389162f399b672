"""The composition root: from a configuration to a table at work, with real devices or simulated ones.

Its modules are imported by name: ``safe_outputs`` must not wait for a broker's client.
"""
