# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Airs, their beacons, receivers, clocks and journals, with the program."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path

import pytest
from hosts import ScanningHost

import beaconry
from beaconry import Air, BeaconryError, ProgramError, RequestError, UnmetExpectation, aio
from beaconry._values import definition, duration_text, metres_of_path, seconds

UUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
DOOR = (UUID, 1, 7)


# Beacons and receivers


def test_a_receiver_gets_the_rssi_of_its_position(air: Air) -> None:
    air.beacon("door", ibeacon=DOOR, at=(0, 0), interval="20ms")
    phone = air.receiver("phone", at=(0, 10))
    host = ScanningHost(phone.h4)
    ((data, rssi),) = host.reports(1)
    assert data[9:25] == bytes.fromhex(UUID.replace("-", "")) and data[25:29] == b"\x00\x01\x00\x07"
    assert rssi == -79
    assert air.journal.expect("scan-started", host="phone", within="300s")["scan"] == "passive"
    assert phone.hosts == ["phone"]
    air.move(phone, (1, 0))
    host.wait_for_rssi(-59)
    air.link("door", phone, rssi=-42)
    host.wait_for_rssi(-42)
    host.close()
    air.journal.expect("host-left", host="phone", within="300s")
    assert phone.hosts == []


def test_a_walk_ends_at_its_last_position(air: Air) -> None:
    door = air.beacon("door", ibeacon=DOOR, at=(0, 0), interval="20ms")
    phone = air.receiver("phone", at=(10, 0))
    host = ScanningHost(phone.h4)
    host.wait_for_rssi(-79)
    air.walk(phone, [(10, 0), (1, 0)], over="300ms")
    air.clock.advance("400ms")
    host.wait_for_rssi(-59)
    air.walk(door, [(0, 0), (-9, 0)], over=0.1)
    air.clock.advance(0.2)
    host.wait_for_rssi(-79)
    host.close()


def test_a_removed_receiver_is_not_served(air: Air) -> None:
    phone = air.receiver("phone")
    phone.remove()
    with pytest.raises(ConnectionError):
        ScanningHost(phone.h4).reports(1)
    with pytest.raises(BeaconryError, match="phone was removed"):
        _ = phone.hosts
    assert air.receiver("phone").port > 0, "the name is free again"


def test_a_path_to_a_receiver_needs_its_host(air: Air) -> None:
    door = air.beacon("door", ibeacon=DOOR)
    phone = air.receiver("phone")
    for thing in (phone, "phone"):
        with pytest.raises(RequestError, match=r"no host has joined the receiver phone \(127.0.0.1:\d+\) yet, .*expect\(\"host-joined\", host=\"phone\"\)"):
            air.link(door, thing, rssi=-50)
    with pytest.raises(RequestError, match='nothing on the air is named "fone"') as unknown:
        air.link(door, "fone", rssi=-50)
    assert unknown.value.exit_code == 64
    host = ScanningHost(phone.h4)
    air.journal.expect("host-joined", host=phone, within="300s")
    air.link(door, phone, rssi=-50, for_="10s")
    host.wait_for_rssi(-50)
    host.close()


def test_beacons_are_changed_and_removed(air: Air) -> None:
    door = air.beacon("door", ibeacon=DOOR, device="iot-design-shop", interval="100ms")
    till = air.beacon("till", device="beacon", format="eddystone-url", url="https://example.com")
    door.set(minor=8, interval="200ms")
    assert (door.status["settings"]["minor"], door.status["settings"]["interval"]) == (8, "200ms")
    assert len(door.address) == 17
    door.disable()
    air.journal.expect("advertising-stopped", beacon=door, within="300s")
    mark = air.journal.mark
    door.enable()
    air.journal.expect("advertising-started", beacon=door, since=mark, within="300s")
    till.mute("1h")
    assert till.status["muted"]
    till.unmute()
    air.remove(till)
    assert [each["id"] for each in air.client.list_beacons()["beacons"]] == ["door"]
    with pytest.raises(ValueError, match="not a beacon that was added"):
        air.remove(till)


