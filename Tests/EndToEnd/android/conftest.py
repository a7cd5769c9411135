# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Fixtures for tests of the plug-in for Android."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from event_server import EventServer
from plugin_check import PluginCheck, compile_plugin


@pytest.fixture(scope="session")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compiled plug-in."""
    folder = tmp_path_factory.mktemp("classes")
    compile_plugin(folder)
    return folder


@pytest.fixture
def port() -> Iterator[int]:
    """A port that no other program gets, also between two servers. Nothing listens there yet."""
    with socket.socket() as holder:
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        holder.bind(("127.0.0.1", 0))
        yield holder.getsockname()[1]


@pytest.fixture
def serve(port: int) -> Iterator[Callable[..., EventServer]]:
    """Starts a stand-in for a run at the port."""
    servers: list[EventServer] = []

    def start(*receivers: str, **options: Any) -> EventServer:
        servers.append(EventServer(port, *receivers, **options))
        return servers[-1]

    yield start
    for server in servers:
        server.kill()


@pytest.fixture
def install(classes: Path, tmp_path: Path) -> Iterator[Callable[..., PluginCheck]]:
    """Starts an app with the plug-in."""
    checks: list[PluginCheck] = []

    def start(*arguments: str, cycle: int = 0, maximum_age: int = 3_600_000) -> PluginCheck:
        words = arguments if "release" in arguments else (*arguments, f"maximumAge={maximum_age}")
        checks.append(PluginCheck(classes, tmp_path / f"app-{len(checks)}.log", *words, cycle=cycle))
        return checks[-1]

    yield start
    for check in checks:
        check.kill()
