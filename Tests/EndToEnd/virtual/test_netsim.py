# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Android emulators on the virtual air: Bumble's `android-netsim` transport in their place, and the gRPC library of Python for what
goes wrong. The emulator itself needs KVM and an image."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import struct
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest
from beaconry import BEACON_UUID, PATIENCE, Beaconry, Run
from bumble.transport.grpc_protobuf.netsim import common_pb2, hci_packet_pb2, packet_streamer_pb2, startup_pb2
from pairing_peer import BumblePeer, Io
from phone import Report, connected, phone, read, receive_reports
from raw_host import RESET

PROFILE = """
profile: shop
beacons:
  - id: door
    device: iot-design-shop
    address: "C0:FF:EE:00:00:07"
    position: [0, 0]
    interval: 20ms
    ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major: 1, minor: 7, measured-power: -59 }
receivers:
  - { id: near, position: [1, 0] }
  - { id: far, position: [10, 0] }
"""
DOOR = "C0:FF:EE:00:00:07"
METHOD = "/netsim.packet.PacketStreamer/StreamPackets"
Request, Response = packet_streamer_pb2.PacketRequest, packet_streamer_pb2.PacketResponse
Kind = common_pb2.ChipKind
READ_ADDRESS, READ_VERSION = 0x1009, 0x1001

Emulators = Callable[..., tuple[Run, str]]


@pytest.fixture
def emulators(beaconry: Beaconry) -> Emulators:
    """Starts a profile with a server for emulators; returns the run and HOST:PORT."""

    def start(*options: str, profile: str = PROFILE, query: str = "") -> tuple[Run, str]:
        run = beaconry.run(beaconry.profile(profile), "--netsim", f"127.0.0.1:0{query}", *options, radio="virtual")
        [server] = [each for each in run.wait("radio-ready")["servers"] if each.startswith("netsim:")]
        run.wait("ready")
        return run, server.removeprefix("netsim:")

    return start


def chip(name: str = "pixel", kind: int = Kind.BLUETOOTH, address: str = "", described: str = "") -> Any:
    """The first message of a call."""
    device = startup_pb2.DeviceInfo(name=name, kind=described)
    return Request(initial_info=startup_pb2.ChipInfo(chip=startup_pb2.Chip(kind=kind, address=address), device_info=device))


def command(opcode: int, parameters: bytes = b"") -> Any:
    """The message of a command."""
    packet = struct.pack("<HB", opcode, len(parameters)) + parameters
    return Request(hci_packet=hci_packet_pb2.HCIPacket(packet_type=hci_packet_pb2.HCIPacket.COMMAND, packet=packet))


@contextlib.asynccontextmanager
async def channel(server: str, **options: int) -> AsyncIterator[Any]:
    """A connection of its own to a server."""
    arguments = [("grpc.use_local_subchannel_pool", 1), *((f"grpc.{name}", value) for name, value in options.items())]
    async with grpc.aio.insecure_channel(server, options=arguments) as made:
        yield made


def call(made: Any, method: str = METHOD) -> Any:
    """A call on a connection."""
    return made.stream_stream(method, request_serializer=bytes, response_deserializer=Response.FromString)()


async def write(stream: Any, message: Any) -> None:
    await stream.write(message if isinstance(message, bytes) else message.SerializeToString())


async def event(stream: Any) -> bytes:
    """The next event of the controller."""
    response = await asyncio.wait_for(stream.read(), PATIENCE)
    assert response is not grpc.aio.EOF and response.WhichOneof("response_type") == "hci_packet", response
    assert response.hci_packet.packet_type == hci_packet_pb2.HCIPacket.EVENT
    return bytes(response.hci_packet.packet)


async def joined(made: Any, name: str = "pixel", **fields: Any) -> Any:
    """A call whose controller has been reset."""
    stream = call(made)
    await write(stream, chip(name, **fields))
    await write(stream, command(RESET))
    assert await event(stream) == bytes.fromhex("0e0401030c00")
    return stream


