# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""rootcanal.py PROGRAM legacy|extended PORT ADDRESS…, in the guest of Scripts/bluez-vm: runs rootcanal, and puts a controller of
it with each of the addresses under the kernel, over /dev/vhci. Each connection to PORT is a further controller on their air."""

from __future__ import annotations

import ctypes
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import time
from typing import NoReturn

FIRST_PORT = 17001
PR_SET_PDEATHSIG = 1
HEADS = {2: (5, "<xxxH"), 3: (4, "<xxxB"), 4: (3, "<xxB"), 5: (5, "<xxxH")}
"""By the type of a packet, the size of its head, and where its length is: ACL and SCO data, events, ISO data."""


class Bridge:
    """A controller of rootcanal as hciN of the kernel."""

    def __init__(self, port: int) -> None:
        self.controller = connected(port)
        self.kernel = -1
        self._rest = b""
        # When it answers, the connection has become a controller.
        self.controller.sendall(b"\x01\x03\x0c\x00")
        answer = b""
        while len(answer) < 7:
            answer += self.controller.recv(7 - len(answer))
            acknowledge_at_once(self.controller)

    def plug_in(self) -> None:
        """Creates hciN, to which the kernel sends commands at once."""
        self.kernel = os.open("/dev/vhci", os.O_RDWR | os.O_CLOEXEC)
        os.write(self.kernel, b"\xff\x00")
        answer = os.read(self.kernel, 4)
        assert answer[:2] == b"\xff\x00", answer
        print(f"hci{struct.unpack_from('<H', answer, 2)[0]} is plugged in", flush=True)

    def forward_command(self) -> None:
        """A read from the kernel is one packet."""
        self.controller.sendall(os.read(self.kernel, 4096))

    def forward_events(self) -> None:
        """A write to the kernel is one packet; those of the connection have to be separated."""
        octets = self.controller.recv(1 << 16)
        if not octets:
            sys.exit("rootcanal has closed the connection")
        acknowledge_at_once(self.controller)
        octets = self._rest + octets
        while octets and len(octets) >= (head := HEADS[octets[0]])[0]:
            size = head[0] + (struct.unpack_from(head[1], octets)[0] & 0x3FFF)
            if len(octets) < size:
                break
            os.write(self.kernel, octets[:size])
            octets = octets[size:]
        self._rest = octets


def connected(port: int) -> socket.socket:
    """A connection to rootcanal, when it listens."""
    while True:
        try:
            connection = socket.create_connection(("127.0.0.1", port))
        except ConnectionRefusedError:
            time.sleep(0.05)
            continue
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        acknowledge_at_once(connection)
        return connection


def acknowledge_at_once(connection: socket.socket) -> None:
    """rootcanal writes a packet in pieces, and its system sends the next piece when the former is acknowledged: 40 ms late,
    without this. It has to be set again after each piece."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)


def set_up(port: int, addresses: list[str]) -> None:
    """Gives the controllers their addresses, and has rootcanal look every 20 ms for what is due, in place of 5 ms: in an emulated
    machine that takes a third of the processor time. Its port for tests takes words, each after its size, with the number of those
    after the first one."""
    commands = {f"set_device_address {number} {address}": "" for number, address in enumerate(addresses)}
    commands["set_timer_period 20"] = "set timer period to 20"
    with connected(port) as tests:
        answers = tests.makefile("rb")
        for command, expected in commands.items():
            name, *arguments = (bytes([len(word)]) + word.encode() for word in command.split())
            tests.sendall(name + bytes([len(arguments)]) + b"".join(arguments))
            while True:
                text = answers.read(struct.unpack("<I", answers.read(4))[0]).decode()
                acknowledge_at_once(tests)
                if text == (expected or command):
                    break


def end_with_parent() -> None:
    """Makes the program end when this one does, however that is."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def main() -> NoReturn:
    program, kind, receivers, *addresses = sys.argv[1:]
    configuration = "/run/rootcanal.txt"
    with open(configuration, "w") as file:
        has_sets = str(kind == "extended").lower()
        features = f"preset: DEFAULT features {{ le_extended_advertising: {has_sets} }}"
        file.write(f"tcp_server {{ tcp_port: {FIRST_PORT} configuration {{ {features} }} }}\n")
        file.write(f"tcp_server {{ tcp_port: {receivers} configuration {{ preset: DEFAULT }} }}\n")
    ports = [f"-{name}_port={port}" for name, port in zip(("test", "hci", "link", "link_ble"), range(17003, 17007))]
    with open("/run/rootcanal.log", "wb") as log:
        subprocess.Popen(
            [program, "-configuration_file", configuration, *ports], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            preexec_fn=end_with_parent,
        )  # fmt: skip
    bridges = [Bridge(FIRST_PORT) for _ in addresses]
    set_up(17003, addresses)
    for bridge in bridges:
        bridge.plug_in()
    forwarding = {bridge.kernel: bridge.forward_command for bridge in bridges}
    forwarding |= {bridge.controller.fileno(): bridge.forward_events for bridge in bridges}
    while True:
        for ready in select.select(forwarding, [], [])[0]:
            forwarding[ready]()


if __name__ == "__main__":
    main()
