"""The windows of a running daemon: a real process, its socket, its page; they show, and take nothing."""

from __future__ import annotations

import random
import re
import socket
import stat
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import msgspec
import pytest
from prometheus_client.parser import text_string_to_metric_families as families_in

from controller.cli.top import read
from controller.exposition import written
from controller.shell.observing.local_socket import WindowError
from controller.shell.observing.metrics import METRICS, metrics_page
from controller.shell.observing.snapshot import temperature
from drivers.angel_eye.simulator import SimulatedAngelEye
from tests.cli.program import dealer_table
from tests.harness.broker import free_port
from tests.harness.configuration import configured
from tests.harness.dealer import Dealer
from tests.harness.house import House, house
from tests.harness.patience import PATIENCE_S
from tests.harness.process import until

ROUNDS = 2


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def table(tmp_path: Path, port: int) -> Iterator[House]:
    observe = f'[observe]\nmetrics_port = {port}\nsocket = "{{folder}}/top"\n'
    with house(tmp_path, SimulatedAngelEye(tmp_path / "shoe"), observe) as whole:
        dealer = Dealer(whole, random.Random(3))
        whole.daemon.start()
        dealer.load()
        for _ in range(ROUNDS):
            dealer.round()
        yield whole


def page(port: int) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=PATIENCE_S) as answer:
        assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
        text: str = answer.read().decode()
        return text


def samples(text: str) -> dict[tuple[str, str], float]:
    """As Prometheus's own client reads the page: name and labels, the table's own left out."""
    found = {}
    for family in families_in(text):
        name = family.name.removeprefix("dealertable_") + "_total" * (family.type == "counter")
        assert (family.type, family.documentation) == METRICS[name]
        for name, labels, value, *_ in family.samples:
            assert labels.pop("table") == "north/7"
            found[name.removeprefix("dealertable_"), written(labels)] = value
    return found


def settled(port: int) -> dict[tuple[str, str], float]:
    """Of a snapshot, which is taken twice a second, that has the last round and that the broker took it."""
    seen: dict[tuple[str, str], float] = {}

    def so() -> bool:
        seen.update(samples(page(port)))
        last = seen.get(("messages_total", 'name="round.settled"')) == ROUNDS
        return last and seen["publish_seconds_count", ""] > 0 and seen["broker_connected", ""] == 1

    until(so, lambda: seen)
    return seen


def test_metrics_are_told_under_no_strange_name(table: House, port: int) -> None:
    asked = urllib.request.Request(f"http://127.0.0.1:{port}/metrics", headers={"Host": "rebinding.example"})
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(asked, timeout=PATIENCE_S)
    assert refused.value.code == 421
    refused.value.close()


def test_metrics_say_what_has_happened(table: House, port: int) -> None:
    seen = settled(port)
    histograms = {name for name, (kind, _) in METRICS.items() if kind == "histogram"}
    parts = {f"{name}_{part}" for name in histograms for part in ("bucket", "sum", "count")}
    assert {name for name, _ in seen} <= (set(METRICS) - histograms) | parts
    assert parts <= {name for name, _ in seen}
    assert seen["commit_seconds_count", ""] == seen["commits_total", ""]
    assert seen["commit_seconds_bucket", 'le="+Inf"'] == seen["commit_seconds_count", ""]
    assert seen["commit_seconds_sum", ""] > 0
    assert 0 < seen["publish_seconds_count", ""] <= seen["outbox_sent_total", ""]
    assert 0 <= seen["outbox_age_seconds", ""] < PATIENCE_S
    assert seen["messages_total", 'name="round.opened"'] == ROUNDS
    assert seen["cards_total", 'result="read"'] == 416 - seen["shoe_cards_left", ""]
    assert seen["phase", 'phase="settled"'] == 1
    assert seen["house_edge", 'spot="banker"'] == pytest.approx(0.0106, abs=0.002)
    assert seen["device_connected", 'device="shoe"'] == 1
    assert seen["broker_connected", ""] == 1
    assert seen["outbox_head", ""] == table.stream_head()
    assert seen["failed_commits_total", ""] == 0
    assert seen["disk_written_bytes_total", ""] >= 0
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=PATIENCE_S)


