# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Expectations: names that exist, and one comparison in Python, over HTTP and in `beaconry ctl wait`."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
from devices import DOOR, LOCK

from beaconry import Air, Beacon, RequestError, UnmetExpectation
from beaconry._matching import matches


@pytest.fixture(scope="module")
def shop() -> Iterator[Air]:
    """A run with events of each type of value."""
    with Air(time="virtual", seed=7) as air:
        door = air.beacon("door", ibeacon=DOOR, device="iot-design-shop")
        air.beacon("lock", **LOCK)
        phone = air.phone("phone")
        with phone.connect(door) as connection:
            # Two little-endian numbers: major 5, minor 9.
            connection.write("2173E519-9155-4862-AB64-7953AB146158", "05000900")
        with phone.connect("lock") as connection, pytest.raises(RequestError):
            connection.read("FFF3")
        door.mute("1.5s")
        door.unmute()
        yield air


CASES: list[tuple[dict[str, Any], bool]] = [
    ({"event": "written"}, True),
    ({"event": "writ*"}, True),
    ({"event": "*", "device": "door"}, True),
    ({"event": "written", "device": "door"}, True),
    ({"event": "written", "device": "do*"}, True),
    ({"event": "written", "device": "lock"}, False),
    ({"event": "written", "value": "05000900"}, True),
    ({"event": "written", "value": "0500*"}, True),
    ({"event": "written", "value": "*"}, True),
    ({"event": "written", "value": "0500"}, False),
    ({"event": "written", "value": 5000900}, False),
    ({"event": "written", "value": "*0900"}, False),
    ({"event": "written", "decoded": {"major": "5"}}, True),
    ({"event": "written", "decoded": {"major": 5}}, True),
    ({"event": "written", "decoded": {"major": 5.0}}, True),
    ({"event": "written", "decoded": {"major": 6}}, False),
    ({"event": "written", "decoded": {"major": 5, "minor": "9"}}, True),
    ({"event": "written", "decoded": {"major": 5, "minor": 8}}, False),
    ({"event": "written", "decoded": {}}, True),
    ({"event": "written", "decoded": {"cat": 5}}, False),
    ({"event": "refused", "attError": 0x86}, True),
    ({"event": "refused", "attError": "134"}, True),
    ({"event": "refused", "attError": 134.0}, True),
    ({"event": "refused", "attError": "134.0"}, False),
    ({"event": "refused", "attError": "13*"}, False),
    ({"event": "refused", "attError": True}, False),
    ({"event": "refused", "operation": "read", "characteristic": "FFF3"}, True),
    ({"event": "radio-ready", "extended": True}, True),
    ({"event": "radio-ready", "extended": "true"}, True),
    ({"event": "radio-ready", "extended": 1}, False),
    ({"event": "radio-ready", "extended": False}, False),
    ({"event": "radio-ready", "seed": 7}, True),
    ({"event": "radio-ready", "seed": "7"}, True),
    ({"event": "muted", "seconds": 1.5}, True),
    ({"event": "muted", "seconds": "1.5"}, True),
    ({"event": "muted", "seconds": "1.50"}, False),
    ({"event": "muted", "seconds": 1.6}, False),
    ({"event": "ready", "beacons": 0}, True),
    ({"event": "ready", "beacons": False}, False),
    ({"event": "ready", "sequence": 2}, True),
    ({"event": "ready", "sequence": 1}, False),
    ({"event": "advertising-started", "unknown": []}, False),
    ({"event": "advertising-started", "txPower": 0}, True),
    ({"event": "advertising-started", "scanResponse": ""}, True),
    ({"event": "stopping"}, False),
]
"""Members of an event, and whether the run has had such an event."""


def parts(pattern: dict[str, Any], prefix: str = "") -> Iterator[str]:
    """The parts of a condition of `ctl wait` with these members."""
    for key, value in pattern.items():
        if isinstance(value, dict):
            yield from parts(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}={value if isinstance(value, str) else json.dumps(value)}"


