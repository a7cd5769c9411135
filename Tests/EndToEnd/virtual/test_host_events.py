# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The events of a run about hosts that join its air, and about refused requests."""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable

from beaconry import MAJOR_MINOR, Beaconry, Run
from raw_host import ATTRIBUTES, RESET, RawHost, data, frame

PROFILE = """
profile: shop
beacons:
  - id: door
    device: iot-design-shop
    address: "C0:FF:EE:00:00:07"
    ibeacon: { major: 1, minor: 7 }
"""

Start = Callable[..., tuple[Run, str]]


def port_of(name: str) -> int:
    return int(name.rsplit(":", 1)[1])


def test_host_joins_scans_and_leaves(air: Start, beaconry: Beaconry) -> None:
    run, name = air(beaconry.profile(PROFILE))
    host = RawHost(port_of(name))
    joined = run.wait("host-joined")
    peer = "{}:{}".format(*host.socket.getsockname())
    assert (joined["transport"], joined["peer"]) == (name.replace("tcp-client:", "tcp:"), peer)
    host.start()
    address = host.command(0x1009)[1:7][::-1].hex(":").upper()
    assert joined["address"] == address
    host.scan()
    assert run.wait("scan-started", peer=peer)["scan"] == "passive"
    assert host.command(0x200C, b"\x00\x00") == b"\x00"
    run.wait("scan-stopped", peer=peer, address=address)
    assert host.command(0x200B, struct.pack("<BHHBB", 1, 160, 160, 0, 0)) == b"\x00"
    assert host.command(0x200C, b"\x01\x00") == b"\x00"
    assert run.wait("scan-started", peer=peer)["scan"] == "active"
    assert host.command(RESET) == b"\x00"
    run.wait("scan-stopped", peer=peer)
    # An extended scan of 10 ms, which ends by itself; the host receives a report of its end.
    host.start()
    assert host.command(0x2041, struct.pack("<BBBBHH", 0, 0, 1, 0, 160, 160)) == b"\x00"
    assert host.command(0x2042, struct.pack("<BBHH", 1, 0, 1, 0)) == b"\x00"
    run.wait("scan-started", peer=peer)
    run.wait("scan-stopped", peer=peer)
    host.close()
    run.wait("host-left", peer=peer, address=address)


def test_client_of_another_protocol_is_refused(air: Start, beaconry: Beaconry) -> None:
    run, name = air(beaconry.profile(PROFILE))
    with socket.create_connection(("127.0.0.1", port_of(name))) as browser:
        peer = "{}:{}".format(*browser.getsockname())
        browser.sendall(b"GET / HTTP/1.1\r\n\r\n")
        assert browser.recv(100) == b""
    refused = run.wait("host-refused", peer=peer)
    assert "does not send H4" in refused["reason"]
    assert not any(each["event"] == "host-left" for each in [*run.events, *run.take(0)]), "no event follows the refusal"


def test_writes_are_decoded_and_refusals_are_reported(air: Start, beaconry: Beaconry) -> None:
    run, name = air(beaconry.profile(PROFILE))
    host = RawHost(port_of(name))
    host.start()
    host.connect("C0:FF:EE:00:00:07")
    handle = host.characteristics()[MAJOR_MINOR]
    assert host.request(struct.pack("<BHHH", 0x12, handle, 5, 9)) == b"\x13"
    assert run.wait("written", device="door")["decoded"] == {"major": "5", "minor": "9"}
    assert host.request(struct.pack("<BHB", 0x12, handle, 5))[-1] == 0x0D
    refused = run.wait("refused", device="door")
    assert (refused["operation"], refused["attError"], refused["code"], refused["value"]) == ("write", 0x0D, "0x0D", "05")
    assert refused["characteristic"].lower() == MAJOR_MINOR and refused["central"]
    shown = beaconry.call("ctl", "show", "door").stdout
    assert "C0:FF:EE:00:00:07" in shown and "0x06" in shown and refused["central"] in shown, shown
    host.close()


PROTECTED = """
profile: shop
beacons:
  - id: door
    device: gatt
    address: "C0:FF:EE:00:00:07"
    services:
      - uuid: B0000000-0000-4000-8000-00000000BEAC
        characteristics:
          - { name: secret, uuid: B0000001-0000-4000-8000-00000000BEAC, properties: [read, write], permissions: encrypted, type: text, value: hidden }
          - { name: serial, uuid: B0000002-0000-4000-8000-00000000BEAC, properties: [read], type: text, value: fixed }
"""


def test_refusals_by_permissions_are_reported(air: Start, beaconry: Beaconry) -> None:
    """The radio's server refuses these requests itself; the device is not asked."""
    run, name = air(beaconry.profile(PROTECTED))
    host = RawHost(port_of(name))
    host.start()
    host.connect("C0:FF:EE:00:00:07")
    handles = host.characteristics()
    secret, serial = (handles[f"b000000{number}-0000-4000-8000-00000000beac"] for number in (1, 2))
    requests = [
        # Read Request, Prepare Write Request and Write Command for an encrypted value; a write to a read-only value.
        (struct.pack("<BH", 0x0A, secret), 0x05, "secret", "read", None),
        (struct.pack("<BHHB", 0x16, secret, 0, 7), 0x05, "secret", "write", "07"),
        (struct.pack("<BHB", 0x52, secret, 8), None, "secret", "write", "08"),
        (struct.pack("<BHB", 0x12, serial, 9), 0x03, "serial", "write", "09"),
    ]
    for request, error, characteristic, operation, value in requests:
        if error is None:
            assert host.handle is not None
            host.send(data(host.handle, frame(ATTRIBUTES, request)))
        else:
            assert host.request(request)[-1] == error
        refused = run.wait("refused", device="door")
        assert (refused["operation"], refused.get("value")) == (operation, value)
        assert refused["characteristicName"] == characteristic
        assert refused["attError"] == (error or 0x05)
    host.close()


def test_air_served_beyond_this_machine_is_a_warning(beaconry: Beaconry) -> None:
    run = beaconry.run(beaconry.profile(PROFILE), "--hci-server", "tcp:0.0.0.0:0", "--ephemeral", radio="virtual")
    run.wait("ready")
    assert "air-exposed" in run.warnings()
    assert run.end() == 0
    local = beaconry.run(beaconry.profile(PROFILE), "--hci-server", "tcp:127.0.0.1:0", "--ephemeral", radio="virtual")
    local.wait("ready")
    assert "air-exposed" not in local.warnings()
