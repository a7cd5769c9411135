# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Controllers over TCP that deviate as real ones do: the syntax of `as=`, and what a host gets. What each character does
is tested in Tests/VirtualRadioTests."""

from __future__ import annotations

import struct

import pytest
from beaconry import Beaconry
from raw_host import READ_ADDRESS, Gone, RawHost, wire

PROFILE = """
profile: room
beacons:
  - id: door
    device: ibeacon
    interval: 100ms
    ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major: 1, minor: 7, measured-power: -59 }
"""
BEACON = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
READ_VERSION, SET_EXTENDED_ADVERTISING_PARAMETERS = 0x1001, 0x2036


def ports(beaconry: Beaconry, *queries: str, options: tuple[str, ...] = ()) -> list[int]:
    """The ports of a server for each query, of a run that is ready."""
    servers = [word for query in queries for word in ("--hci-server", f"tcp:127.0.0.1:0?{query}")]
    run = beaconry.run(beaconry.profile(PROFILE), *servers, *options, radio="virtual")
    names = run.wait("radio-ready")["servers"]
    run.wait("ready")
    return [int(name.rsplit(":", 1)[1]) for name in names]


@pytest.mark.parametrize(
    ("character", "words"),
    [
        ("legacy-5", 'there is no character "legacy-5"; did you mean "legacy-5.0"? characters are '),
        ("busy+slwo:20", 'there is no character "slwo"; did you mean "slow"?'),
        ("sets:100", 'sets: "100" is not a number of sets from 1 to 64'),
        ("slow", "slow needs a number of milliseconds from 1 to 60000"),
        ("busy@60s-30s", '"@60s-30s" is not a period since the controller joined; write @30s-60s'),
        ("", 'there is no character ""'),
    ],
)
def test_wrong_characters_are_refused(beaconry: Beaconry, character: str, words: str) -> None:
    for server in ("tcp:127.0.0.1:0", "vhci"):
        refused = beaconry.call(
            "run", str(beaconry.profile(PROFILE)), "--radio", "virtual", "--hci-server", f"{server}?name=a&as={character}"
        )
        assert refused.returncode == 64 and words in refused.stderr, refused


def test_servers_have_characters_of_their_own(beaconry: Beaconry) -> None:
    """A plain controller beside one with two characters, and two with one address."""
    plain, odd, *same = ports(beaconry, "name=plain", "as=legacy-5.0+no-address", "as=same-address", "as=same-address")
    expected = {plain: (13, 0x12, None), odd: (9, 0x01, "00:00:00:00:00:00")}
    parameters = bytes(25)  # an invalid command, which a controller that has it refuses with 0x12
    for port, (version, status, address) in expected.items():
        host = RawHost(port)
        host.start()
        assert host.command(READ_VERSION)[1] == version
        assert host.command(SET_EXTENDED_ADVERTISING_PARAMETERS, parameters)[0] == status
        if address:
            assert host.command(READ_ADDRESS)[1:] == wire(address)
        host.close()
    hosts = [RawHost(port) for port in (*same, same[0])]
    assert {host.command(READ_ADDRESS)[1:] for host in hosts} == {wire("00:1A:7D:DA:71:13")}


def test_our_receiver_works_on_a_legacy_controller(beaconry: Beaconry) -> None:
    (port,) = ports(beaconry, "as=legacy-5.0")
    done = beaconry.call("expect", "--uuid", BEACON, "--radio", f"tcp-client:127.0.0.1:{port}", "--within", "300s")
    assert done.returncode == 0, done


def test_a_removed_controller_ends_the_connection_and_the_next_one_works(beaconry: Beaconry) -> None:
    (port,) = ports(beaconry, "as=hung:3,removal", options=("--rate", "10"))
    host = RawHost(port)
    host.start()
    host.send(struct.pack("<BHB", 1, READ_ADDRESS, 0))
    # The first packet after the three answers.
    assert host.wait(lambda _: True) == bytes.fromhex("0410010c")
    with pytest.raises(Gone):
        host.listen(60)
    host = RawHost(port)
    host.start()
    assert host.command(READ_ADDRESS)[0] == 0
