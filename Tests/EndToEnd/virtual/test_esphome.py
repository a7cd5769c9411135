# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""ESPHome proxies of a run, with the clients that Home Assistant uses: aioesphomeapi, habluetooth and bleak-esphome."""

from __future__ import annotations

import asyncio
import base64
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aioesphomeapi import APIClient, BluetoothProxyFeature
from aioesphomeapi.core import (
    BluetoothGATTAPIError,
    EncryptionPlaintextAPIError,
    InvalidEncryptionKeyAPIError,
    RequiresEncryptionAPIError,
)
from beaconry import BINARY, CHECKOUT, Beaconry, Run
from bleak.exc import BleakError
from bleak_esphome import connect_scanner
from habluetooth import BluetoothManager, set_manager
from habluetooth.wrappers import HaBleakClientWrapper

UUID = "e2c56db5-dffb-48d2-b060-d0f5a71096e0"
KEY = base64.b64encode(bytes(range(32))).decode()
OTHER_KEY = base64.b64encode(bytes(32)).decode()
DEVICE = 0xC0FFEE000007
PROFILE = """
profile: home
beacons:
  - id: beacon
    device: ibeacon
    address: "C0:FF:EE:00:00:01"
    ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major: 1, minor: 1, measured-power: -59 }
    interval: 100ms
    position: [0, 0]
"""
SENSOR = """
profile: sensor
beacons:
  - id: sensor
    device: gatt
    name: Sensor
    address: "C0:FF:EE:00:00:07"
    services:
      - uuid: 12345678-1234-5678-1234-56789abcdef0
        characteristics:
          - { name: level, uuid: 12345678-1234-5678-1234-56789abcdef1, properties: [read, write, notify], type: uint8, value: 7 }
          - name: secret
            uuid: 12345678-1234-5678-1234-56789abcdef2
            properties: [read]
            permissions: encrypted
            type: uint8
            value: 1
"""

Proxies = Callable[..., tuple[Run, dict[str, int]]]


@pytest.fixture
def proxies(beaconry: Beaconry) -> Proxies:
    """Starts a profile with proxies; returns the run and the ports of the proxies by their names."""

    def start(profile: str, *options: str) -> tuple[Run, dict[str, int]]:
        run = beaconry.run(beaconry.profile(profile), "--hci-server", "none", *options, radio="virtual")
        ready = run.wait("radio-ready")
        run.wait("ready")
        places = {name: place for name, place in ready["receivers"].items() if place.startswith("esphome:")}
        assert set(places.values()) <= set(ready["servers"])
        return run, {name: int(place.rsplit(":", 1)[1]) for name, place in places.items()}

    return start


@asynccontextmanager
async def connected(port: int, key: str | None = None) -> AsyncIterator[APIClient]:
    """A client that is connected."""
    client = APIClient("127.0.0.1", port, None, noise_psk=key)
    await client.connect(login=True)
    try:
        yield client
    finally:
        await client.disconnect()


async def advertisements(client: APIClient, count: int) -> list[Any]:
    """The next raw advertisements."""
    found: list[Any] = []
    done = asyncio.Event()

    def take(response: Any) -> None:
        found.extend(response.advertisements)
        if len(found) >= count:
            done.set()

    stop = client.subscribe_bluetooth_le_raw_advertisements(take)
    await asyncio.wait_for(done.wait(), 300)
    stop()
    return found


def test_three_proxies_receive_a_beacon_at_their_distances(proxies: Proxies) -> None:
    profile = PROFILE + """
receivers:
  - { id: kitchen, position: [1, 0], esphome: 127.0.0.1:0 }
  - { id: hall, position: [0, 4] }
"""
    run, ports = proxies(profile, "--esphome", "127.0.0.1:0?name=hall", "--esphome", "127.0.0.1:0?name=attic&at=10,0")

    async def rssi(port: int) -> tuple[str, int]:
        async with connected(port) as client:
            info = await client.device_info()
            assert f"reports ESPHome {info.esphome_version};" in (CHECKOUT / "docs" / "home-assistant.md").read_text()
            found = await advertisements(client, 3)
            assert {each.address for each in found} == {0xC0FFEE000001}
            assert found[0].data == bytes.fromhex("0201061aff4c000215" + UUID.replace("-", "") + "00010001c5")
            assert found[0].address_type == 1
            return info.bluetooth_mac_address, found[0].rssi

    async def main() -> dict[str, tuple[str, int]]:
        return {name: await rssi(port) for name, port in ports.items()}

    found = asyncio.run(main())
    assert {name: value[1] for name, value in found.items()} == {"kitchen": -59, "hall": -71, "attic": -79}
    assert len({value[0] for value in found.values()}) == 3
    run.wait("host-joined", host="kitchen")
    assert run.end() == 0


