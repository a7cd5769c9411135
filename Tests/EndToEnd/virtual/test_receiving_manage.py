# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""`manage` configures beacons that another process emulates, as their app does."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable

import pytest
from beaconry import BEACON_UUID, CONFIG_SERVICE, MAJOR_MINOR, TRANSMIT_SETTINGS, Beaconry, Event, Run, ibeacon, service_list

UUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
FIRST, SECOND, THIRD, FALSE = (f"C0:FF:EE:00:00:0{number}" for number in range(1, 5))
PROFILE = f"""
profile: shop
beacons:
  - {{ id: first, device: iot-design-shop, address: {FIRST}, name: Entrance }}
  - {{ id: second, device: iot-design-shop, address: {SECOND}, name: Shelf }}
  - {{ id: third, device: iot-design-shop, address: {THIRD}, name: Shelf }}
  - id: false      # claims to be configurable, and is not
    device: raw
    address: {FALSE}
    pdu: ADV_IND
    advertising-data: 020106
    scan-response: {service_list(CONFIG_SERVICE).hex()}
  - {{ id: plain, device: ibeacon, ibeacon: {{ uuid: {UUID} }} }}
"""

Shop = tuple[Run, str]


@pytest.fixture
def shop(air: Callable[..., Shop], beaconry: Beaconry) -> Shop:
    """The profile above on an air."""
    return air(beaconry.profile(PROFILE, "shop.yaml"))


def manage(beaconry: Beaconry, shop: Shop, *arguments: str, code: int = 0) -> tuple[list[Event], str]:
    """Runs a command; returns its objects and its text."""
    done = beaconry.call("manage", *arguments, "--radio", shop[1], "--json")
    assert done.returncode == code, done
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert all(event["v"] == 1 for event in events)
    return [event for event in events if event["event"] != "listening"], done.stderr


def test_list_shows_the_configurable_ones(beaconry: Beaconry) -> None:
    beaconry.profile(PROFILE, "shop.yaml")
    virtual = ("--profile", str(beaconry.folder / "shop.yaml"), "--rate", "max", "--duration", "1s")
    done = beaconry.call("manage", "list", *virtual, "--json")
    events = [event for event in map(json.loads, done.stdout.splitlines()) if event["event"] != "listening"]
    assert {event["address"] for event in events} == {FIRST, SECOND, THIRD, FALSE}
    first = next(event for event in events if event["address"] == FIRST)
    assert (first["name"], first["uuid"], first["major"], first["rssi"]) == ("Entrance", CONFIG_SERVICE.upper(), 1, -59)
    done = beaconry.call("manage", "list", *virtual)
    assert f"IoT DS Beacon ({FIRST})  Entrance  -59 dBm  {CONFIG_SERVICE.upper()}  major 1  minor 1\n" in done.stdout


def test_show_reads_all(shop: Shop, beaconry: Beaconry) -> None:
    (event,), progress = manage(beaconry, shop, "show", FIRST)
    assert event["settings"] == {
        "uuid": CONFIG_SERVICE.upper(), "major": 1, "minor": 1, "powerCode": 2, "txPower": 0, "intervalTicks": 160,
    }  # fmt: skip
    assert (event["beacon"], event["name"]) == (FIRST, "Entrance")
    steps = ["waiting for its advertisements", "connecting", "reading its settings"]
    assert [line.split(": ", 1)[1] for line in progress.splitlines()] == steps
    shop[0].wait("disconnected", device="first")
    done = beaconry.call("manage", "show", "Entrance", "--radio", shop[1])
    assert done.stdout.splitlines()[:3] == [f"{FIRST}  Entrance", f"  uuid: {CONFIG_SERVICE.upper()}", "  major: 1"]
    assert "  tx-power: 0 dBm (code 2)\n  interval: 100 ms (160 ticks)\n" in done.stdout