def test_top_shows_the_table_and_nobody_else_may_look(table: House, port: int) -> None:
    settled(port)
    done = dealer_table("top", "--config", str(table.folder / "table.toml"), "--once")
    assert (done.returncode, done.stderr) == (0, "")
    assert "north/7 (live)" in done.stdout
    assert "settled, light red" in done.stdout
    told = dealer_table("top", "--config", str(table.folder / "table.toml"), "--json")
    seen = msgspec.json.decode(told.stdout)
    assert seen["counted"]["messages"]["round.settled"] == ROUNDS
    earlier = {name: value for name, value in seen.items() if not name.startswith("disk_written")}
    assert read(msgspec.json.encode(earlier)).disk_written_bytes is None
    assert stat.S_IMODE((table.folder / "top").stat().st_mode) == 0o660


def test_top_says_in_words_what_is_wrong(table: House) -> None:
    table.shoe.unplug()
    looked = ("top", "--config", str(table.folder / "table.toml"), "--once")
    rows: dict[str, str] = {}

    def held() -> bool:
        rows.update(re.findall(r"^(\S+) +(.+)$", dealer_table(*looked).stdout, re.MULTILINE))
        return rows.get("hold", "").startswith("device lost; ")

    table.daemon.until(held, "the shoe is lost")
    assert re.fullmatch(r"LOST, \d+ frames, 0 bytes of noise, lost 1 time", rows["shoe"])
    assert re.fullmatch(r"(Player|Banker|Tie) \d:\d.*", rows["result"])


def test_whoever_writes_or_hangs_at_the_socket_disturbs_nobody(table: House, port: int) -> None:
    settled(port)
    with socket.socket(socket.AF_UNIX) as silent, socket.socket(socket.AF_UNIX) as noisy:
        silent.connect(str(table.folder / "top"))
        noisy.connect(str(table.folder / "top"))
        with suppress(BrokenPipeError):  # it may have been shown out already
            noisy.sendall(b"VOID supervisor\n")
        assert dealer_table("top", "--config", str(table.folder / "table.toml"), "--once").returncode == 0
    table.daemon.check()
    assert table.daemon.stop() == 0
    assert not (table.folder / "top").exists()


def test_without_a_daemon_top_says_so(tmp_path: Path) -> None:
    shoe = 'devices.shoe = { driver = "angel-eye", port = "/dev/none" }'
    path = configured(tmp_path, shoe, 'observe.socket = "nobody"')
    done = dealer_table("top", "--config", str(path), "--once")
    assert (done.returncode, done.stdout) == (1, "")
    assert "is the table running" in done.stderr


def test_a_port_that_is_taken_is_named(port: int) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", port))
        taken.listen()
        with pytest.raises(WindowError, match=r"observe\.metrics_port"):
            metrics_page(port, lambda: None)


def test_before_the_first_snapshot_the_page_says_not_yet(port: int) -> None:
    with closing(metrics_page(port, lambda: None)), pytest.raises(urllib.error.HTTPError, match="503"):
        page(port)


@pytest.mark.parametrize("text", ['a"b', "a\\b", "a\nb", 'a",le="1'])
def test_a_label_cannot_break_out(text: str) -> None:
    (family,) = families_in(f"alerts{{{written({'code': text})}}} 1\n")
    assert [one.labels for one in family.samples] == [{"code": text}]


def test_a_board_without_a_thermometer_has_no_temperature(tmp_path: Path) -> None:
    assert temperature(tmp_path / "none") is None
    (tmp_path / "temp").write_text("48312\n")
    assert temperature(tmp_path / "temp") == 48.312