def test_device_describes_itself_as_a_proxy(proxies: Proxies) -> None:
    _, ports = proxies(PROFILE, "--esphome", "127.0.0.1:0?name=Living-room&slots=5")

    async def main() -> None:
        async with connected(ports["Living-room"]) as client:
            info = await client.device_info()
            assert (info.name, info.friendly_name) == ("living-room", "Living-room")
            assert not info.api_encryption_supported
            assert info.bluetooth_proxy_feature_flags == sum(BluetoothProxyFeature)
            assert client.api_version and (client.api_version.major, client.api_version.minor) == (1, 12)
            slots: asyncio.Future[tuple[int, int, list[int]]] = asyncio.get_running_loop().create_future()
            client.subscribe_bluetooth_connections_free(lambda *values: slots.done() or slots.set_result(values))
            assert await asyncio.wait_for(slots, 300) == (5, 5, [])
            assert await client.list_entities_services() == ([], [])

    asyncio.run(main())


def test_bleak_uses_a_device_through_a_proxy(proxies: Proxies, beaconry: Beaconry) -> None:
    run, ports = proxies(SENSOR, "--esphome", "127.0.0.1:0?name=proxy")

    async def main() -> None:
        manager = BluetoothManager()
        set_manager(manager)
        await manager.async_setup()
        async with connected(ports["proxy"]) as client:
            data = connect_scanner(client, await client.device_info(), True)
            assert data.scanner
            unsetup = data.scanner.async_setup()
            unregister = manager.async_register_scanner(data.scanner)
            device = None
            for _ in range(1200):
                device = manager.async_ble_device_from_address("C0:FF:EE:00:00:07", connectable=True)
                if device is not None:
                    break
                await asyncio.sleep(0.05)
            assert device and device.name == "Sensor"
            gone = asyncio.Event()
            async with HaBleakClientWrapper(device, disconnected_callback=lambda _: gone.set()) as peer:
                level = "12345678-1234-5678-1234-56789abcdef1"
                assert await peer.read_gatt_char(level) == b"\x07"
                values: asyncio.Queue[bytes] = asyncio.Queue()
                await peer.start_notify(level, lambda _, value: values.put_nowait(bytes(value)))
                await peer.write_gatt_char(level, b"\x09", response=True)
                await asyncio.to_thread(beaconry.call, "ctl", "set", "sensor", "level=42")
                seen = [await asyncio.wait_for(values.get(), 300)]
                while seen[-1] != b"\x2a":
                    seen.append(await asyncio.wait_for(values.get(), 300))
                await peer.stop_notify(level)
                with pytest.raises(BleakError, match="error=15|error=5"):
                    await peer.read_gatt_char("12345678-1234-5678-1234-56789abcdef2")
                await asyncio.to_thread(beaconry.call, "ctl", "disconnect", "sensor")
                await asyncio.wait_for(gone.wait(), 300)
            unregister()
            unsetup()

    asyncio.run(main())
    run.wait_until_reported("written", device="sensor")
    run.wait("disconnected", device="sensor")


async def connection(client: APIClient, address: int, states: asyncio.Queue[tuple[bool, int, int]]) -> None:
    """Connects to a device; its states go into the queue."""
    await client.bluetooth_device_connect(
        address, lambda *state: states.put_nowait(state), feature_flags=0xFF, address_type=1, timeout=300
    )


def test_client_pairs_and_sets_parameters(proxies: Proxies) -> None:
    run, ports = proxies(SENSOR.replace("    services:", "    pairing: { io: none }\n    services:"), "--esphome", "127.0.0.1:0")

    async def main() -> None:
        async with connected(ports["esphome"]) as client:
            states: asyncio.Queue[tuple[bool, int, int]] = asyncio.Queue()
            await connection(client, DEVICE, states)
            is_connected, mtu, error = await states.get()
            assert is_connected and mtu > 23 and error == 0
            services = await client.bluetooth_gatt_get_services(DEVICE)
            secret = next(
                each.handle
                for service in services.services
                for each in service.characteristics
                if each.uuid.endswith("cdef2")
            )
            with pytest.raises(BluetoothGATTAPIError):
                await client.bluetooth_gatt_read(DEVICE, secret)
            assert (await client.bluetooth_device_pair(DEVICE)).paired
            assert await client.bluetooth_gatt_read(DEVICE, secret) == b"\x01"
            await client.bluetooth_device_set_connection_params(DEVICE, 12, 12, 0, 300)
            assert (await client.bluetooth_device_clear_cache(DEVICE)).success
            assert (await client.bluetooth_device_unpair(DEVICE)).success
            await client.bluetooth_device_disconnect(DEVICE)
            assert await states.get() == (False, 0, 0x16)
            with pytest.raises(BluetoothGATTAPIError, match="error=-1"):
                await client.bluetooth_gatt_read(DEVICE, secret)

    asyncio.run(main())
    run.wait_until_reported("paired", device="sensor")