def test_set_writes_all_settings_of_the_app(shop: Shop, beaconry: Beaconry) -> None:
    run = shop[0]
    (event,), progress = manage(
        beaconry, shop, "set", FIRST, "--uuid", UUID, "--major", "40000", "--minor", "513", "--tx-power", "-6", "--interval", "200ms",
    )  # fmt: skip
    assert event["event"] == "changed"
    assert {change["setting"]: (change["from"], change["to"]) for change in event["changes"]} == {
        "uuid": (CONFIG_SERVICE.upper(), UUID), "major": ("1", "40000"), "minor": ("1", "513"), "tx-power": ("0 dBm", "-6 dBm"),
        "interval": ("100 ms", "200 ms"),
    }  # fmt: skip
    assert "writing changed settings and reading them back" in progress
    written = [run.wait("written", device="first") for _ in range(3)]
    assert [(each["characteristic"].lower(), each["value"]) for each in written] == [
        (BEACON_UUID, UUID.replace("-", "").lower()), (MAJOR_MINOR, "409c0102"), (TRANSMIT_SETTINGS, "01004001"),
    ]  # fmt: skip
    changed = run.wait("advertising-started", device="first")
    assert changed["advertisingData"] == ibeacon(UUID, 40000, 513).hex() and changed["txPower"] == -6
    done = beaconry.call(
        "expect", "--uuid", UUID, "--major", "40000", "--minor", "513", "--within", "300s", "--radio", shop[1]
    )
    assert done.returncode == 0, done
    # Values that already match are not written.
    (event,), progress = manage(beaconry, shop, "set", "Entrance", "--major", "40000", "--interval", "320ticks")
    assert event["event"] == "unchanged" and event["changes"] == [] and "writing" not in progress
    assert not [each for each in run.take(0.5) if each["event"] == "written"]
    (event,), _ = manage(beaconry, shop, "set", FIRST, "--minor", "514")
    assert [change["setting"] for change in event["changes"]] == ["minor"]
    assert run.wait("written", device="first")["value"] == "409c0202"


def test_values_that_no_radio_sends_are_written_with_a_warning(shop: Shop, beaconry: Beaconry) -> None:
    events, _ = manage(beaconry, shop, "set", FIRST, "--interval", "30s")
    assert [event["event"] for event in events] == ["warning", "changed"]
    assert events[0]["code"] == "interval-out-of-range" and events[1]["settings"]["intervalTicks"] == 48000


PLAN = f"""
beacons:
  - {{ beacon: {FIRST}, uuid: {UUID}, major: 1, minor: 10 }}
  - {{ beacon: C0:FF:EE:00:00:99, major: 3 }}
  - {{ beacon: {FALSE}, major: 4 }}
  - {{ beacon: Shelf, major: 5 }}
  - {{ beacon: {SECOND}, major: 6, tx-power: -23dBm }}
  - {{ beacon: {THIRD}, major: 1 }}
"""


def test_apply_continues_after_a_failure(beaconry: Beaconry) -> None:
    """In virtual time, in which the search for a beacon that is not there takes no time, and no other is late."""
    plan, shop = (str(beaconry.profile(text, name)) for text, name in ((PLAN, "plan.yaml"), (PROFILE, "shop.yaml")))
    command = ("manage", "apply", plan, "--profile", shop, "--rate", "max")
    done = beaconry.call(*command, "--json")
    assert done.returncode == 1, done
    events = [event for event in map(json.loads, done.stdout.splitlines()) if event["event"] != "listening"]
    assert [(event["event"], event["beacon"]) for event in events[:-1]] == [
        ("changed", FIRST), ("failed", "C0:FF:EE:00:00:99"), ("failed", FALSE), ("failed", "Shelf"), ("changed", SECOND),
        ("unchanged", THIRD),
    ]  # fmt: skip
    assert [event["code"] for event in events if event["event"] == "failed"] == [
        "timed-out", "not-found", "invalid-value",
    ]  # fmt: skip
    assert "both have this name" in events[3]["message"]
    assert {key: events[-1][key] for key in ("event", "changed", "unchanged", "failed")} == {
        "event": "applied", "changed": 2, "unchanged": 1, "failed": 3,
    }  # fmt: skip
    done = beaconry.call(*command)
    assert done.returncode == 1
    rows = done.stdout.splitlines()
    assert rows[0].split() == ["BEACON", "NAME", "RESULT", "DETAILS"] and rows[-1] == "2 changed, 1 unchanged, 3 failed"
    assert "failed" in rows[2] and "check that the device is on and in range" in rows[2]


