# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""One host with several connections at a time, and one run of a profile at a time."""

from __future__ import annotations

from collections.abc import Callable

from beaconry import CONFIG_SERVICE, MAJOR_MINOR, Beaconry, Run
from raw_host import RawHost

BEACONS = [f"C0:FF:EE:00:00:{number:02X}" for number in range(1, 5)]


def profile() -> str:
    """Four beacons with different values."""
    return "profile: four\nbeacons:\n" + "".join(
        f"  - id: beacon-{number}\n    device: iot-design-shop\n    address: {address}\n    interval: 20ms\n"
        f"    ibeacon: {{ uuid: {CONFIG_SERVICE}, major: {number}, minor: 3, measured-power: -59 }}\n"
        for number, address in enumerate(BEACONS)
    )


def test_four_connections_at_once_are_kept_apart(air: Callable[..., tuple[Run, str]], beaconry: Beaconry) -> None:
    """Each connection is answered by its own beacon."""
    run, transport = air(beaconry.profile(profile()), "--ephemeral")
    host = RawHost(int(transport.rsplit(":", 1)[1]))
    host.start()
    handles = []
    for number, address in enumerate(BEACONS):
        host.handle = None
        handles.append(host.connect(address))
        run.wait("connected", device=f"beacon-{number}")
    assert len(set(handles)) == len(BEACONS)
    attribute = host.characteristics()[MAJOR_MINOR]
    for number, host.handle in enumerate(handles):
        assert host.read(attribute) == bytes([number, 0, 3, 0])
    assert len({event["central"] for event in run.events if event["event"] == "connected"}) == len(BEACONS)
    for number, handle in enumerate(handles):
        host.command(0x0406, handle.to_bytes(2, "little") + b"\x13")
        run.wait("disconnected", device=f"beacon-{number}")
    assert run.end() == 0


def test_second_run_of_a_profile_puts_nothing_on_the_air(
    air: Callable[..., tuple[Run, str]], beaconry: Beaconry
) -> None:
    path = beaconry.profile(profile())
    first, _ = air(path, "--ephemeral")
    second = beaconry.run(path, "--hci-server", "tcp:127.0.0.1:0", "--ephemeral", radio="virtual")
    assert second.exit_code() == 73
    assert "control socket" in second.errors and "in use" in second.errors
    assert [(event["event"], event["code"]) for event in second.take(0.1)] == [("error", "cannot-create")]
    assert first.end() == 0
