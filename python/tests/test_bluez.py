# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The fixture `bluez`: a bus with BlueZ's service for each test. Most tests here are projects of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from beaconry._program import find_program
from test_plugin import PLUGIN, run

from beaconry import BlueZ, ProgramError, aio

LOCK = """
import asyncio
import os
import subprocess
import sys

import pytest
from bleak import BleakClient, BleakScanner

CHARACTERISTIC = "0000fff1-0000-1000-8000-00805f9b34fb"
LOCK = {"id": "lock", "device": "gatt", "name": "Lock", "interval": "50ms", "services": [
    {"uuid": "FFF0", "characteristics": [
        {"name": "echo", "uuid": "FFF1", "properties": ["read", "write", "notify"], "type": "text", "value": "x", "echo": True}]}]}


async def write(text):
    # Finds the lock by its name, writes, and reads back.
    found = await BleakScanner.find_device_by_name("Lock", timeout=300)
    assert found
    async with BleakClient(found, timeout=300) as client:
        await client.write_gatt_char(CHARACTERISTIC, text, response=True)
        return bytes(await client.read_gatt_char(CHARACTERISTIC))
"""
TWELVE = LOCK + """

@pytest.mark.parametrize("number", range(12))
@pytest.mark.beaconry_profile({"beacons": [LOCK]})
def test_lock(bluez, number):
    text = f"open {number}".encode()
    assert asyncio.run(write(text)) == text
    assert bluez.journal.expect("written", beacon="lock", decoded={"echo": text.decode()}, within="300s")
    assert len(bluez.journal.find("connected", beacon="lock")) == 1, "no other test uses this lock"
"""


def test_twelve_tests_in_parallel_have_a_bus_each(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(TWELVE)
    run(pytester, "-n", "4").assert_outcomes(passed=12)


def below_dbus(pytester: pytest.Pytester, *options: str) -> pytest.RunResult:
    """Runs pytest as the command of `beaconry dbus`."""
    return pytester.run(
        find_program(), "dbus", "--control", "none", "--", sys.executable, "-m", "pytest", *PLUGIN, "-p", "no:cacheprovider", *options, timeout=300
    )


def test_the_same_within_beaconry_dbus(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(TWELVE)
    below_dbus(pytester, "-n", "4").assert_outcomes(passed=12)


def test_an_air_within_beaconry_dbus_is_refused_with_a_hint(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_air(air):\n    pass\n\ndef test_session(air_session):\n    pass\n\ndef test_bluez(bluez):\n    pass\n")
    result = below_dbus(pytester, "-n", "2")
    result.assert_outcomes(passed=1, errors=2)
    result.stdout.fnmatch_lines(["*ProgramError: this test runs within beaconry dbus, whose beacons an air does not have: *use the fixture bluez, or *"])


def test_a_failed_test_shows_its_events_and_its_capture(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        LOCK
        + """
@pytest.mark.beaconry_profile({"beacons": [LOCK]}, seed=5)
def test_lock(bluez):
    asyncio.run(write(b"open"))
    bluez.journal.expect("written", beacon="lock", within="300s")
    assert False
"""
    )
    result = run(pytester)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*- beaconry events (bluez) -*", "*radio-ready * seed=5 *", '*connected *device="lock"*', '*written *device="lock"*',
            "*- beaconry capture (bluez) -*", "*/test_a_failed*test_lock/bluez/capture.btsnoop *; seed=5 repeats it",
        ]
    )  # fmt: skip
    (folder,) = pytester.path.glob("beaconry-failures/*/bluez")
    assert (folder / "capture.btsnoop").stat().st_size > 200 and '"written"' in (folder / "events.jsonl").read_text()


def test_the_bus_is_that_of_the_test_and_its_children(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        LOCK
        + """
@pytest.fixture(scope="session", autouse=True)
def before():
    before = os.environ.get("DBUS_SYSTEM_BUS_ADDRESS")
    yield
    assert os.environ.get("DBUS_SYSTEM_BUS_ADDRESS") == before

@pytest.mark.beaconry_profile(adapters=2)
def test_bus(bluez):
    assert os.environ["DBUS_SYSTEM_BUS_ADDRESS"] == bluez.address == bluez.environment["DBUS_SYSTEM_BUS_ADDRESS"]
    assert (bluez.adapter, bluez.adapters) == ("hci0", ["hci0", "hci1"])
    door = bluez.beacon("door", ibeacon=("E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", 1, 7), at=(0, 0))
    bluez.move(bluez.adapter, (3, 0))
    bluez.link(door, "hci1", blocked=True)
    code = "import os; print(os.environ['DBUS_SYSTEM_BUS_ADDRESS'])"
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert child.stdout.strip() == bluez.address
    door.disable()
    bluez.journal.expect("advertising-stopped", beacon=door, within="300s")

@pytest.mark.beaconry_seeds([1, 2, 3])
def test_seeds(bluez):
    assert bluez.seed in (1, 2, 3)
"""
    )
    run(pytester).assert_outcomes(passed=2)


def test_a_run_ends_with_its_bus(tmp_path: Path) -> None:
    with BlueZ(seed=7) as bluez:
        socket = Path(bluez.address.partition("path=")[2].partition(",")[0])
        assert socket.exists() and bluez.seed == 7
        phone = bluez.phone("phone")
        assert phone.status["listening"]
    assert not socket.exists() and bluez.journal.find("stopping")
    assert bluez._process.poll() == 0


def test_a_run_that_does_not_start_reports_why(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ProgramError, match="beaconry dbus did not start: .*Unknown option '--nonsense'"):
        BlueZ(options=["--nonsense"])
    with pytest.raises(ProgramError, match=r'beaconry dbus did not start: .*"device" is missing'):
        BlueZ({"beacons": [{"id": "door"}]})
    with pytest.raises(ValueError, match="0 is not a number of adapters; write 1 or more"):
        BlueZ(adapters=0)
    program = find_program()
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(ProgramError, match="there is no dbus-daemon on this machine; install it"):
        BlueZ(program=program)


def test_the_bus_ends_with_the_process_that_started_it() -> None:
    code = "import beaconry, os; bluez = beaconry.BlueZ(); print(bluez.address, flush=True); os.kill(os.getpid(), 9)"
    killed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=dict(os.environ))
    socket = killed.stdout.partition("path=")[2].partition(",")[0]
    from test_air import eventually

    assert killed.returncode == -9 and eventually(lambda: not os.path.exists(socket))


def test_the_same_with_asyncio() -> None:
    import asyncio

    async def scenario() -> None:
        async with aio.BlueZ(seed=3, adapters=2) as bluez:
            assert bluez.adapters == ["hci0", "hci1"] and bluez.address in bluez.environment.values()
            door = await bluez.beacon("door", ibeacon=("E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", 1, 7))
            await bluez.move(bluez.adapter, (1, 1))
            assert (await bluez.client.show_beacon(door.name))["id"] == "door"

    asyncio.run(scenario())
