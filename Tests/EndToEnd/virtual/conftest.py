# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Fixtures for tests on the virtual air, on any machine, with third-party hosts and controllers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from beaconry import Beaconry, Run
from peers import BumbleControllers, Program, ReservedPorts, wait_until_served

VirtualAir = tuple[Run, str]


@pytest.fixture
def air(beaconry: Beaconry) -> Callable[..., VirtualAir]:
    """Starts a profile on a virtual air with a free port; returns the run and Bumble's name for the port."""

    def start(profile: Path | str, *options: str) -> VirtualAir:
        run = beaconry.run(profile, "--hci-server", "tcp:127.0.0.1:0", *options, radio="virtual")
        served = run.wait("radio-ready")["servers"][0]
        run.wait("ready")
        return run, served.replace("tcp:", "tcp-client:")

    return start


@pytest.fixture
def spawn(tmp_path: Path) -> Iterator[Callable[..., Program]]:
    """Starts third-party programs, and ends them after the test."""
    programs: list[Program] = []

    def start(*command: str | Path) -> Program:
        programs.append(Program(tmp_path / f"program-{len(programs)}.log", *command))
        return programs[-1]

    yield start
    for program in programs:
        program.kill()


@pytest.fixture
def reserved_ports() -> Iterator[ReservedPorts]:
    """Ports for programs that cannot choose one themselves."""
    reserved = ReservedPorts()
    yield reserved
    reserved.release()


@pytest.fixture
def bumble_controllers(reserved_ports: ReservedPorts, spawn: Callable[..., Program]) -> BumbleControllers:
    """Two Bumble controllers on a common link."""
    return BumbleControllers(spawn, reserved_ports)


@pytest.fixture
def rootcanal(reserved_ports: ReservedPorts, spawn: Callable[..., Program]) -> int:
    """rootcanal: every connection to this port is a controller."""
    ports = [reserved_ports.reserve() for _ in range(4)]
    names = ("hci_port", "test_port", "link_port", "link_ble_port")
    spawn(sys.executable, "-m", "rootcanal", *(f"--{name}={port}" for name, port in zip(names, ports)))
    wait_until_served(ports[0])
    return ports[0]