class RawHTTP2:
    """HTTP/2 by hand (RFC 9113), for what a library does not send."""

    def __init__(self, server: str, window: int = 0) -> None:
        host, port = server.split(":")
        self.socket = socket.create_connection((host, int(port)))
        self.socket.settimeout(PATIENCE)
        # The window for the data of the server, by default none: SETTINGS_INITIAL_WINDOW_SIZE.
        self.socket.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        self.frame(4, 0, 0, struct.pack(">HI", 4, window))

    def __enter__(self) -> RawHTTP2:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def frame(self, kind: int, flags: int, stream: int, payload: bytes) -> None:
        """Sends a frame."""
        self.socket.sendall(struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload)

    def frame_of(self, kind: int, flags: int) -> bytes:
        """The payload of the next frame of a kind with these flags; others are left out."""
        while True:
            length, found, marks, _ = struct.unpack(">IBBI", b"\x00" + self._exactly(9))
            payload = self._exactly(length)
            assert found != 7, f"GOAWAY {payload.hex()}"
            if (found, marks) == (kind, flags):
                return payload

    def _exactly(self, count: int) -> bytes:
        received = b""
        while len(received) < count:
            part = self.socket.recv(count - len(received))
            assert part, "the server closed the connection"
            received += part
        return received

    def open(self, stream: int, *more: tuple[str, str]) -> None:
        """Sends the headers of a call, as literals that are not indexed (RFC 7541, 6.2.2)."""
        headers = ((":method", "POST"), (":scheme", "http"), (":path", METHOD), (":authority", "a"), ("content-type", "application/grpc"))
        block = b"".join(b"\x00" + b"".join(bytes([len(each)]) + each.encode() for each in pair) for pair in (*headers, *more))
        self.frame(1, 4, stream, block)

    def message(self, stream: int, message: Any) -> None:
        """Sends a message of a call."""
        content = message.SerializeToString()
        self.frame(0, 0, stream, struct.pack(">BI", 0, len(content)) + content)


async def ended(stream: Any) -> tuple[grpc.StatusCode, str]:
    """The status with which the server ends a call."""
    code = await asyncio.wait_for(stream.code(), PATIENCE)
    return code, await stream.details()


# MARK: A host


def test_bumble_joins_twice(emulators: Emulators) -> None:
    """Twice in one process: it scans, connects, pairs or uses its bond, reads and leaves; the name on the air is that of the device."""
    pairing = 'address: "C0:FF:EE:00:00:07"\n    pairing: { io: none }'
    run, server = emulators(profile=PROFILE.replace('address: "C0:FF:EE:00:00:07"', pairing))
    host = BumblePeer()
    host.set(Io.NO_OUTPUT_NO_INPUT, mitm=False)

    async def visit(name: str, is_bonded: bool) -> None:
        async with host.on(f"android-netsim:{server},name={name}") as device:
            reports = await receive_reports(
                device, 0, active=True, until=lambda all: any(each.address == DOOR and each.pdu == "ADV_IND" for each in all)
            )
            assert {each.rssi for each in reports if each.address == DOOR} == {-59}
            async with connected(device, DOOR) as (connection, peer):
                await asyncio.wait_for(connection.encrypt() if is_bonded else connection.pair(), PATIENCE)
                assert connection.is_encrypted and await read(peer, BEACON_UUID)

    for name, is_bonded in (("first", False), ("second", True)):
        asyncio.run(visit(name, is_bonded))
        joined_event = run.wait("host-joined", host=name)
        assert joined_event["transport"] == f"netsim:{server}" and joined_event["hostKind"] == "bumble"
        run.wait("host-left", host=name)
    assert not run.warnings()


def test_receivers_give_their_places(emulators: Emulators) -> None:
    """A host with the name of a receiver is where the receiver is: 20 dB are between 1 m and 10 m."""
    _, server = emulators()

    async def level(name: str) -> int:
        async with phone(f"android-netsim:{server},name={name}") as device:
            reports = await receive_reports(
                device, 0, active=False, until=lambda all: any(each.address == DOOR for each in all)
            )
            [rssi] = {each.rssi for each in reports if each.address == DOOR}
            return int(rssi)

    assert asyncio.run(level("near")) - asyncio.run(level("far")) == 20


