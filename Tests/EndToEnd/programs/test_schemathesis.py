# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""schemathesis sends what the description of the HTTP resources permits, and what it does not."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from beaconry import CHECKOUT, PROFILES, Beaconry
from private_bus import PEERS

# What a profile, a scenario, physics, a setting or an override may be is more than a schema can say; so is which members go together.
FREE = ("PATCH /v1/beacons/{beacon}", "PUT /v1/beacons/{beacon}", "POST /v1/beacons/{beacon}/commands/{command}") + (
    "PATCH /v1/beacons", "PUT /v1/profile", "PUT /v1/scenario", "PUT /v1/links/{from}/{to}", "PUT /v1/receivers/{receiver}",
    "PATCH /v1/receivers/{receiver}", "PUT /v1/receivers/{receiver}/regions/{region}", "PUT /v1/air/physics",
    "PUT /v1/beacons/{beacon}/connection-fault",
)  # fmt: skip
# The radio may be off when the health is read.
CONFIGURATION = '[[operations]]\ninclude-name = "GET /v1/health"\nchecks.not_a_server_error.enabled = false\n' + "".join(
    f'[[operations]]\ninclude-name = "{name}"\nchecks.positive_data_acceptance.enabled = false\n' for name in FREE
)
DESCRIPTION = CHECKOUT / "docs" / "openapi.json"
PATHS = json.loads(DESCRIPTION.read_text())["paths"]


def streams(path: str) -> bool:
    """Whether a resource has answers that do not end."""
    answers = [answer for operation in PATHS[path].values() for answer in operation["responses"].values()]
    return any("text/event-stream" in answer.get("content", {}) for answer in answers)


EXCLUDED = (
    "/v1/journal/wait", "/v1/stop", "/v1/receivers/{receiver}/connections/{device}", *filter(streams, PATHS)
)  # fmt: skip


@contextmanager
def bridge(path: Path) -> Iterator[str]:
    """The URL of a TCP port that forwards to a Unix socket: schemathesis connects over TCP only."""

    def forward(source: socket.socket, target: socket.socket) -> None:
        with source.makefile("rb", 0) as read, target.makefile("wb", 0) as write:
            try:
                shutil.copyfileobj(read, write, 65536)
                target.shutdown(socket.SHUT_WR)
            except OSError:
                pass

    def accept() -> None:
        while True:
            try:
                one, _ = server.accept()
            except OSError:
                return
            other = socket.socket(socket.AF_UNIX)
            other.connect(str(path))
            for pair in ((one, other), (other, one)):
                threading.Thread(target=forward, args=pair, daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=accept, daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"
        server.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize("place", ["tcp", "unix"])
def test_resources_are_as_described(beaconry: Beaconry, tmp_path: Path, place: str) -> None:
    """All but streams, which do not end, what waits for as long as it is asked to, verifications and connections, and the end of
    the run."""
    program = PEERS / "schemathesis" / "bin" / "schemathesis"
    assert program.exists(), "schemathesis is missing: run Scripts/install-dependencies peers"
    run = beaconry.start(
        "run", str(PROFILES / "museum.yaml"), "--radio", "virtual", "--ephemeral", "--json", "--http", "127.0.0.1:0",
        "--hci-server", "tcp:127.0.0.1:0?name=phone&at=3,0",
    )  # fmt: skip
    url = run.wait("http-ready")["url"]
    run.wait("ready")
    (tmp_path / "schemathesis.toml").write_text(CONFIGURATION)
    excluded = [word for path in EXCLUDED for word in ("--exclude-path", path)]
    tested = sum(len(operations) for path, operations in PATHS.items() if path not in EXCLUDED)
    with bridge(beaconry.runtime / "beaconry" / "museum.sock") as bridged:
        done = subprocess.run(
            [
                program, "run", DESCRIPTION, "--url", url if place == "tcp" else bridged, "--max-examples", "30", "--seed", "1",
                *excluded,
            ],
            cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=280, check=False,
        )  # fmt: skip
    assert done.returncode == 0 and f"Tested: {tested}" in done.stdout, f"{done.stdout}\n{done.stderr}"
    assert run.end() == 0
