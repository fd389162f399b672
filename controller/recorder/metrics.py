"""The metrics of the recorder, as Prometheus reads them."""

from __future__ import annotations

import time
from collections.abc import Mapping

from controller.exposition import Kind, Sample, exposition, of_histogram
from controller.recorder.figures import STEP_S, Figures

METRICS: Mapping[str, tuple[Kind, str]] = {
    "recorder_recording": (
        "gauge",
        "1 while this recorder records; 0 while it waits to take over, or for the database.",
    ),
    "recorder_broker_connected": ("gauge", "1 while connected to the broker."),
    "recorder_tables": ("gauge", "Tables that were heard of."),
    "recorder_behind_tables": ("gauge", "Tables of which messages are missing."),
    "recorder_missing_messages": ("gauge", "Messages that tables have sent and the record does not hold."),
    "recorder_received_total": ("counter", "Messages that came, repeats included."),
    "recorder_recorded_total": ("counter", "Messages that were committed."),
    "recorder_questions_total": ("counter", "Snapshots and resends that were asked for."),
    "recorder_findings_total": ("counter", "What was found in streams and a person must look into."),
    "recorder_database_wait_seconds": (
        "gauge",
        "For how long the database has not answered; it may wait for a standby that is gone.",
    ),
    "recorder_failures_total": ("counter", "How often the database failed; it is tried again each time."),
    "recorder_webhook_failures_total": (
        "counter",
        "How often telling a webhook failed of an error that nobody foresaw; it is tried again.",
    ),
    "recorder_commit_seconds": ("histogram", "How long the database took for a transaction."),
}
"""Name without ``dealertable_`` -> kind and meaning; also on the page of the documentation."""


def metrics_of(figures: Figures, name: str) -> str:
    """All of them, with the label ``recorder``."""
    moved_s = figures.moved_s  # once: another thread writes it
    waits_s = max(0.0, time.monotonic() - moved_s - STEP_S) if moved_s else 0.0
    values: dict[str, float] = {
        "recorder_recording": figures.recording,
        "recorder_broker_connected": figures.connected,
        "recorder_tables": figures.tables,
        "recorder_behind_tables": figures.behind,
        "recorder_missing_messages": figures.missing,
        "recorder_received_total": figures.came,
        "recorder_recorded_total": figures.recorded,
        "recorder_questions_total": figures.questions,
        "recorder_findings_total": figures.alarms,
        "recorder_database_wait_seconds": waits_s,
        "recorder_failures_total": figures.failures,
    }
    samples: dict[str, list[Sample]] = {metric: [(metric, {}, value)] for metric, value in values.items()}
    failures = "recorder_webhook_failures_total"
    samples[failures] = [
        (failures, {"webhook": webhook}, count) for webhook, count in figures.webhook_failures.copy().items()
    ]
    samples["recorder_commit_seconds"] = list(of_histogram("recorder_commit_seconds", figures.commit_s))
    label = {"recorder": name}
    return exposition(
        METRICS,
        {
            metric: [(sample, {**label, **labels}, value) for sample, labels, value in found]
            for metric, found in samples.items()
        },
    )