def test_controllers_have_the_addresses_of_their_devices(emulators: Emulators) -> None:
    """The address that a chip has, else one that lasts; further ones of a name have a number and an address of their own."""
    _, server = emulators()

    async def address(made: Any, name: str, given: str = "") -> bytes:
        stream = await joined(made, name, address=given)
        await write(stream, command(READ_ADDRESS))
        return (await event(stream))[6:][::-1]

    async def all_of_them() -> None:
        async with channel(server) as one, channel(server) as other:
            assert await address(one, "given", "DA:4C:10:DE:17:00") == bytes.fromhex("da4c10de1700")
            first, second = await address(one, "pixel"), await address(other, "pixel")
            assert first[:3] == bytes.fromhex("0abeac") and first != second
        async with channel(server) as again:
            assert await address(again, "pixel") == first

    asyncio.run(all_of_them())


def test_addresses_are_unique_on_the_air(emulators: Emulators) -> None:
    """Two hosts that ask for one address, of which one is a receiver; 00… and FF… are the addresses of no device."""
    _, server = emulators()

    async def address(made: Any, name: str, given: str) -> str:
        stream = await joined(made, name, address=given)
        await write(stream, command(READ_ADDRESS))
        return (await event(stream))[6:][::-1].hex()

    async def all_of_them() -> None:
        async with channel(server) as made:
            given = "DA:4C:10:DE:17:00"
            assert [await address(made, name, given) for name in ("one", "near", "one")] == [
                "da4c10de1700", "da4c10de1701", "da4c10de1702",
            ]  # fmt: skip
            last = [await address(made, name, "FF:FF:FF:FF:FF:FE") for name in ("a", "b")]
            assert last == ["fffffffffffe", "000000000001"]

    asyncio.run(all_of_them())


def test_receiver_has_the_controller_of_the_door(emulators: Emulators) -> None:
    """BR/EDR, without which Android does not start: an inquiry of a host with the name of a receiver, and of another one."""
    _, server = emulators()

    async def inquire(name: str) -> None:
        async with channel(server) as made:
            stream = await joined(made, name)
            await write(stream, command(0x0401, bytes.fromhex("338b9e0100")))
            assert await event(stream) == bytes.fromhex("0f0400010104")

    for name in ("near", "other"):
        asyncio.run(inquire(name))


def test_killed_emulator_leaves(emulators: Emulators, spawn: Callable[..., Any]) -> None:
    run, server = emulators()
    program = spawn(Path(sys.executable).parent / "bumble-scan", f"android-netsim:{server},name=victim")
    run.wait("scan-started", host="victim")
    program.kill()
    run.wait("host-left", host="victim")


def test_door_is_described(emulators: Emulators, beaconry: Beaconry) -> None:
    """Hosts are in lists with their kind."""
    _, server = emulators()
    async def look() -> None:
        async with channel(server) as made:
            stream = await joined(made, "Pixel 7", described="EMULATOR")
            listed = [json.loads(line) for line in beaconry.call("ctl", "receivers", "--json").stdout.splitlines()]
            [record] = [each for each in listed if each["name"] == "Pixel-7"]
            assert (record["kind"], record["joined"]) == ("emulator", True)
            assert "emulator" in beaconry.call("ctl", "receivers").stdout
            stream.cancel()

    asyncio.run(look())


WALK = """
profile: exhibits
physics: office
beacons:
  - { id: mummy, device: ibeacon, interval: 100ms, address: "C0:FF:EE:00:00:01", position: [0, 1], ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major: 2, minor: 1, measured-power: -59 } }
  - { id: amphora, device: ibeacon, interval: 100ms, address: "C0:FF:EE:00:00:02", position: [20, 1], ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major: 2, minor: 2, measured-power: -59 } }
  - { id: capsule, device: ibeacon, interval: 100ms, address: "C0:FF:EE:00:00:03", position: [40, 1], ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major: 2, minor: 3, measured-power: -59 } }
receivers:
  - { id: visitor, position: [-20, 0] }
"""


class Visit:
    """What an app makes of reports: enter and exit by a smoothed RSSI, and the nearest beacon, with hysteresis."""

    def __init__(self) -> None:
        self.smoothed: dict[str, float] = {}
        self.inside: set[str] = set()
        self.nearest = ""
        self.notices: list[str] = []

    def take(self, report: Report) -> None:
        """Smooths a report, and notes what follows from it."""
        name = report.address[-2:]
        level = self.smoothed[name] = 0.95 * self.smoothed.get(name, -100) + 0.05 * report.rssi
        if name not in self.inside and level > -72:
            self.inside.add(name)
            self.notices.append(f"enter {name}")
        elif name in self.inside and level < -80:
            self.inside.remove(name)
            self.notices.append(f"exit {name}")
        if name in self.inside and name != self.nearest and level > self.smoothed.get(self.nearest, -100) + 4:
            self.nearest = name
            self.notices.append(f"nearest {name}")


