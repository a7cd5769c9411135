# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""`beaconry.sweep` on Dask: a scheduler and two workers, over TCP between two network namespaces. `BEACONRY_SWEEP_SEEDS=667` makes 2,001
runs of the 60."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from beaconry import BINARY, CHECKOUT, PATIENCE

PEER = CHECKOUT / ".build" / "peers" / "dask" / "bin" / "python"
ADDRESSES = ("192.0.2.1", "192.0.2.2")
SCHEDULER = f"tcp://{ADDRESSES[0]}:8786"
SEEDS = int(os.environ.get("BEACONRY_SWEEP_SEEDS", "20"))
RUNS = 3 * SEEDS
SCENARIO = """scenario: chance
physics: { sensitivity: -68dBm }
beacons: [{ id: door, device: ibeacon, interval: 100ms, position: [0, 0], ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major: 1, minor: 1 } }]
receivers: [{ id: phone, position: [3, 0] }]
expect: [{ receiver: phone, sees: door, by: 200ms }, { receiver: phone, reports: door, count: 10+, by: 2s }]
"""
SPEC = f"""sweep: doors
scenario: chance.yaml
seeds: 1..{SEEDS}
variants: {{ place: {{ receivers.phone.position: [[2.7, 0], [3, 0], [3.3, 0]] }} }}
"""


class Network:
    """Two network namespaces with a cable between them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.processes: list[subprocess.Popen[bytes]] = []
        for _ in ADDRESSES:
            place = subprocess.Popen(["unshare", "--net", "sh", "-c", "ip link set lo up && echo ready && exec sleep infinity"], stdout=subprocess.PIPE)
            assert place.stdout and place.stdout.readline() == b"ready\n"
            self.processes.append(place)
        first, second = (str(each.pid) for each in self.processes)
        subprocess.run(["ip", "link", "add", "cable", "netns", first, "type", "veth", "peer", "cable", "netns", second], check=True)
        for number, address in enumerate(ADDRESSES):
            for command in (["ip", "address", "add", f"{address}/24", "dev", "cable"], ["ip", "link", "set", "cable", "up"]):
                subprocess.run([*self.enter(number), *command], check=True)

    def enter(self, number: int) -> list[str]:
        return ["nsenter", "--target", str(self.processes[number].pid), "--net"]

    def start(self, number: int, *arguments: str) -> subprocess.Popen[bytes]:
        """Starts a program of the peer in a namespace."""
        environment = {**os.environ, "PYTHONPATH": str(CHECKOUT / "python" / "src"), "BEACONRY_BINARY": str(BINARY)}
        # The files are nowhere but where the sweep is begun.
        place = self.folder / f"machine-{len(self.processes)}"
        place.mkdir()
        with (place / "messages.txt").open("w") as messages:
            started = subprocess.Popen(
                [*self.enter(number), str(PEER), *arguments], env=environment, cwd=place, stdout=subprocess.PIPE, stderr=messages,
                stdin=subprocess.DEVNULL,
            )  # fmt: skip
        self.processes.append(started)
        return started

    def messages(self) -> str:
        return "\n".join(path.read_text() for path in sorted(self.folder.glob("machine-*/messages.txt")))

    def close(self) -> None:
        for each in reversed(self.processes):
            each.kill()
        for each in self.processes:
            each.communicate(timeout=PATIENCE)


@pytest.fixture
def network(tmp_path: Path) -> Iterator[Network]:
    if os.geteuid() != 0:
        pytest.skip("network namespaces need root")
    assert PEER.exists(), "dask is missing: run Scripts/install-dependencies peers"
    with contextlib.closing(Network(tmp_path)) as made:
        yield made


@pytest.mark.parametrize("is_killed", [False, True], ids=["both-workers", "one-is-killed"])
def test_report_is_that_of_one_process(network: Network, tmp_path: Path, is_killed: bool) -> None:
    (tmp_path / "chance.yaml").write_text(SCENARIO)
    spec, output = tmp_path / "doors.sweep.yaml", tmp_path / "out.jsonl"
    spec.write_text(SPEC)
    report = subprocess.run([BINARY, "sweep", spec, "--jobs", "1"], capture_output=True, check=True, timeout=PATIENCE).stdout
    network.start(0, "-m", "distributed.cli.dask_scheduler", "--host", ADDRESSES[0], "--port", "8786", "--no-dashboard")
    workers = [
        network.start(number, "-m", "distributed.cli.dask_worker", SCHEDULER, "--no-dashboard", "--no-nanny", "--nthreads", "1", "--host", address)
        for number, address in enumerate(ADDRESSES)
    ]
    driver = network.start(0, str(Path(__file__).parent / "peers" / "dask_sweep.py"), SCHEDULER, str(spec), str(output), "2")
    if is_killed:
        end = time.monotonic() + PATIENCE
        while not output.exists() or output.read_bytes().count(b"\n") < RUNS // 4:
            assert time.monotonic() < end and driver.poll() is None, network.messages()
            time.sleep(0.002)
        workers[1].send_signal(signal.SIGKILL)
    text, _ = driver.communicate(timeout=2 * PATIENCE)
    assert driver.returncode == 0, network.messages()
    assert text == report
    assert re.search(rb" [1-9]\d?(\.\d)? % ", report), "the runs do not differ"
    lines = output.read_bytes().splitlines()[1:]
    assert len(lines) == len(set(lines)) == RUNS
