# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Prometheus, which reads the metrics of several runs: each alert of the rules fires for its cause, and names the machine."""

from __future__ import annotations

import http.server
import json
import re
import socket
import subprocess
import threading
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from beaconry import CHECKOUT, PATIENCE, Beaconry
from http_client import Server, wait_until

PROMETHEUS = CHECKOUT / ".build" / "prometheus" / "usr" / "bin" / "prometheus"
RULES = CHECKOUT / "packaging" / "prometheus" / "beaconry.rules.yml"
UUID = "8F0C1B52-6D1A-4B7E-9C7E-2F7D3A1E5B90"
ROOM = f"""
profile: museum
beacons:
  - {{ id: "room-${{ROOM}}", label: "Room \\"${{ROOM}}\\"", device: ibeacon, ibeacon: {{ uuid: {UUID}, major: "${{ROOM}}", minor: 1 }} }}
"""
ALERTS = set(re.findall(r"alert: (\w+)", RULES.read_text()))


class OldVersion(http.server.BaseHTTPRequestHandler):
    """The metrics of a machine with another version of the program."""

    def do_GET(self) -> None:
        body = b'beaconry_build_info{version="0.0.1"} 1\n'
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; version=0.0.4")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: Any) -> None:
        pass


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


class Prometheus:
    def __init__(self, url: str) -> None:
        self._url = url

    def alerts(self) -> list[dict[str, Any]]:
        with urllib.request.urlopen(f"{self._url}/api/v1/alerts", timeout=PATIENCE) as answer:
            return json.load(answer)["data"]["alerts"]

    def firing(self, name: str) -> list[dict[str, Any]]:
        return [each for each in self.alerts() if each["labels"]["alertname"] == name and each["state"] == "firing"]

    def wait(self, name: str, *words: str) -> None:
        """Waits until an alert fires whose labels and annotations have words."""

        def fires() -> bool:
            return any(all(word in json.dumps(each, ensure_ascii=False) for word in words) for each in self.firing(name))

        wait_until(fires, self.alerts)

    def wait_for_end(self, name: str) -> None:
        wait_until(lambda: not self.firing(name), self.alerts)


@contextmanager
def prometheus(folder: Path, targets: list[str]) -> Iterator[Prometheus]:
    """Prometheus with the rules, which fire at once, and read the metrics every second."""
    folder.mkdir()
    (folder / "rules.yml").write_text(re.sub(r"\n +for: .*", "", RULES.read_text()))
    (folder / "prometheus.yml").write_text(json.dumps({
        "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
        "rule_files": [str(folder / "rules.yml")],
        "scrape_configs": [{"job_name": "beaconry", "static_configs": [{"targets": targets}]}],
    }))  # fmt: skip
    port = free_port()
    command = [
        str(PROMETHEUS), f"--config.file={folder / 'prometheus.yml'}", f"--storage.tsdb.path={folder / 'data'}",
        f"--web.listen-address=127.0.0.1:{port}",
    ]  # fmt: skip
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        url = f"http://127.0.0.1:{port}"

        def answers() -> bool:
            assert process.poll() is None, (folder / "log").read_text()
            try:
                return urllib.request.urlopen(f"{url}/-/ready", timeout=5).status == 200
            except OSError:
                return False

        wait_until(answers, lambda: (folder / "log").read_text())
        yield Prometheus(url)
    finally:
        process.terminate()
        process.wait(timeout=PATIENCE)


def test_every_alert_fires_for_its_cause(beaconry: Beaconry, tmp_path: Path) -> None:
    """A museum with three machines, two of which have one room; another with an old version, and one that is off."""
    served: Callable[..., Server] = room_server(beaconry)
    fired: set[str] = set()
    paths = []
    for folder in ("one", "two", "three"):
        (tmp_path / folder).mkdir()
        paths.append(tmp_path / folder / "profile.yaml")
        paths[-1].write_text(ROOM)
    one, two, three = (served(path, ROOM=room) for path, room in zip(paths, ("1", "2", "2")))
    old = http.server.ThreadingHTTPServer(("127.0.0.1", 0), OldVersion)
    threading.Thread(target=old.serve_forever, daemon=True).start()
    off = f"127.0.0.1:{free_port()}"
    names = [f"127.0.0.1:{each.port}" for each in (one, two, three)]
    with prometheus(tmp_path / "prometheus", [*names, f"127.0.0.1:{old.server_address[1]}", off]) as watch:

        def wait(name: str, *words: str) -> None:
            watch.wait(name, *words)
            fired.add(name)

        wait("BeaconryDown", off)
        wait("BeaconryVersionsDiffer", "0.0.1")
        wait("BeaconryBeaconDoubled", f"ibeacon:{UUID}/2/1", names[1], names[2], 'room-2 (Room \\"2\\")')
        assert not watch.firing("BeaconryFilesDiffer"), watch.alerts()

        # The profile of one machine is another one, and then one with faults.
        paths[0].write_text(ROOM.replace("minor: 1", "minor: 2"))
        assert one.request("POST", "/v1/reload").status == 200
        wait("BeaconryFilesDiffer", names[0], "museum")
        paths[0].write_text(ROOM.replace("minor: 1", "minor: 70000"))
        assert one.request("POST", "/v1/reload").status == 422
        wait("BeaconryReloadFailed", names[0])

        beacon = "/v1/beacons/room-2"
        assert two.request("PATCH", beacon, {"battery": "flat"}, Content_Type="application/merge-patch+json").status == 200
        wait("BeaconryBeaconsNotOnAir", names[1], "flat-battery")
        watch.wait_for_end("BeaconryBeaconDoubled")
        assert three.request("PUT", "/v1/radio", {"power": "off"}).status == 200
        wait("BeaconryRadioLost", names[2])
        wait("BeaconryNotReady", names[2])

        # The first machine starts with a profile that cannot be read, and goes off after that.
        one.run.end()
        wait("BeaconryBeaconMissing", f"ibeacon:{UUID}/1/2", "room-1", 'Room \\"1\\"')
    state = tmp_path / "state"
    (tmp_path / "four").mkdir()
    path = tmp_path / "four" / "profile.yaml"
    path.write_text(ROOM)
    first = served(path, "--last-good", "--state", str(state), ROOM="4")
    wait_until(lambda: any((state / ".last-good").rglob("manifest.json")))
    first.run.end()
    path.write_text("profile: museum\nbeacons: [")
    four = served(path, "--last-good", "--state", str(state), ROOM="4")
    with prometheus(tmp_path / "second", [f"127.0.0.1:{four.port}"]) as watch:
        watch.wait("BeaconryProfileIsLastGood", f"127.0.0.1:{four.port}")
        fired.add("BeaconryProfileIsLastGood")
    old.shutdown()
    assert fired == ALERTS


def room_server(beaconry: Beaconry) -> Callable[..., Server]:
    """Starts a run over HTTP with variables of the environment."""

    def start(profile: Path, *options: str, **environment: str) -> Server:
        words = [*options, "--radio", "virtual", "--json", "--http", "127.0.0.1:0", "--hci-server", "none", "--control", "none"]
        if "--state" not in words:
            words.append("--ephemeral")
        run = beaconry.start("run", str(profile), *words, prefix=("env", *(f"{name}={value}" for name, value in environment.items())))
        url = run.wait("http-ready")["url"]
        run.wait("radio-ready")
        run.wait_until_reported("advertising-started")
        host, _, port = url.removeprefix("http://").rpartition(":")
        return Server(run, host, int(port), 0, "")

    return start