def test_plan_can_be_applied_again(shop: Shop, beaconry: Beaconry) -> None:
    lines = [line for line in PLAN.splitlines() if "C0:FF:EE:00:00:99" not in line and "Shelf" not in line]
    plan = str(beaconry.profile("\n".join(lines), "plan.yaml"))
    events, _ = manage(beaconry, shop, "apply", plan, "--timeout", "60s", code=1)
    assert [(event["event"], event["beacon"]) for event in events[:-1]] == [
        ("changed", FIRST), ("failed", FALSE), ("changed", SECOND), ("unchanged", THIRD),
    ]  # fmt: skip
    done = beaconry.call("manage", "apply", plan, "--timeout", "60s", "--radio", shop[1])
    assert done.returncode == 1
    rows = done.stdout.splitlines()
    assert rows[1].split() == [FIRST, "Entrance", "unchanged"] and rows[-1] == "0 changed, 3 unchanged, 1 failed"
    good = "\n".join(lines).replace(f"beacon: {FALSE}, major: 4", "beacon: Entrance, major: 3")
    events, _ = manage(beaconry, shop, "apply", str(beaconry.profile(good, "good.yaml")), "--timeout", "60s")
    assert [event["event"] for event in events] == ["unchanged", "changed", "unchanged", "unchanged", "applied"]


def test_beacon_that_is_off_for_a_while_is_tried_again(shop: Shop, beaconry: Beaconry) -> None:
    assert beaconry.call("ctl", "disable", "first").returncode == 0
    run = beaconry.start("manage", "set", FIRST, "--major", "9", "--timeout", "2s", "--retry", "20", "--radio", shop[1], "--json")
    run.wait_for_text("trying again")
    assert beaconry.call("ctl", "enable", "first").returncode == 0
    run.wait("changed")
    assert run.exit_code() == 0


def test_beacon_that_never_answers_is_reported(shop: Shop, beaconry: Beaconry) -> None:
    assert beaconry.call("ctl", "disable", "first").returncode == 0
    _, words = manage(beaconry, shop, "show", FIRST, "--timeout", "500ms", "--retry", "1", code=74)
    assert words.splitlines()[-1].startswith(f"beaconry: cannot find the beacon {FIRST}: ")
    _, words = manage(beaconry, shop, "show", FALSE, code=74)
    assert f"the device has no service {CONFIG_SERVICE.upper()}; check that it is the right device" in words
    assert "trying again" not in words


def test_signal_ends_the_command_and_its_connection(shop: Shop, beaconry: Beaconry) -> None:
    run = beaconry.start("manage", "show", "C0:FF:EE:00:00:99", "--radio", shop[1], "--json", "--timeout", "10m")
    run.wait("listening")
    assert run.take(0.5) == []
    assert run.end(signal.SIGINT) == 1
    assert "stopped before its end" in run.errors


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["set", FIRST], 64, "no setting is given"), (["set", FIRST, "--tx-power", "4"], 64, "--tx-power: the beacon has no 4"),
        (["set", FIRST, "--interval", "65536ticks"], 64, "--interval: "), (["set", FIRST, "--major", "-1"], 64, "--major: "),
        (["show", FIRST, "--retry", "x"], 64, "--retry"), (["show", FIRST, "--timeout", "x"], 64, "--timeout"),
        (["show"], 64, "beacon"), (["apply", "none.yaml"], 65, "no such file"),
        (["show", FIRST, "--radio", "tcp-client:127.0.0.1:1"], 69, "no controller answers"),
    ],
)  # fmt: skip
def test_wrong_usage_is_reported(beaconry: Beaconry, arguments: list[str], code: int, words: str) -> None:
    done = beaconry.call("manage", *arguments)
    assert done.returncode == code and words in done.stderr, done


def test_bad_plan_is_refused_before_anything_is_written(shop: Shop, beaconry: Beaconry) -> None:
    plan = beaconry.profile(f"beacons:\n  - {{ beacon: {FIRST}, major: 7 }}\n  - {{ beacon: x, major: y }}\n", "bad.yaml")
    done = beaconry.call("manage", "apply", str(plan), "--radio", shop[1])
    assert done.returncode == 65 and 'bad.yaml:3:25: error: beacons[1].major: "y" is not a whole number' in done.stderr
    assert not [event for event in shop[0].take(0.5) if event["event"] == "connected"]


@pytest.mark.parametrize("command", [[], ["list"], ["show"], ["set"], ["apply"]])
def test_help_has_an_example(beaconry: Beaconry, command: list[str]) -> None:
    done = beaconry.call("manage", *command, "--help")
    assert done.returncode == 0 and "Example: beaconry manage" in done.stdout
