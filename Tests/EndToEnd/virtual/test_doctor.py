# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""`beaconry doctor` on controllers of a virtual air: the test of the air, and the file of a trial."""

from __future__ import annotations

import json
import re
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from beaconry import Beaconry, Run

UUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
STRANGERS = """
profile: strangers
beacons:
  - id: neighbour
    device: ibeacon
    address: C0:FF:EE:12:34:56
    name: Neighbour
    ibeacon: { uuid: 2173E519-9155-4862-AB64-7953AB146157, major: 4711, minor: 815 }
"""
"""A beacon that is not part of the test, with values that nothing else has."""

STAGES = ["plain", "connectable", "slow", "scan-response", "power", "several"]
VirtualAir = tuple[Run, str]


def objects(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def doctor(beaconry: Beaconry, *options: str) -> tuple[int, list[dict[str, Any]], str]:
    """Runs the test of the air on two hosts of one air, which have two ports. Slow beacons send several times."""
    run = beaconry.run(
        beaconry.profile(STRANGERS), "--hci-server", "tcp:127.0.0.1:0?name=one", "--hci-server", "tcp:127.0.0.1:0?name=two",
        radio="virtual",
    )  # fmt: skip
    receivers = run.wait("radio-ready")["receivers"]
    run.wait("ready")
    radio, via = (receivers[each].replace("tcp:", "tcp-client:") for each in ("one", "two"))
    result = beaconry.call("doctor", "--radio", radio, "--via", via, "--for", "3s", "--json", *options)
    assert run.end() == 0
    return result.returncode, objects(result.stdout), result.stderr


def test_beacon_is_advertised_and_received(beaconry: Beaconry) -> None:
    code, results, errors = doctor(beaconry)
    assert code == 0, (results, errors)
    stage, advertising, receiving, end = results
    assert (stage["event"], stage["stage"], stage["seconds"]) == ("stage", "plain", 3)
    effective = stage["advertising"][0]
    assert (effective["event"], effective["pdu"], effective["intervalTicks"]) == ("advertising-started", "ADV_NONCONN_IND", 160)
    assert effective["advertisingData"].startswith("0201061aff4c000215" + UUID.replace("-", "").lower())
    assert stage["received"][0]["count"] > 0 and stage["received"][0]["rssi"] == -59
    assert (advertising["check"], advertising["result"]) == ("advertising", "ok")
    assert "ADV_NONCONN_IND every 160 ticks (100 ms), 30 bytes of data" in advertising["finding"]
    assert (receiving["check"], receiving["result"]) == ("receiving", "ok")
    assert end == {"v": 1, "event": "diagnosis", "problems": 0, "notes": 0, "unknown": 0}


def test_trial_has_all_stages_and_nothing_of_others(beaconry: Beaconry, tmp_path: Path) -> None:
    path = tmp_path / "trial.json"
    code, _, errors = doctor(beaconry, "--trial", str(path))
    assert code == 0, errors
    text = path.read_text()
    trial = json.loads(text)
    assert [each["stage"] for each in trial["stages"]] == STAGES
    assert all(each["advertising"] and len(each["received"]) == len(each["advertising"]) for each in trial["stages"])
    assert trial["stages"][4]["advertising"][0]["requested"]["txPower"] == -20
    assert len(trial["stages"][5]["received"]) == 3
    assert trial["uuid"] == UUID and trial["beaconry"] and "facts" not in trial
    # The beacon beside the test, and the addresses of its own controllers.
    for secret in ("C0:FF:EE", "Neighbour", "2173e519", "1267032f"):
        assert secret not in text, secret
    # Numbers of their own: the number of a port may have these digits.
    for number in ("4711", "815"):
        assert number == str(trial["major"]) or not re.search(rf"(?<![0-9]){number}(?![0-9])", text), number
    assert "xx:xx:xx:xx:xx:xx" in text

    again = beaconry.call("doctor", "--radio", "virtual", "--trial", str(path))
    assert again.returncode == 73 and "--force replaces it" in again.stderr
    assert path.read_text() == text


def test_beacon_that_is_not_received_is_a_problem(beaconry: Beaconry, air: Callable[..., VirtualAir]) -> None:
    _, radio = air(beaconry.profile(STRANGERS))
    other = beaconry.run(beaconry.profile(STRANGERS.replace("strangers", "other"), "other.yaml"), "--hci-server", "tcp:127.0.0.1:0", radio="virtual")
    via = other.wait("radio-ready")["servers"][0].replace("tcp:", "tcp-client:")
    result = beaconry.call("doctor", "--radio", radio, "--via", via, "--for", "1s", "--json")
    assert result.returncode == 1, result
    found = [each for each in objects(result.stdout) if each.get("check") == "receiving"]
    assert found[0]["result"] == "problem" and "received no plain-1" in found[0]["finding"]
    text = beaconry.call("doctor", "--radio", radio, "--via", via, "--for", "1s").stdout
    assert "problem  receiving" in text and "Meaning: " in text and "Fix: beaconry scan --radio" in text
    assert text.splitlines()[-1] == "1 problem"


def test_radio_that_cannot_be_used_is_a_problem_and_a_receiver_an_error(beaconry: Beaconry) -> None:
    result = beaconry.call("doctor", "--radio", "tcp-client:127.0.0.1:1", "--json")
    assert result.returncode == 1
    assert [each["result"] for each in objects(result.stdout) if each.get("check") == "advertising"] == ["problem"]
    result = beaconry.call("doctor", "--radio", "virtual", "--via", "tcp-client:127.0.0.1:1", "--json")
    assert result.returncode == 69 and objects(result.stdout)[-1]["code"] == "no-adapter"
    same = beaconry.call("doctor", "--radio", "tcp-client:127.0.0.1:1", "--via", "tcp-client:127.0.0.1:1")
    assert same.returncode == 64 and "name another radio" in same.stderr


def test_signal_ends_the_test_and_the_radio_is_released(beaconry: Beaconry, air: Callable[..., VirtualAir]) -> None:
    run, radio = air(beaconry.profile(STRANGERS))
    test = beaconry.start("doctor", "--radio", radio, "--for", "10m", "--json")
    run.wait("host-joined")
    assert test.end(signal.SIGINT) == 1
    run.wait("host-left")
    assert "stopped before the end of the test" in test.errors