def test_the_profile_of_an_air_is_a_file_or_a_mapping(tmp_path: Path) -> None:
    beacons = [{"id": "door", "device": "ibeacon", "ibeacon": {"uuid": UUID, "major": 1, "minor": 7}}]
    file = tmp_path / "shop.yaml"
    file.write_text(f"profile: shop\nbeacons:\n  - {{ id: door, device: ibeacon, ibeacon: {{ uuid: {UUID}, major: 2, minor: 7 }} }}\n")
    for profile, major in (({"profile": "shop", "beacons": beacons}, 1), (file, 2)):
        with Air(profile) as air:
            air.beacon("till", ibeacon=DOOR)
            assert [each["id"] for each in air.request("GET", "/v1/beacons")["beacons"]] == ["door", "till"]
            assert air.client.show_beacon("door")["settings"]["major"] == major


def test_a_device_that_waits_for_its_owner_is_added(air: Air) -> None:
    tag = air.beacon("tag", device="sensortag", advertising="side-key")
    assert air.journal.find("waiting", beacon=tag)
    assert eventually(lambda: bool(tag.status["state"] == "paused"))


def test_the_program_is_at_hand_without_a_path(air: Air, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    printed = subprocess.run([air.program, "--version"], capture_output=True, text=True, check=True).stdout
    monkeypatch.setenv("BEACONRY_BINARY", str(air.program))
    module = subprocess.run([sys.executable, "-m", "beaconry", "--version"], capture_output=True, text=True, check=True).stdout
    assert printed == module and printed.startswith("beaconry ")


def test_errors_name_the_value_and_leave_the_air_as_it_was(air: Air) -> None:
    with pytest.raises(RequestError, match="65536") as refused:
        air.beacon("door", ibeacon=(UUID, 65536, 7))
    assert refused.value.exit_code == 65
    with pytest.raises(RequestError, match=r'^beacons\[0\]: there is no key "intervall" here; did you mean "interval"\?'):
        air.beacon("door", ibeacon=DOOR, intervall="20ms")
    air.beacon("door", ibeacon=DOOR)
    with pytest.raises(ValueError, match='there is a beacon "door" already'):
        air.beacon("door", ibeacon=DOOR)
    with pytest.raises(RequestError, match='"door" already'):
        air.receiver("door")
    with pytest.raises(RequestError, match="nothing on the air is named") as unknown:
        air.move("cat", (1, 1))
    assert unknown.value.exit_code == 64
    with pytest.raises(BeaconryError, match="is not a file"):
        Air("nosuch.yaml")


def test_a_run_that_does_not_start_reports_why(tmp_path: Path) -> None:
    with pytest.raises(ProgramError, match='"beacons" is missing|beacons'):
        (tmp_path / "bad.yaml").write_text("profile: bad\n")
        Air(tmp_path / "bad.yaml")
    with pytest.raises(ProgramError, match="is not a program"):
        Air(program=tmp_path)
    with pytest.raises(ValueError, match="write wall or virtual"):
        Air(time="slow")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="virtual time has no rate"):
        Air(time="virtual", rate=2)


# Time


def test_an_hour_of_virtual_time_passes_at_once() -> None:
    with Air(time="virtual", seed=7) as air:
        door = air.beacon("door", ibeacon=DOOR)
        air.clock.advance("1h")
        assert air.clock.elapsed == 3600
        door.mute("30s")
        assert air.journal.expect("unmuted", beacon=door, within="1m")["time"] == "2026-01-01T01:00:30.000Z"
        assert 3630 <= air.clock.elapsed <= 3630.6, "the event is found in the step of 0.6 s in which it happens"
        with pytest.raises(RequestError, match="virtual time"):
            air.receiver("phone")
        with pytest.raises(BeaconryError, match="has no server"):
            _ = air.h4