def test_end_of_a_session_ends_its_connections(proxies: Proxies) -> None:
    run, ports = proxies(SENSOR, "--esphome", "127.0.0.1:0?slots=1")

    async def main() -> None:
        for _ in range(2):
            async with connected(ports["esphome"]) as client:
                states: asyncio.Queue[tuple[bool, int, int]] = asyncio.Queue()
                await connection(client, DEVICE, states)
                assert (await states.get())[0]
            await asyncio.to_thread(run.wait, "disconnected", device="sensor")

    asyncio.run(main())


def test_device_that_is_not_there_is_an_error(proxies: Proxies) -> None:
    _, ports = proxies(SENSOR, "--esphome", "127.0.0.1:0")

    async def main() -> None:
        async with connected(ports["esphome"]) as client:
            states: asyncio.Queue[tuple[bool, int, int]] = asyncio.Queue()
            attempt = asyncio.create_task(connection(client, 0xC0FFEE000099, states))
            # The client gives up at once.
            await asyncio.sleep(0)
            client.bluetooth_device_disconnect_no_wait(0xC0FFEE000099)
            assert (await asyncio.wait_for(states.get(), 300))[0] is False
            await attempt
            # The slot is free again, and another device can be used.
            await connection(client, DEVICE, states)
            assert (await states.get())[0]

    asyncio.run(main())


def test_key_is_required(proxies: Proxies, tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text(KEY + "\n")
    run, ports = proxies(PROFILE, "--esphome", "127.0.0.1:0?name=proxy", "--esphome-key-file", str(file))

    async def main() -> None:
        port = ports["proxy"]
        async with connected(port, KEY) as client:
            assert (await client.device_info()).api_encryption_supported
            assert (await advertisements(client, 20))[0].address == 0xC0FFEE000001
        with pytest.raises(InvalidEncryptionKeyAPIError):
            async with connected(port, OTHER_KEY):
                pass
        with pytest.raises(RequiresEncryptionAPIError):
            async with connected(port):
                pass

    asyncio.run(main())
    assert "another key" in run.wait("host-refused")["reason"]
    assert "no key" in run.wait("host-refused")["reason"]


def test_proxy_without_key_refuses_encryption(proxies: Proxies) -> None:
    _, ports = proxies(PROFILE, "--esphome", "127.0.0.1:0")

    async def main() -> None:
        with pytest.raises(EncryptionPlaintextAPIError):
            async with connected(ports["esphome"], KEY):
                pass

    asyncio.run(main())


@pytest.mark.slow
def test_hundreds_of_beacons_are_received_without_loss(proxies: Proxies) -> None:
    """Each of 500 beacons advertises once a second: every second has all of them."""
    beacons = "".join(
        f"""
  - id: b{number}
    device: ibeacon
    ibeacon: {{ uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major: 1, minor: {number} }}
    interval: 1s"""
        for number in range(500)
    )
    _, ports = proxies(f"profile: crowd\nbeacons:{beacons}\n", "--esphome", "127.0.0.1:0", "--seed", "1")

    async def main() -> None:
        async with connected(ports["esphome"]) as client:
            found = await advertisements(client, 3000)
            counts: dict[int, int] = {}
            for each in found:
                counts[each.address] = counts.get(each.address, 0) + 1
            # In the time of 3,000 packets each beacon has sent about six: a beacon with fewer has lost one.
            assert len(counts) == 500
            assert min(counts.values()) >= 4 and max(counts.values()) <= 8

    asyncio.run(main())


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (["--esphome", "127.0.0.1"], 64, "is not HOST:PORT"),
        (["--esphome", "127.0.0.1:0?floor=2"], 64, "floor=2"),
        (["--esphome", "127.0.0.1:0?slots=99"], 64, "0 to 32"),
        (["--esphome", "127.0.0.1:0?name=a", "--esphome", "127.0.0.1:0?name=a"], 64, "two proxies are named a"),
        (["--esphome-key", KEY], 64, "need a proxy"),
        (["--esphome", "127.0.0.1:0", "--esphome-key", "abc"], 64, "32 bytes in base64"),
        (["--esphome", "127.0.0.1:0", "--esphome-key-file", "/dev/null"], 74, "has no key"),
        (["--esphome", "127.0.0.1:0", "--rate", "max"], 64, "--rate max"),
        (["--esphome", "0.0.0.0:0"], 73, "would be open to other machines"),
        (["--esphome", "127.0.0.1:0", "--radio", "tcp-client:127.0.0.1:1"], 64, "--radio virtual"),
    ],
)
def test_wrong_options_are_explained(beaconry: Beaconry, options: list[str], code: int, words: str) -> None:
    profile = beaconry.profile(PROFILE)
    radio = [] if "--radio" in options else ["--radio", "virtual"]
    ended = subprocess.run(
        [BINARY, "run", profile, "--hci-server", "none", "--ephemeral", "--control", str(beaconry.folder / "c"), *radio, *options],
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert ended.returncode == code, ended.stderr
    assert words in ended.stderr
    assert len(ended.stderr.strip().splitlines()) == 1
