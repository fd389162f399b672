"""The page for Prometheus, on loopback. It hands out, and takes nothing."""

from __future__ import annotations

import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from controller.shell.observing.exposition import CONTENT_TYPE, exposition
from controller.shell.observing.local_socket import LONGEST_S, WindowError
from controller.shell.observing.snapshot import Observation


class MetricsPage:
    """``/metrics`` on 127.0.0.1."""

    def __init__(self, port: int, look: Callable[[], Observation | None]) -> None:
        class Page(BaseHTTPRequestHandler):
            timeout = LONGEST_S

            def do_GET(self) -> None:
                seen = look()
                if self.path != "/metrics" or seen is None:
                    self.send_error(404 if seen is not None else 503)
                    return
                body = exposition(seen).encode()
                self.send_response(200)
                self.send_header("Content-Type", CONTENT_TYPE)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Prometheus scrapes every few seconds; that is not worth a line."""

        try:
            self._server = ThreadingHTTPServer(("127.0.0.1", port), Page)
        except OSError as error:
            raise WindowError(f"observe.metrics_port: port {port}: {error.strerror or error}") from error
        self._server.daemon_threads = True
        self.port: int = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, name="metrics", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Nobody can look any more."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(LONGEST_S)
