# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""ESPHome proxies as receivers: the receiving commands and `doctor`, compared with aioesphomeapi as a client."""

from __future__ import annotations

import asyncio
import base64
import json
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from aioesphomeapi import APIClient, api_pb2
from beaconry import Beaconry, Run, ibeacon
from esphome_device import PROXY_FEATURES, Device

UUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
KEY = base64.b64encode(bytes(range(32))).decode()
EXPECTED = ("expect", "--uuid", UUID, "--major", "1", "--count", "16", "--within", "300s")
AIR = """
profile: air
beacons:
  - { id: neighbour, device: ibeacon, ibeacon: { uuid: 2173E519-9155-4862-AB64-7953AB146157, major: 4711, minor: 815 } }
"""


def objects(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


async def use(device: Device, key: str | None) -> None:
    """What our client does, done by aioesphomeapi."""
    client = APIClient("127.0.0.1", device.port, None, noise_psk=key)
    await client.connect(login=True)
    await client.device_info()
    await client.device_capabilities()
    received = asyncio.Event()
    stop = client.subscribe_bluetooth_le_raw_advertisements(lambda _: received.set())
    await asyncio.wait_for(received.wait(), 300)
    stop()
    await client.disconnect()


@pytest.mark.parametrize("key", [None, KEY], ids=["plaintext", "encrypted"])
def test_client_sends_what_aioesphomeapi_sends(beaconry: Beaconry, tmp_path: Path, key: str | None) -> None:
    file = tmp_path / "key"
    file.write_text(f"{key}\n")
    with Device(key, advertisement=ibeacon(UUID, 1, 2)) as device:
        query = f"?key-file={file}" if key else ""
        result = beaconry.call(*EXPECTED, "--radio", f"esphome:127.0.0.1:{device.port}{query}", "--json")
        assert result.returncode == 0, result
        asyncio.run(use(device, key))
    ours, theirs = device.sessions
    hello, other = ours.pop(0)[0], theirs.pop(0)[0]
    assert (hello.client_info, hello.api_version_major, hello.api_version_minor) == ("Beaconry", 1, 15)
    assert hello.api_version_major == other.api_version_major and isinstance(other, api_pb2.HelloRequest)
    assert [type(message).__name__ for message, _ in theirs] == [
        "AuthenticationRequest", "DeviceInfoRequest", "DeviceCapabilitiesRequest", "SubscribeBluetoothLEAdvertisementsRequest",
        "PingResponse", "UnsubscribeBluetoothLEAdvertisementsRequest", "DisconnectRequest",
    ]  # fmt: skip
    # Messages and their bytes.
    assert ours == theirs
    heard = objects(result.stdout)
    assert heard[-1]["nearest"]["address"] == "C0:FF:EE:00:00:01" and heard[-1]["rssi"] == -59


def test_older_devices_have_no_capabilities(beaconry: Beaconry) -> None:
    with Device(api=(1, 12), advertisement=ibeacon(UUID, 1, 2)) as device:
        assert beaconry.call(*EXPECTED, "--radio", f"esphome:127.0.0.1:{device.port}").returncode == 0
    sent = [type(message).__name__ for message, _ in device.sessions[0]]
    assert "DeviceCapabilitiesRequest" not in sent and "SubscribeBluetoothLEAdvertisementsRequest" in sent


@pytest.mark.parametrize(
    ("device", "query", "code", "words"),
    [
        (Device(features=0), "", "unsupported", 'is not a Bluetooth proxy, but the device "kitchen"; add bluetooth_proxy:'),
        (Device(features=PROXY_FEATURES & ~0x20), "", "unsupported", "has ESPHome 2026.10.0, which sends no raw advertisements; update it"),
        (Device(api=(3, 0)), "", "unsupported", "has version 3 of ESPHome's API, which is not known; use a proxy with version 1"),
        # Of a device with another key that only closes the connection, as one that does not know the frames.
        (Device(KEY), "", "no-adapter", "has ended the connection before it answered; check the port"),
        (Device(), f"?key={KEY}", "no-adapter", "has ended the connection before it answered; check the port"),
    ],
)  # fmt: skip
def test_unusable_devices_are_explained(beaconry: Beaconry, device: Device, query: str, code: str, words: str) -> None:
    with device:
        radio = f"esphome:127.0.0.1:{device.port}"
        result = beaconry.call("scan", "--radio", radio + query, "--json")
    assert result.returncode == 69
    assert objects(result.stdout)[-1]["code"] == code
    assert result.stderr.startswith(f"beaconry: {radio} {words}") and len(result.stderr.splitlines()) == 1
    assert KEY not in result.stderr


def test_other_servers_are_explained(beaconry: Beaconry) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                connection.sendall(b"SSH-2.0-OpenSSH_9.2\r\n")
                connection.recv(1024)

        thread = threading.Thread(target=serve)
        thread.start()
        result = beaconry.call("scan", "--radio", f"esphome:127.0.0.1:{port}")
        thread.join()
    assert result.returncode == 69
    assert f"esphome:127.0.0.1:{port} does not follow ESPHome's API: it does not send frames" in result.stderr
    closed = beaconry.call("scan", "--radio", f"esphome:127.0.0.1:{port}")
    assert closed.returncode == 69
    assert "cannot be reached: Connection refused (ECONNREFUSED); check host and port" in closed.stderr


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("esphome", "is not a radio"),
        ("esphome:", "is not a radio"),
        ("esphome:host:0", "is not a radio"),
        ("esphome://host", "or esphome:192.0.2.10"),
        ("esphome:host?key=abc", "the key does not have 32 bytes in base64; take the key from the proxy's configuration"),
        ("esphome:host?key-file=/nowhere", "/nowhere: there is no such file"),
        ("esphome:host?name=kitchen", '"name" is not key or key-file; write esphome:HOST?key=KEY'),
    ],
)
def test_wrong_names_are_explained(beaconry: Beaconry, name: str, words: str) -> None:
    for command in (["scan", "--radio", name], ["doctor", "--via", name]):
        result = beaconry.call(*command)
        assert result.returncode == 64, result
        assert words in result.stderr and len(result.stderr.splitlines()) == 1


