# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The plugin, as the tests of a project see it: each test here is a project of its own."""

from __future__ import annotations

import importlib.metadata
import json
import os
from pathlib import Path

import pytest

ENTRY_POINTS = [each.value for each in importlib.metadata.entry_points(group="pytest11")]
PLUGIN = [] if "beaconry.pytest_plugin" in ENTRY_POINTS else ["-p", "beaconry.pytest_plugin"]
"""The options that load the plugin; an installed package needs none."""
BEACON = 'ibeacon=("E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", 1, 7)'


def run(pytester: pytest.Pytester, *options: str) -> pytest.RunResult:
    return pytester.runpytest_subprocess(*PLUGIN, "-p", "no:cacheprovider", *options, timeout=300)


def test_a_failed_test_shows_its_events_and_its_capture(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        f"""
        def test_app(air):
            air.beacon("door", {BEACON})
            assert "welcome" == "shown"
        """
    )
    result = run(pytester)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*- beaconry events (air) -*", "*radio-ready *", '*advertising-started *device="door"*', "*- beaconry capture (air) -*",
            "*beaconry-failures/*test_app*/air/capture.btsnoop *--beaconry-seed * repeats the air",
        ]
    )  # fmt: skip
    (folder,) = pytester.path.glob("beaconry-failures/*/air")
    events = [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]
    assert [each["event"] for each in events][-1] == "stopping"
    assert (folder / "capture.btsnoop").stat().st_size > 200
    assert '"door"' in (folder / "air.yaml").read_text()


def test_a_passed_test_leaves_no_files(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        f"""
        def test_app(air):
            door = air.beacon("door", {BEACON})
            assert air.journal.expect("advertising-started", beacon=door, within="300s")
        """
    )
    result = run(pytester)
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*beaconry events*")
    assert not (pytester.path / "beaconry-failures").exists()


def test_the_fixture_that_fails_after_the_air_shows_its_events(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest

        @pytest.fixture
        def app(air):
            raise RuntimeError("the app does not start")

        def test_app(app):
            pass
        """
    )
    result = run(pytester, "--beaconry-artifacts", "reports")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*beaconry events (air)*", "*ready beacons=0*"])
    assert list(pytester.path.glob("reports/*/air/events.jsonl"))


def test_the_air_of_the_session_is_shared(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        f"""
        def test_first(air_session):
            air_session.beacon("door", {BEACON})

        def test_second(air_session, air):
            assert air_session.journal.find("advertising-started", beacon="door")
            assert air.client.list_beacons()["beacons"] == []

        def test_third(air_session):
            assert False
        """
    )
    result = run(pytester)
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*beaconry events (air_session)*", "*advertising-started*"])
    assert list(pytester.path.glob("beaconry-failures/*test_third*/air_session/events.jsonl"))


def test_the_marker_gives_the_profile_and_the_settings(pytester: pytest.Pytester) -> None:
    beacon = '{ id: door, device: ibeacon, ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, minor: 5 } }'
    (pytester.path / "shop.yaml").write_text(f"profile: shop\nbeacons:\n  - {beacon}\n")
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.beaconry_profile("shop.yaml", time="virtual", seed=5)
        def test_file(air):
            assert air.client.show_beacon("door")["settings"]["minor"] == 5
            assert air.clock.is_virtual and air.seed == 5

        @pytest.mark.beaconry_profile({"beacons": []}, physics="office")
        def test_mapping(air):
            assert not air.clock.is_virtual
        """
    )
    run(pytester, "--strict-markers").assert_outcomes(passed=2)


def test_the_options_choose_time_seed_and_program(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        def test_air(air):
            assert air.clock.is_virtual and air.seed == 99
            air.clock.advance("1h")
            assert air.clock.elapsed == 3600
        """
    )
    run(pytester, "--beaconry-time", "virtual", "--beaconry-seed", "99").assert_outcomes(passed=1)
    result = run(pytester, "--beaconry-program", "/nosuch")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*ProgramError: /nosuch is not a program; give the path of beaconry (BEACONRY_BINARY)*"])


def test_the_seed_of_a_test_is_that_of_its_name(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_air(air):\n    print('seed', air.seed)\n")
    seeds = {line for _ in range(2) for line in run(pytester, "-s").outlines if " seed " in line}
    assert len(seeds) == 1


def test_the_adapter_of_the_kernel_needs_its_device(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        from pathlib import Path

        def test_adapter(hci):
            assert Path("/sys/class/bluetooth", hci).exists()
        """
    )
    result = run(pytester, "-rs")
    if os.access("/dev/vhci", os.R_OK | os.W_OK):
        result.assert_outcomes(passed=1)
    else:
        result.assert_outcomes(skipped=1)
        result.stdout.fnmatch_lines(["*no rights to /dev/vhci: load the module hci_vhci, and run as root*"])


def test_bumble_scans_and_connects(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        f"""
        import asyncio

        def test_app(air, bumble_device):
            door = air.beacon("door", device="iot-design-shop", {BEACON}, at=(0, 0))
            phone = air.receiver("phone", at=(10, 0))

            async def app():
                async with bumble_device(phone) as device:
                    received = asyncio.get_running_loop().create_future()
                    device.on("advertisement", lambda each: received.done() or received.set_result(each))
                    await device.start_scanning()
                    found = await asyncio.wait_for(received, 300)
                    assert found.rssi == -79
                    await device.stop_scanning()
                    connection = await device.connect(found.address)
                    await connection.disconnect()

            asyncio.run(app())
            assert air.journal.expect("connected", beacon=door, within="300s")
            assert air.journal.expect("disconnected", beacon=door, within="300s")
        """
    )
    run(pytester).assert_outcomes(passed=1)


def test_failures_of_parallel_tests_are_saved(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.parametrize("number", range(6))
        def test_air(air, number):
            assert number % 2
        """
    )
    run(pytester, "-n", "3").assert_outcomes(passed=3, failed=3)
    assert len(list(pytester.path.glob("beaconry-failures/*/air/events.jsonl"))) == 3


def test_the_folder_of_a_test_has_a_short_name(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.parametrize("text", ["../" + "x/ " * 200])
        def test_air(air, text):
            assert False
        """
    )
    run(pytester).assert_outcomes(failed=1)
    (folder,) = Path(pytester.path, "beaconry-failures").iterdir()
    assert len(folder.name) < 160 and (folder / "air" / "events.jsonl").exists()
