"""The metrics of a table: a snapshot as Prometheus reads it, and its page on loopback."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from controller.exposition import Kind, Labels, MetricsPage, Sample, exposition, of_histogram
from controller.shell.observing.local_socket import WindowError
from controller.shell.observing.snapshot import COUNTED, DeviceFigures, Observation
from controller.vocabulary.display import Display
from controller.vocabulary.errors import why

METRICS: dict[str, tuple[Kind, str]] = {
    "info": ("gauge", "Always 1; the labels give version, digest, boot and mode."),
    "uptime_seconds": ("gauge", "Time since the start of the daemon."),
    "phase": ("gauge", "1 for the phase of the table now."),
    "held": ("gauge", "1 while the table waits for a supervisor; the label gives the reason."),
    "alerts": ("gauge", "Alerts that need a person now, by code."),
    "shoe_cards_left": ("gauge", "Cards left in the shoe, by the count."),
    "house_edge": (
        "gauge",
        "House edge of each bet in the next round, computed from the unseen cards.",
    ),
    "cards_total": ("counter", "Cards that left the shoe, read and unread."),
    "messages_total": ("counter", "Messages of the stream, by name: round.opened counts the rounds."),
    "holds_total": ("counter", "Holds, by reason."),
    "voids_total": ("counter", "Voided rounds, by reason."),
    "readings_total": ("counter", "Readings of devices that were processed."),
    "events_total": ("counter", "Events that were committed."),
    "commits_total": ("counter", "Transactions."),
    "failed_commits_total": (
        "counter",
        "Transactions that failed to reach the disk; each is tried again.",
    ),
    "misreads_total": (
        "counter",
        "Holds and voids showing that a card cannot be what the reader reported, by reason.",
    ),
    "commit_seconds": ("histogram", "How long the disk took for a transaction."),
    "publish_seconds": ("histogram", "From handing a message of the stream to the broker until it answered."),
    "broker_connected": ("gauge", "1 while connected to the broker."),
    "broker_connections_total": ("counter", "Connections to the broker that succeeded."),
    "outbox_head": ("gauge", "Sequence of the last message of the stream."),
    "outbox_pending": ("gauge", "Messages that some consumer has not acknowledged."),
    "outbox_age_seconds": (
        "gauge",
        "Age of the oldest message that some consumer has not acknowledged.",
    ),
    "outbox_sent_total": ("counter", "Messages handed to the broker, repeats included."),
    "consumer_sequence": ("gauge", "Last sequence that each consumer has acknowledged."),
    "device_connected": ("gauge", "1 while the device is connected."),
    "device_losses_total": ("counter", "How often the device was lost."),
    "device_bytes_in_total": ("counter", "Bytes from the device."),
    "device_frames_in_total": ("counter", "Frames from the device."),
    "device_noise_in_total": ("counter", "Bytes that made no sense."),
    "device_writes_failed_total": ("counter", "Writes to the device that failed."),
    "certificate_end_seconds": (
        "gauge",
        "When a certificate expires, seconds since 1970: client, authority or broker; with TLS only.",
    ),
    "disk_free_bytes": ("gauge", "Free on the disk of the journal."),
    "disk_written_bytes_total": (
        "counter",
        "Bytes that the daemon caused to be written to disks, in whole pages of memory, if the system tells.",
    ),
    "disk_life_years": (
        "gauge",
        "Years that a new memory card of the size of the journal's disk lives at the pace of the daemon.",
    ),
    "temperature_celsius": ("gauge", "Temperature of the board, if it reports one."),
}
"""Name without ``dealertable_`` -> kind and meaning; also the page of the documentation."""


def metrics_of(seen: Observation) -> str:
    """All metrics of a table."""
    samples: dict[str, list[Sample]] = {}
    for name, labels, value in values(seen):
        samples.setdefault(name, []).append((name, labels, value))
    for name, histogram in (("commit_seconds", seen.commit_s), ("publish_seconds", seen.outbox.publish_s)):
        samples[name] = list(of_histogram(name, histogram))
    table = {"table": seen.unit.table}
    for name, found in samples.items():
        samples[name] = [(sample, {**table, **labels}, value) for sample, labels, value in found]
    return exposition(METRICS, samples)


def values(seen: Observation) -> Iterator[tuple[str, Labels, float]]:
    """Name, labels and value of every sample."""
    unit = seen.unit
    yield (
        "info",
        {"version": unit.version, "digest": unit.digest, "boot": str(unit.boot), "mode": unit.mode},
        1,
    )
    yield "uptime_seconds", {}, seen.uptime_s
    yield from of_display(seen.display)
    for spot, edge in seen.house_edge.items():
        yield "house_edge", {"spot": spot}, edge
    for code in sorted(set(seen.alerts.values())):
        yield "alerts", {"code": code}, sum(one == code for one in seen.alerts.values())
    for name, label in COUNTED.items():
        for kind, count in sorted(seen.counted[name].items()):
            yield f"{name}_total", {label: kind}, count
    for count_of in ("readings", "events", "commits", "failed_commits"):
        yield f"{count_of}_total", {}, getattr(seen.loop, count_of)
    yield "broker_connected", {}, seen.outbox.connected
    yield "broker_connections_total", {}, seen.outbox.connections
    yield "outbox_head", {}, seen.outbox.head
    yield "outbox_pending", {}, seen.outbox.pending
    yield "outbox_age_seconds", {}, seen.oldest_unacknowledged_s
    yield "outbox_sent_total", {}, seen.outbox.sent
    for consumer, sequence in sorted(seen.outbox.acknowledged.items()):
        yield "consumer_sequence", {"consumer": consumer}, sequence
    for name, line in sorted(seen.devices.items()):
        yield from of_device(name, line)
    for which, ends_s in sorted(seen.certificates_end_s.items()):
        yield "certificate_end_seconds", {"certificate": which}, ends_s
    yield "disk_free_bytes", {}, seen.disk_free_bytes
    for name, figure in (
        ("disk_written_bytes_total", seen.disk_written_bytes),
        ("disk_life_years", seen.disk_life_years),
        ("temperature_celsius", seen.temperature_celsius),
    ):
        if figure is not None:
            yield name, {}, figure


def of_display(display: Display | None) -> Iterator[tuple[str, Labels, float]]:
    """What the display says in numbers."""
    if display is None:
        return
    yield "phase", {"phase": display.phase}, 1
    hold, shoe = display.hold, display.shoe
    yield "held", {"reason": "" if hold is None else hold.reason}, hold is not None
    if shoe is not None:
        yield "shoe_cards_left", {}, shoe.left


def of_device(name: str, line: DeviceFigures) -> Iterator[tuple[str, Labels, float]]:
    """The figures of one device."""
    labels = {"device": name}
    yield "device_connected", labels, line.connected
    for figure in ("losses", "bytes_in", "frames_in", "noise_in", "writes_failed"):
        yield f"device_{figure}_total", labels, getattr(line, figure)


def metrics_page(port: int, look: Callable[[], Observation | None]) -> MetricsPage:
    """The page of what was last seen. WindowError where the port is taken."""

    def text() -> str | None:
        seen = look()
        return None if seen is None else metrics_of(seen)

    try:
        return MetricsPage(port, text)
    except OSError as error:
        raise WindowError(f"observe.metrics_port: port {port}: {why(error)}") from error