@pytest.mark.parametrize(("pattern", "is_met"), CASES, ids=[json.dumps(pattern) for pattern, _ in CASES])
def test_a_comparison_is_the_same_everywhere(shop: Air, pattern: dict[str, Any], is_met: bool) -> None:
    fields = dict(pattern)
    assert bool(shop.journal.find(fields.pop("event"), **fields)) == is_met, "Python"
    (verdict,) = shop.client.wait([{"match": pattern}])["verdicts"]
    assert verdict["ok"] == is_met, "HTTP"
    condition = ",".join(parts(pattern))
    # A condition of texts has no empty object and no list, and the number 5.0 is the text "5.0" there.
    if {} in pattern.values() or [] in pattern.values():
        return
    command = [str(shop.program), "ctl", "wait", condition, "--within", "0s", "--control", str(shop._folder / "control.sock")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    expected = matches_as_text(shop, pattern)
    assert done.returncode == (0 if expected else 1), done
    assert expected == is_met or "." in condition, "ctl"


def matches_as_text(air: Air, pattern: dict[str, Any]) -> bool:
    """Whether an event has these members, with the values as texts, as a condition has them."""

    def text(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: text(each) for key, each in value.items()}
        return value if isinstance(value, str) else json.dumps(value)

    return any(matches(event, text(pattern)) for event in air.journal.events)


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"event": "writen"}, 'there is no event "writen"; did you mean "written"? events are '),
    ({"event": "cat*"}, 'there is no event "cat*"; events are '),
    ({"event": "persisted"}, 'there is no event "persisted"; it is "settings-saved" now'),
    ({"event": "region-entered"}, 'there is no event "region-entered"; a receiver has the states of its regions: ctl receiver regions, '),
    ({"event": "written", "charcteristic": "2A06"}, 'events have no "charcteristic"; did you mean "characteristic"? '),
    ({"event": "written", "host": "phone"}, 'the event "written" has no "host"; '),
    ({"event": "connected", "decoded": {}}, 'the event "connected" has no "decoded"; '),
    ({"event": "written", "value": {"major": 5}}, '"value" of events is not an object'),
    ({"event": "scenario-ended", "scenario": {"stat": "x"}}, '"scenario" of events has no "stat"; did you mean "state"? keys are v, '),
    ({"event": "written", "device": "dor"}, 'there is no beacon "dor"; did you mean "door"? beacons are door, lock'),
    ({"event": "written", "device": "cat*"}, 'there is no beacon "cat*"; beacons are door, lock'),
    ({"event": "scan-started", "host": "fone"}, 'there is no host "fone"; hosts are host, phone'),
    ({"event": "receiver-connected", "receiver": "fone"}, 'there is no receiver "fone"; receivers are phone'),
]
"""Members of no event, and the beginning of the sentence."""


@pytest.mark.parametrize(("pattern", "sentence"), WRONG, ids=[json.dumps(pattern) for pattern, _ in WRONG])
def test_names_that_do_not_exist_are_refused_everywhere(shop: Air, pattern: dict[str, Any], sentence: str) -> None:
    fields = dict(pattern)
    event = fields.pop("event")
    for call in (shop.journal.find, shop.journal.expect):
        with pytest.raises(ValueError) as refused:
            call(event, **fields)
        assert str(refused.value).startswith(sentence)
    with pytest.raises(RequestError) as answered:
        shop.client.wait([{"match": pattern}])
    shown = str(answered.value).removeprefix("conditions: ")
    # The lists of names are long, and begin with another one.
    assert shown.partition("?")[0].partition("; events")[0] == str(refused.value).partition("?")[0].partition("; events")[0] or (
        "; its" in sentence or sentence.endswith("; ")
    )


def test_names_that_were_there_or_may_appear_are_accepted() -> None:
    with Air({"beacons": [{"id": "off", "device": "beacon", "format": "eddystone-uid", "namespace": "00112233445566778899",
                           "instance": "001122334455", "schedule": {"on": "2h", "off": "1h"}}]}, time="virtual") as air:  # fmt: skip
        door = air.beacon("door", ibeacon=DOOR)
        phone = air.phone("phone")
        air.remove(door)
        phone.remove()
        assert air.journal.find("connected", beacon=door) == air.journal.find("connected", beacon="off") == []
        assert air.journal.find("connected", beacon="later", may_appear=True) == []
        assert air.journal.find("scan-started", host="later", may_appear=True) == []
        with pytest.raises(UnmetExpectation):
            air.journal.expect("connected", beacon="later", within="1s", may_appear=True)
        kept = air.phone("kept")
        assert air.journal.find("scan-started", host=kept) == air.journal.find("scan-started", host="kept-2") == []
    assert air.journal.find("connected", beacon="off") == air.journal.find("host-joined", host=kept) == []
    with pytest.raises(ValueError, match='there is no beacon "of"; did you mean "off"'):
        air.journal.find("connected", beacon="of")
    assert air.journal.find("receiver-added", receiver="phone") and air.journal.find("receiver-connected", receiver=kept) == []
    with pytest.raises(ValueError, match='there is no receiver "cap"; receivers are kept, phone'):
        air.journal.find("receiver-removed", receiver="cap")
    with pytest.raises(ValueError, match='there is no host "cap"; hosts are host, kept'):
        air.journal.find("host-left", host="cap")


def test_a_beacon_is_a_name_or_an_object(shop: Air) -> None:
    assert len(shop.journal.find("written", beacon="door")) == len(shop.journal.find("written", beacon=Beacon(shop, "door"))) == 1
    assert len(shop.journal.find("written", device=Beacon(shop, "door"))) == 1


@pytest.mark.parametrize("where", [{"characteristic": "2A06"}, "written", 5, True, [], 0])
def test_a_condition_that_is_no_function_is_refused_at_the_call(shop: Air, where: Any) -> None:
    for call in (shop.journal.find, shop.journal.expect):
        with pytest.raises(TypeError, match=r"where is a function of an event, and this is .*; write where=lambda event: …, or compare fields"):
            call("stopping", where=where)


def test_no_field_is_none(shop: Air) -> None:
    with pytest.raises(ValueError, match="value=None matches no event; leave it out, or compare with where="):
        shop.journal.find("written", value=None)
    assert len(shop.journal.find("muted", where=lambda event: "value" not in event)) == 1
