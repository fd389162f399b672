"""Figures for Prometheus: the text format (0.0.4), and a page on loopback that hands it out."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Literal

from controller.own_names import is_own, own_names
from controller.vocabulary.histogram import BOUNDS_S, Histogram

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
LONGEST_S = 5.0
"""A visitor who says nothing for so long is sent away."""
Kind = Literal["counter", "gauge", "histogram"]
Labels = Mapping[str, str]
Sample = tuple[str, Labels, float]


def exposition(metrics: Mapping[str, tuple[Kind, str]], samples: Mapping[str, Iterable[Sample]]) -> str:
    """The text. ``metrics``: name without ``dealertable_`` -> kind and meaning; ``samples`` of each of them:
    name, labels and value."""
    lines = []
    for name, (kind, meaning) in metrics.items():
        if name in samples:
            lines += [f"# HELP dealertable_{name} {meaning}", f"# TYPE dealertable_{name} {kind}"]
            lines += [
                f"dealertable_{sample}{{{written(labels)}}} {value:.15g}"
                for sample, labels, value in samples[name]
            ]
    return "\n".join(lines) + "\n"


def written(labels: Labels) -> str:
    """Labels as the format wants them."""
    return ",".join(f'{name}="{escaped(value)}"' for name, value in labels.items())


def escaped(value: str) -> str:
    """The value of a label."""
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def of_histogram(name: str, histogram: Histogram) -> Iterator[Sample]:
    """Steps counted together, as the format has it; their sum and number."""
    so_far = 0
    for bound, count in zip((*map(str, BOUNDS_S), "+Inf"), histogram.counts, strict=True):
        so_far += count
        yield f"{name}_bucket", {"le": bound}, so_far
    yield f"{name}_sum", {}, histogram.total_s
    yield f"{name}_count", {}, so_far


class MetricsPage:
    """``/metrics`` on 127.0.0.1."""

    def __init__(self, port: int, look: Callable[[], str | None]) -> None:
        """``look``: the text; None: there is nothing to see yet. OSError where the port is taken."""

        names = own_names("127.0.0.1")

        class Page(BaseHTTPRequestHandler):
            timeout = LONGEST_S

            def do_GET(self) -> None:
                if not is_own(self.headers.get("Host", "localhost"), names):
                    self.send_error(421)
                    return
                seen = look()
                if self.path != "/metrics" or seen is None:
                    self.send_error(404 if seen is not None else 503)
                    return
                body = seen.encode()
                self.send_response(200)
                self.send_header("Content-Type", CONTENT_TYPE)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Prometheus scrapes every few seconds; that is not worth a line."""

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Page)
        self._server.daemon_threads = True
        self.port: int = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, name="metrics", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Nobody can look any more."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(LONGEST_S)
