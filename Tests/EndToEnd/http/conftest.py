# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""A run whose control requests are served over HTTP."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from beaconry import PROFILES, Beaconry
from http_client import Server


@pytest.fixture
def served(beaconry: Beaconry) -> Callable[..., Server]:
    """Starts a run with `--http` on any free port."""

    def start(*options: str | Path, profile: str | Path = PROFILES / "museum.yaml") -> Server:
        words = [*map(str, options), "--radio", "virtual", "--json", "--http", "127.0.0.1:0"]
        if "--state" not in words:
            words.append("--ephemeral")
        if not {"--hci-server", "--rate"} & set(words):
            words += ["--hci-server", "tcp:127.0.0.1:0"]
        run = beaconry.start("run", str(profile), *words)
        url = run.wait("http-ready")["url"]
        radio = run.wait("radio-ready")
        air = [server.replace("tcp:", "tcp-client:", 1) for server in radio.get("servers", [])]
        run.wait("ready")
        host, _, port = url.removeprefix("http://").rpartition(":")
        return Server(run, host, int(port), radio["seed"], next(iter(air), ""))

    return start