def test_an_event_that_has_happened_takes_no_virtual_time() -> None:
    with Air(time="virtual", seed=7) as air:
        for number in range(20):
            beacon = air.beacon(f"beacon-{number}", ibeacon=DOOR)
            beacon.mute()
            air.journal.expect("muted", beacon=beacon)
        assert air.clock.elapsed == 0


def test_an_unmet_expectation_of_virtual_time_takes_its_whole_time() -> None:
    with Air(time="virtual", seed=7) as air:
        door = air.beacon("door", ibeacon=DOOR)
        with pytest.raises(UnmetExpectation, match="within 30s"):
            air.journal.expect("muted", beacon=door, within="30s")
        assert air.clock.elapsed == 30


def test_events_that_the_run_no_longer_keeps_do_not_end_an_expectation_early() -> None:
    with Air(time="virtual", seed=7) as air:
        door = air.beacon("door", ibeacon=DOOR)
        air.client.clear_journal()
        door.mute("1s")
        assert air.journal.expect("unmuted", beacon=door)["time"] == "2026-01-01T00:00:01.000Z"
        assert 1 <= air.clock.elapsed <= 1.1


def test_an_event_of_a_closed_air_in_virtual_time_is_found() -> None:
    with Air(time="virtual", seed=7) as air:
        air.beacon("door", ibeacon=DOOR)
    assert air.journal.expect("stopping")
    with pytest.raises(UnmetExpectation, match="the run has ended"):
        air.journal.expect("muted", device="door")


def test_a_rate_is_that_of_the_beacons() -> None:
    with Air(rate=10, seed=7) as air:
        air.beacon("door", ibeacon=DOOR, interval="1s")
        # Both clocks are read before the host exists: a report that waits to be read cannot have been sent earlier.
        earliest, before, latest = time.monotonic(), air.clock.elapsed, time.monotonic()
        host = ScanningHost(air.receiver("phone").h4)
        host.reports(9)
        least, after, most = time.monotonic() - latest, air.clock.elapsed, time.monotonic() - earliest
        assert after - before >= 8, "nine reports are eight intervals of a second"
        assert 9 * least < after - before < 11 * most
        host.close()


# Expectations


def test_an_unmet_expectation_shows_the_last_events(air: Air) -> None:
    door = air.beacon("door", ibeacon=DOOR)
    began = time.monotonic()
    with pytest.raises(UnmetExpectation, match="no connected beacon='door': within 200ms") as unmet:
        air.journal.expect("connected", beacon=door, within="200ms")
    assert time.monotonic() - began > 0.15
    assert "advertising-started" in str(unmet.value) and 'device="door"' in str(unmet.value)
    assert isinstance(unmet.value, AssertionError)


def test_an_expectation_ends_with_the_run(air: Air) -> None:
    air.stop()
    with pytest.raises(UnmetExpectation, match="the run has ended"):
        air.journal.expect("connected", within="1h")
    with pytest.raises(ProgramError, match="the air is closed"):
        air.request("GET", "/v1/beacons")


def test_expectations_select_by_fields_and_function(air: Air) -> None:
    for name in ("door", "till"):
        air.beacon(name, ibeacon=DOOR)
    found = air.journal.find("advertising-started", where=lambda event: event["intervalTicks"] > 0)
    assert [each["device"] for each in found] == ["door", "till"]
    assert air.journal.expect("advertising-started", beacon="till", within="300s")["device"] == "till"
    assert air.journal.find("advertising-started", beacon="door", intervalTicks=1) == []


def test_names_of_no_event_are_refused(air: Air) -> None:
    for call in (air.journal.find, air.journal.expect):
        with pytest.raises(ValueError, match='there is no event "conected"; did you mean "connected"?'):
            call("conected")
        with pytest.raises(ValueError, match='there is no event "persisted"; it is "settings-saved" now'):
            call("persisted")
    assert air.journal.find("connected") == []


# Processes


def processes(of: str) -> list[int]:
    """The processes whose command line has this folder; all have an empty text, so that a test must not look for it."""
    assert os.path.isabs(of), of
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            try:
                if of.encode() in (folder / "cmdline").read_bytes():
                    found.append(int(folder.name))
            except OSError:
                continue
    return found