@pytest.mark.slow
def test_walk_is_received_as_over_h4(emulators: Emulators, beaconry: Beaconry) -> None:
    """Past three beacons with physics and one seed: enter, nearest and exit are those of a host on H4."""

    async def visit(transport: str) -> list[str]:
        notes, taken = Visit(), 0

        def has_passed(reports: list[Report]) -> bool:
            nonlocal taken
            for report in reports[taken:]:
                notes.take(report)
            if reports and not taken:
                assert beaconry.call("ctl", "walk", "visitor", "-20,0", "60,0", "--over", "40s").returncode == 0
            taken = len(reports)
            return notes.notices[-1:] == ["exit 03"]

        async with phone(transport) as device:
            await receive_reports(device, 0, active=False, until=has_passed)
        return notes.notices

    def walked(door: str) -> list[str]:
        run, server = emulators("--seed", "11", "--rate", "4", profile=WALK)
        h4 = run.events[0]["receivers"]["visitor"].replace("tcp:", "tcp-client:")
        notices = asyncio.run(visit(h4 if door == "h4" else f"android-netsim:{server},name=visitor"))
        run.end()
        return notices

    expected = [f"{what} {name}" for name in ("01", "02", "03") for what in ("enter", "nearest", "exit")]
    assert sorted(walked("netsim")) == sorted(expected)
    assert walked("netsim") == walked("h4")


# MARK: What goes wrong


def test_wrong_calls_end_with_a_status(emulators: Emulators) -> None:
    """Each ends with a status of gRPC and one event, and the next call works."""
    run, server = emulators()
    first = "the first message is not the chip information"
    wrong: list[tuple[str, list[Any], str, str]] = [
        ("/netsim.frontend.FrontendService/GetVersion", [chip()], "UNIMPLEMENTED", "there is no method /netsim.frontend"),
        (METHOD, [command(RESET)], "INVALID_ARGUMENT", first),
        (METHOD, [Request()], "INVALID_ARGUMENT", first),
        (METHOD, [b"\xff\xff"], "INVALID_ARGUMENT", "a message is malformed"),
        (METHOD, [chip(address="da-4c")], "INVALID_ARGUMENT", "address of the chip"),
        (METHOD, [chip(), chip()], "INVALID_ARGUMENT", "the chip information came twice"),
        (METHOD, [chip(), Request(packet=b"\x01")], "INVALID_ARGUMENT", "HCI packets only"),
        (METHOD, [chip(), Request(hci_packet=hci_packet_pb2.HCIPacket(packet_type=1, packet=b"\x03"))], "INVALID_ARGUMENT", "malformed"),
        (METHOD, [chip(), Request(packet=bytes(200_000))], "RESOURCE_EXHAUSTED", "of at most"),
    ]  # fmt: skip

    async def try_all() -> None:
        for method, messages, code, words in wrong:
            async with channel(server) as made:
                stream = call(made, method)
                with contextlib.suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
                    for message in messages:
                        await write(stream, message)
                status, details = await ended(stream)
                assert (status.name, words in details) == (code, True), (method, messages, status, details)
                run.wait("host-refused")
        async with channel(server) as made:
            await joined(made)

    asyncio.run(try_all())


def test_other_clients_are_refused(emulators: Emulators) -> None:
    """A browser, and HTTP/2 that is not gRPC."""
    run, server = emulators()
    host, port = server.split(":")
    with socket.create_connection((host, int(port))) as browser:
        browser.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        peer = "{}:{}".format(*browser.getsockname())
        while browser.recv(4096):
            pass
    assert "does not speak HTTP/2" in run.wait("host-refused", peer=peer)["reason"]
    run.end()