def test_doctor_receives_by_a_proxy(beaconry: Beaconry, tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text(KEY)
    run = beaconry.run(
        beaconry.profile(AIR), "--hci-server", "tcp:127.0.0.1:0?name=one", "--esphome", "127.0.0.1:0?name=kitchen",
        "--esphome-key-file", str(key), radio="virtual",
    )  # fmt: skip
    receivers = run.wait("radio-ready")["receivers"]
    run.wait("ready")
    radio, via = receivers["one"].replace("tcp:", "tcp-client:"), receivers["kitchen"]
    trial = tmp_path / "trial.json"
    result = beaconry.call(
        "doctor", "--radio", radio, "--via", f"{via}?key={KEY}", "--for", "1s", "--trial", str(trial), "--json"
    )
    assert result.returncode == 0, result
    found = objects(result.stdout)
    received = [each for each in found if each.get("check") == "receiving"]
    # What explains something comes first.
    assert [each["result"] for each in received] == ["note"] + ["ok"] * 8
    assert "sends its advertisements to one client" in received[0]["finding"]
    assert received[1]["finding"].startswith(f"{via} received plain-1 ")
    stages = [each for each in found if each["event"] == "stage"]
    assert all(each["count"] > 0 and each["rssi"] < 0 and each["pdus"] == [] for stage in stages for each in stage["received"])
    assert found[-1] == {"v": 1, "event": "diagnosis", "problems": 0, "notes": 1, "unknown": 0}
    assert json.loads(trial.read_text())["receiver"] == via
    assert KEY not in trial.read_text() + result.stdout + result.stderr

    refused = beaconry.call("doctor", "--radio", radio, "--via", via, "--for", "1s", "--json")
    assert refused.returncode == 69 and objects(refused.stdout)[-1]["code"] == "not-permitted"
    assert "requires a key; append ?key-file=FILE" in refused.stderr
    assert run.end() == 0


def test_receiver_that_is_lost_proves_nothing(beaconry: Beaconry, air: Callable[..., tuple[Run, str]]) -> None:
    _, radio = air(beaconry.profile(AIR))
    with Device(leaves=True) as device:
        via = f"esphome:127.0.0.1:{device.port}"
        result = beaconry.call("doctor", "--radio", radio, "--via", via, "--for", "1s", "--json")
    assert result.returncode == 0, result
    [_, lost] = [each for each in objects(result.stdout) if each.get("check") == "receiving"]
    assert (lost["result"], lost["finding"]) == ("unknown", f"{via} has ended the connection")


def test_proxies_do_not_advertise(beaconry: Beaconry) -> None:
    profile = beaconry.profile(AIR)
    for command in (["run", str(profile), "--ephemeral"], ["check", str(profile)]):
        result = beaconry.call(*command, "--radio", "esphome:127.0.0.1:1")
        assert result.returncode == 69
        assert "esphome:127.0.0.1:1 receives only: an ESPHome proxy cannot advertise; name the radio" in result.stderr