def eventually(condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 300
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
    return condition()


def gone(of: str) -> bool:
    return eventually(lambda: not processes(of))


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_the_program_ends_with_the_process_that_started_it(how: signal.Signals) -> None:
    code = "import beaconry, time; air = beaconry.Air(); print(air._folder, flush=True); time.sleep(100)"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        # A shell that started the tests in the background has made them ignore SIGINT.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:  # fmt: skip
        assert process.stdout
        folder = process.stdout.readline().strip()
        assert folder and len(processes(folder)) >= 2
        process.send_signal(how)
        process.wait(300)
    assert gone(folder)
    assert eventually(lambda: not os.path.exists(folder))


def test_the_folder_of_a_killed_process_is_removed_by_the_next() -> None:
    # The path of pytest's own folder may be too long for a socket in it.
    with tempfile.TemporaryDirectory() as folder:
        leave_and_remove(Path(folder))


def leave_and_remove(temporary: Path) -> None:
    """Kills a process with an air, and lets the next one remove its folder."""
    environment = {**os.environ, "TMPDIR": str(temporary)}
    code = "import beaconry, time; air = beaconry.Air(); print(air._folder, flush=True); time.sleep(100)"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout
        folder = process.stdout.readline().strip()
        # The shell that would remove the folder is killed first, as by the end of a container.
        for pid in [*processes(folder), process.pid]:
            os.kill(pid, signal.SIGKILL)
        process.wait(300)
    assert os.path.exists(folder)
    code = "import beaconry, os; air = beaconry.Air(); print(*os.listdir(os.environ['TMPDIR'])); air.close()"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert len(ended.stdout.split()) == 1 and Path(folder).name not in ended.stdout
    assert list(temporary.iterdir()) == []


def test_a_run_ends_with_its_process_and_not_with_a_fork_of_it() -> None:
    code = (
        "import beaconry, os, signal, time; air = beaconry.Air()\n"
        "child = os.fork()\n"
        "if child: print(air._folder, child, flush=True)\n"
        "time.sleep(100)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        folder, child = process.stdout.readline().split()
        try:
            process.kill()
            process.wait(300)
            assert gone(folder)
            os.kill(int(child), 0)
        finally:
            os.kill(int(child), signal.SIGKILL)


def test_the_end_of_a_fork_is_not_the_end_of_the_air(air: Air) -> None:
    child = os.fork()
    if child == 0:
        try:
            del air
            gc.collect()
            # What the end of the interpreter does.
            weakref.finalize._exitfunc()  # type: ignore[attr-defined]
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    air.beacon("door", ibeacon=DOOR)


def test_an_air_that_is_not_closed_ends_with_its_last_reference() -> None:
    def resources() -> tuple[int, int]:
        return threading.active_count(), len(os.listdir("/proc/self/fd"))

    Air().close()
    before = resources()
    airs = [Air() for _ in range(3)]
    folders = [str(air._folder) for air in airs]
    assert all(map(processes, folders))
    airs.clear()
    assert all(map(gone, folders)) and not any(map(os.path.exists, folders))
    assert eventually(lambda: resources() == before), (before, resources())


def test_a_closed_air_leaves_nothing() -> None:
    air = Air()
    folder = str(air._folder)
    assert processes(folder)
    air.close()
    air.close()
    assert gone(folder) and not os.path.exists(folder)


def test_a_run_that_was_killed_is_reported() -> None:
    air = Air()
    (program,) = [pid for pid in processes(str(air._folder)) if os.readlink(f"/proc/{pid}/exe").endswith("beaconry")]
    os.kill(program, signal.SIGKILL)
    with pytest.raises(ProgramError, match="exit code 137"):
        air.close()
    assert not air._folder.exists()


def state(thread: Path) -> str:
    """The state of a thread (proc(5)): `T` for a stopped one, `X` for one that has ended."""
    try:
        return (thread / "stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "X"


def test_a_run_that_is_stopped_is_killed_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beaconry._run, "END", 1)
    air = Air()
    (program,) = [pid for pid in processes(str(air._folder)) if os.readlink(f"/proc/{pid}/exe").endswith("beaconry")]
    os.kill(program, signal.SIGSTOP)
    # Its threads stop one after the other.
    deadline = time.monotonic() + 300
    while {state(thread) for thread in Path(f"/proc/{program}/task").iterdir()} != {"T"}:
        assert time.monotonic() < deadline, "a thread does not stop"
        time.sleep(0.01)
    began = time.monotonic()
    with pytest.raises(ProgramError, match="did not end within 1 s, and was killed"):
        air.close()
    # The limit for the answer to a request is two minutes.
    assert time.monotonic() - began < 60
    assert gone(str(air._folder)) and not air._folder.exists()


def test_saved_files_have_the_events_and_the_traffic(air: Air, tmp_path: Path) -> None:
    air.beacon("door", ibeacon=DOOR)
    host = ScanningHost(air.receiver("phone").h4)
    host.reports(1)
    host.close()
    air.stop()
    folder = air.save(tmp_path / "a" / "b")
    assert '"advertising-started"' in (folder / "events.jsonl").read_text()
    assert (folder / "capture.btsnoop").read_bytes().startswith(b"btsnoop\0")
    assert (folder / "capture.btsnoop").stat().st_size > 200
    assert '"door"' in (folder / "air.yaml").read_text()


# asyncio


def test_the_same_with_asyncio() -> None:
    async def scenario() -> None:
        async with aio.Air(seed=3) as air:
            door = await air.beacon("door", ibeacon=DOOR, at=(0, 0))
            phone = await air.receiver("phone", at=(10, 0))
            started = asyncio.create_task(air.journal.expect("scan-started", host="phone", within="300s"))
            await asyncio.sleep(0)
            host = ScanningHost(phone.h4)
            assert (await started)["scan"] == "passive"
            assert (await asyncio.to_thread(host.reports, 1))[0][1] == -79
            await air.walk(phone, [(10, 0), (1, 0)], over="100ms")
            await air.clock.advance("200ms")
            await asyncio.to_thread(host.wait_for_rssi, -59)
            await door.set(minor=9)
            assert (await door.status())["settings"]["minor"] == 9 and air.seed == 3
            assert await phone.hosts() == ["phone"]
            host.close()
            await phone.remove()
            await air.remove(door)
            assert (await air.request("GET", "/v1/beacons"))["beacons"] == []
        with pytest.raises(ProgramError):
            await air.request("GET", "/v1/beacons")

    asyncio.run(scenario())


# Values


@pytest.mark.parametrize(("text", "number"), [("20s", 20), ("500ms", 0.5), ("2m", 120), ("1.5h", 5400), (3, 3), (0.25, 0.25)])
def test_durations(text: str | float, number: float) -> None:
    assert seconds(text) == number
    assert duration_text(text) == f"{number * 1000:.3f}ms"


@pytest.mark.parametrize("wrong", ["20", "s", "-1s", "1 s", "", -1, float("inf"), float("nan")])
def test_other_durations_are_refused(wrong: str | float) -> None:
    with pytest.raises(ValueError, match="is not a duration"):
        seconds(wrong)


def test_definitions_are_those_of_a_profile() -> None:
    assert definition("a", DOOR, (1, 2), None, {"tx_power": "0dBm", "name": None}) == {
        "id": "a", "device": "ibeacon", "ibeacon": {"uuid": UUID, "major": 1, "minor": 7}, "position": [1, 2], "tx-power": "0dBm",
    }  # fmt: skip
    with pytest.raises(ValueError, match="two or three numbers"):
        definition("a", DOOR, (1,), None, {})
    with pytest.raises(ValueError, match="two positions or more"):
        metres_of_path([(1, 2)])


def test_the_package_exports_what_it_documents() -> None:
    assert all(hasattr(beaconry, name) for name in beaconry.__all__)
    assert all(hasattr(aio, name) for name in aio.__all__)