def test_calls_of_other_radios_stay(emulators: Emulators) -> None:
    """An emulator opens calls for Wi-Fi and others, and calls again for ever if they end."""
    run, server = emulators()

    async def use() -> None:
        async with channel(server) as made:
            others = [call(made) for _ in range(3)]
            for stream, kind in zip(others, (Kind.WIFI, Kind.UWB, Kind.WIFI)):
                await write(stream, chip(kind=kind))
                for _ in range(100):
                    await write(stream, Request(packet=bytes(1500)))
            stream = await joined(made)
            await write(stream, command(READ_VERSION))
            assert (await event(stream))[0] == 0x0E
            assert not any(stream.done() for stream in others)

    asyncio.run(use())
    assert {run.wait("warning", code="netsim-radio")["message"].split(" has ")[1].split(" over ")[0] for _ in range(2)} == {"Wi-Fi", "UWB"}


def test_silent_calls_end(emulators: Emulators) -> None:
    """A call that sends no chip information ends after ten seconds, without an error."""
    run, server = emulators()

    async def wait() -> None:
        async with channel(server) as made:
            assert (await ended(call(made)))[0] == grpc.StatusCode.OK
            await joined(made)

    asyncio.run(wait())
    assert not any(each["event"] == "host-refused" for each in run.events)


def test_host_after_a_snapshot_gets_hardware_errors(emulators: Emulators) -> None:
    _, server = emulators()

    async def use() -> None:
        async with channel(server) as made:
            stream = call(made)
            await write(stream, chip())
            for opcode in (READ_ADDRESS, READ_VERSION):
                await write(stream, command(opcode))
                assert await event(stream) == bytes.fromhex("100142")
            await write(stream, command(RESET))
            assert (await event(stream))[0] == 0x0E

    asyncio.run(use())


def test_answers_before_a_reset_do_not_pile_up(emulators: Emulators) -> None:
    """A host that sends commands and reads nothing is ended before 64 KiB wait for it."""
    run, server = emulators()
    with RawHTTP2(server) as client:
        client.open(1)
        client.message(1, chip("flood"))
        with contextlib.suppress(OSError):
            for _ in range(20_000):
                client.message(1, command(READ_ADDRESS))
        refused = run.wait("host-refused", host="flood")
    assert "does not read the answers" in refused["reason"]


def test_malformed_headers_end_one_call(emulators: Emulators) -> None:
    """The call is reset, and the other one of the connection goes on."""
    run, server = emulators()
    with RawHTTP2(server) as client:
        client.open(1)
        client.message(1, chip("healthy"))
        run.wait("host-joined", host="healthy")
        client.open(3, ("Upper", "x"))
        assert "headers of a call" in run.wait("host-refused")["reason"]
        client.open(5)
        client.message(5, chip("third"))
        run.wait("host-joined", host="third")
        assert not any(each["event"] == "host-left" for each in run.events)


def test_many_cancelled_calls_are_usual(emulators: Emulators) -> None:
    """Tests come and go on one connection."""
    run, server = emulators()

    async def use() -> None:
        async with channel(server) as made:
            stays = await joined(made, "stays")
            for number in range(400):
                (await joined(made, f"visitor-{number}")).cancel()
            await write(stays, command(READ_ADDRESS))
            assert (await event(stays))[0] == 0x0E

    asyncio.run(use())
    assert not any(each["event"] == "host-refused" for each in run.events)


def test_ends_of_calls_take_hosts_off_the_air(emulators: Emulators) -> None:
    """RST_STREAM, the end of the requests, and the end of the connection."""
    run, server = emulators()

    async def use() -> None:
        async with channel(server) as made:
            cancelled = await joined(made, "cancelled")
            cancelled.cancel()
            run.wait("host-left", host="cancelled")
            finished = await joined(made, "finished")
            await finished.done_writing()
            assert (await ended(finished))[0] == grpc.StatusCode.OK
            run.wait("host-left", host="finished")
            await joined(made, "closed")
        run.wait("host-left", host="closed")

    asyncio.run(use())


@pytest.mark.slow
def test_slow_reader_delays_no_other(emulators: Emulators) -> None:
    """A host that scans and does not read, on a connection that another host uses, and beside one."""
    run, server = emulators(profile=PROFILE.replace("interval: 20ms", "interval: 20ms\n    count: 100"))

    async def use() -> None:
        async with channel(server) as shared, channel(server) as other:
            slow = await joined(shared, "slow")
            # Events of Low Energy are masked after a reset.
            scan = ((0x0C01, b"\xff" * 8), (0x200B, struct.pack("<BHHBB", 0, 16, 16, 0, 0)), (0x200C, b"\x01\x00"))
            for opcode, parameters in scan:
                await write(slow, command(opcode, parameters))
            run.wait("scan-started", host="slow")
            # The reports of a second are many times the window of a stream.
            for made in (shared, other, shared, other):
                stream = await joined(made, "quick")
                for _ in range(200):
                    await write(stream, command(READ_ADDRESS))
                    assert (await event(stream))[0] == 0x0E
                stream.cancel()
            # What has waited arrives, and the newest reports follow.
            for _ in range(2000):
                await event(slow)

    asyncio.run(use())


