"""A broker for the tests of a consumer."""

from tests.outbox.conftest import absent_broker, broker

__all__ = ["absent_broker", "broker"]
