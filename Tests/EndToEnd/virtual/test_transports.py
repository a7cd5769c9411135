# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Transports to a controller besides TCP: lines that the test connects to Bumble's controller."""

from __future__ import annotations

import asyncio
import os
import pty
import select
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from beaconry import Beaconry
from peers import BumbleControllers
from phone import phone, receive_reports
from test_hosts import ENTRANCE, TWO

ONE = TWO[: TWO.index("  - id: plain")]


@contextmanager
def carrying(port: int, read: Callable[[], bytes], write: Callable[[bytes], object], near: int) -> Iterator[None]:
    """Carries bytes between a descriptor and a TCP port."""
    far = socket.create_connection(("127.0.0.1", port))
    is_over = threading.Event()

    def carry() -> None:
        while not is_over.is_set():
            for source in select.select([near, far], [], [], 0.1)[0]:
                octets = far.recv(4096) if source is far else read()
                if not octets:
                    return
                write(octets) if source is far else far.sendall(octets)

    carrier = threading.Thread(target=carry, daemon=True)
    carrier.start()
    yield
    is_over.set()
    carrier.join()
    far.close()


def expect_received(beaconry: Beaconry, radio: str, phones: str) -> None:
    """Expects a phone to receive a beacon on this radio, and the run to end in order."""
    run = beaconry.run(beaconry.profile(ONE), radio=radio)
    assert run.wait("radio-ready")["radio"] == radio
    run.wait("ready")

    async def listen() -> set[str]:
        async with phone(phones) as device:
            return {each.address for each in await receive_reports(device, 2)}

    assert ENTRANCE in asyncio.run(listen())
    assert run.end() == 0


def test_serial_line_carries_hci(beaconry: Beaconry, bumble_controllers: BumbleControllers) -> None:
    near, line = pty.openpty()
    with carrying(bumble_controllers.ports[0], lambda: os.read(near, 4096), lambda octets: os.write(near, octets), near):
        expect_received(beaconry, f"serial:{os.ttyname(line)},115200", bumble_controllers.transports[1])


def test_unix_socket_carries_hci(beaconry: Beaconry, bumble_controllers: BumbleControllers, tmp_path: Path) -> None:
    path = tmp_path / "controller.sock"
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(path))
    server.listen()
    near: list[socket.socket] = []

    def accept() -> None:
        near.append(server.accept()[0])
        with carrying(
            bumble_controllers.ports[0], lambda: near[0].recv(4096), lambda octets: near[0].sendall(octets),
            near[0].fileno(),
        ):  # fmt: skip
            is_over.wait(600)

    is_over = threading.Event()
    acceptor = threading.Thread(target=accept, daemon=True)
    acceptor.start()
    expect_received(beaconry, f"unix:{path}", bumble_controllers.transports[1])
    is_over.set()
    acceptor.join()