@pytest.mark.slow
def test_silent_connections_delay_no_other(emulators: Emulators) -> None:
    """16 connections with 64 calls each, of which every second one never reads after its reset."""
    _, server = emulators()

    async def use() -> None:
        async with contextlib.AsyncExitStack() as stack:
            connections = [await stack.enter_async_context(channel(server)) for _ in range(16)]
            # A call has 10 s for its chip information, and this client may be slow.
            at_once = asyncio.Semaphore(32)

            async def begin(number: int) -> Any:
                made = connections[number % 16]
                async with at_once:
                    if number % 2:
                        stream = call(made)
                        await stream.wait_for_connection()
                        return stream
                    return await joined(made, f"host-{number}")

            streams = await asyncio.gather(*(begin(number) for number in range(16 * 64)))
            for stream in streams[::2]:
                await write(stream, command(READ_ADDRESS))
            for stream in streams[::2]:
                assert (await event(stream))[0] == 0x0E

    asyncio.run(use())


def test_pings_are_answered(emulators: Emulators) -> None:
    """Each of many, and a call works afterwards: a client with keep-alive ends its connection if one is not answered."""
    _, server = emulators()
    with RawHTTP2(server, window=65_535) as client:
        for number in range(20):
            client.frame(6, 0, 0, struct.pack(">Q", number))
            assert client.frame_of(6, 1) == struct.pack(">Q", number)
        client.open(1)
        for message in (chip(), command(RESET)):
            client.message(1, message)
        # A message with the event, after the prefix of gRPC.
        assert client.frame_of(0, 0).endswith(bytes.fromhex("0e0401030c00"))


# MARK: netsim.ini


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of netsim.ini."""
    path = tmp_path / "discovery"
    path.mkdir()
    monkeypatch.setenv("TMPDIR", str(path))
    yield path


def test_file_is_written_on_request(folder: Path, emulators: Emulators) -> None:
    """It is there for the time of the run, and another one is never replaced."""
    file = folder / "netsim.ini"
    run, server = emulators()
    assert not file.exists()
    run.end()
    run, server = emulators("--netsim-ini")
    assert file.read_text() == f"grpc.port={server.rsplit(':', 1)[1]}\n"
    run.end()
    assert not file.exists()


def test_file_of_another_is_kept(folder: Path, beaconry: Beaconry) -> None:
    file = folder / "netsim.ini"
    file.write_text("grpc.port=8554\n")
    refused = beaconry.call("run", str(beaconry.profile(PROFILE)), "--radio", "virtual", "--netsim", "127.0.0.1:0", "--netsim-ini")
    assert refused.returncode == 73 and "is there already (grpc.port=8554)" in refused.stderr, refused
    assert file.read_text() == "grpc.port=8554\n"


def test_file_of_a_killed_run_is_removed_by_the_next(folder: Path, emulators: Emulators) -> None:
    file = folder / "netsim.ini"
    run, _ = emulators("--netsim-ini")
    run.kill()
    assert file.exists()
    run, _ = emulators()
    assert not file.exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--netsim-ini"], "--netsim-ini needs a server for emulators"),
        (["--netsim", "localhost"], "netsim:HOST:PORT"),
        (["--netsim", "127.0.0.2:0", "--netsim-ini"], "emulators look at localhost"),
        (["--netsim", "127.0.0.1:0?as=dual-mod"], 'there is no character "dual-mod"; did you mean "dual-mode"?'),
    ],
)
def test_wrong_options_are_refused(beaconry: Beaconry, options: list[str], words: str) -> None:
    refused = beaconry.call("run", str(beaconry.profile(PROFILE)), "--radio", "virtual", *options)
    assert refused.returncode == 64 and words in refused.stderr, refused
