"""``wagering``: players' bets, decisions and money, at one or many tables."""

from __future__ import annotations

import argparse
import signal


def run(arguments: argparse.Namespace) -> int:
    """Serve until SIGTERM or Ctrl-C."""
    from controller.shell.observing.logs import open_log, teller
    from controller.wagering.service import Wagering
    from controller.wagering.settings import load_wagering_settings

    settings = load_wagering_settings(arguments.config)
    open_log(settings.observe.log)
    service = Wagering(settings, tell=teller("controller.wagering"), accept_epochs=arguments.accept_epoch)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: service.stop())
    http = settings.http
    scheme = "http" if http.cert_file is None else "https"
    print(f"seats: {scheme}://{http.host}:{http.port}/", flush=True)
    service.run()
    return 0
