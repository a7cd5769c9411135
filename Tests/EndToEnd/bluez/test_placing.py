# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Each kind of device, format and PDU type is placed on controllers that keep to the specification, with rights and without. A
raw host on the same air receives what the profile requests, or the run reports what differs, and `check` does so before it."""

from __future__ import annotations

import json
import re
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from air import Receiver
from beaconry import BINARY, Beaconry, Event, Run
from test_advertising import E2C5
from vhci import Report

pytestmark = [pytest.mark.places, pytest.mark.depends_on("controllers")]

Keys = dict[str, Any]

# The table ---------------------------------------------------------------------------------------------------------

PDUS = ("ADV_IND", "ADV_SCAN_IND", "ADV_NONCONN_IND")
FORMATS: dict[str, Callable[[int], Keys]] = {
    "ibeacon": lambda number: {"uuid": E2C5, "minor": number},
    "altbeacon": lambda number: {"id1": E2C5, "id2": number},
    "eddystone-uid": lambda number: {"namespace": "8b0ca750e7a7f6e3b0c2", "instance": f"{number:012x}"},
    "eddystone-url": lambda number: {"url": f"https://example.com/{number}"},
    "eddystone-tlm": lambda number: {"battery-millivolts": 3000, "advertisements": number},
    "bthome": lambda number: {"temperature": 21.5, "packet-id": number},
    "ruuvi-5": lambda number: {"temperature": 24.3, "sequence": number},
    "ruuvi-6": lambda number: {"temperature": 29.5, "sequence": number},
    "pvvx": lambda number: {"temperature": 17.05, "packet": number},
    "atc1441": lambda number: {"temperature": 16.2, "packet": number},
    "mibeacon": lambda number: {"temperature": 19.6, "frame-counter": number},
    "govee-h5075": lambda number: {"temperature": 20.5, "battery": number},
    "thermopro": lambda number: {"temperature": 27.9, "humidity": number},
    "switchbot-meter": lambda number: {"temperature": 24, "humidity": number},
    "inkbird": lambda number: {"temperature": 22.04, "humidity": number},
    "minew-ht": lambda number: {"temperature": 21.5, "humidity": number},
    "minew-acc": lambda number: {"acceleration-x": -0.5, "battery": number},
    "minew-info": lambda number: {"device-name": "PLUS", "battery": number},
    "kbeacon": lambda number: {"voltage": 3675, "humidity": number},
    "teltonika-eye": lambda number: {"temperature": 22.28, "humidity": number},
    "tilt": lambda number: {"temperature": number, "gravity": 1.016},
}
"""The formats that can be sent, each with a frame that no other number has."""
KINDS: dict[str, Callable[[int], Keys]] = {
    "ibeacon": lambda number: {"ibeacon": {"uuid": E2C5, "major": number}},
    "beacon": lambda number: {"format": "ibeacon", **FORMATS["ibeacon"](number)},
    "iot-design-shop": lambda number: {"ibeacon": {"uuid": E2C5, "major": number, "minor": 7}},
    "raw": lambda number: {"advertising-data": f"02010605ffffff{number:04x}"},
    "gatt": lambda number: {"advertise": {"manufacturer-data": {"company": 0xFFFF, "data": f"{number:040x}"}}},
    "battery": lambda number: {"level": 42},
    "sensortag": lambda number: {},
    "ancs-accessory": lambda number: {},
}
"""The kinds of devices, as their hardware is, or as a profile has them."""
WITH_PDU = {"ibeacon", "beacon", "raw", "gatt"}
"""The kinds whose profile determines the PDU type."""
WITH_NAME = set(KINDS) - {"raw", "sensortag"}
"""The kinds whose profile has a name; raw has a scan response, and sensortag has always the same."""
SERVICE = [{"uuid": "180F", "characteristics": [{"uuid": "2A19", "type": "uint8", "properties": ["read"]}]}]
SERVERS = {"iot-design-shop", "battery", "sensortag", "ancs-accessory"}
"""The kinds with an attribute database; an adapter has one."""


@dataclass(frozen=True)
class Cell:
    """One beacon of the table."""

    name: str
    keys: Keys = field(hash=False)
    serves: bool = False

    @property
    def id(self) -> str:
        """Its id in a profile."""
        return re.sub(r"[^a-z0-9]+", "-", self.name.lower())

    @property
    def has_interval(self) -> bool:
        """Whether a profile determines the interval."""
        return self.keys["device"] != "sensortag"


def table() -> Iterator[Cell]:
    """Each kind of device and each format, without and with a scan response, and of kinds with that choice each PDU type; of kinds
    with an attribute database, which run one after the other, with it only."""
    number = 0
    for kind, keys in KINDS.items():
        responses = [False] if kind == "sensortag" else [True] if kind in SERVERS else [False, True]
        for pdu, response in product(PDUS if kind in WITH_PDU - {"beacon"} else [None], responses):
            if pdu == "ADV_NONCONN_IND" and response:
                continue
            number += 1
            extra = response_of(kind, number) if response else {}
            chosen = {"device": kind, **keys(number), **({"pdu": pdu} if pdu else {}), **extra}
            yield Cell(" ".join([kind, *([pdu] if pdu else []), *extra]), chosen, kind in SERVERS)
    for format, response in product(FORMATS, [False, True]):
        number += 1
        extra = response_of("beacon", number) if response else {}
        chosen = {"device": "beacon", "format": format, **FORMATS[format](number), **extra}
        yield Cell(" ".join([format, *extra]), chosen)
    yield Cell("gatt with services", {"device": "gatt", "services": SERVICE, "name": f"P{number}"}, True)


def response_of(kind: str, number: int) -> Keys:
    """What a beacon has in its scan response, or beside its data."""
    return {"name": f"P{number}"} if kind in WITH_NAME else {"scan-response": f"0303aafe04ffffff{number:02x}"}


def impossible() -> Iterator[Cell]:
    """What no radio can send: a PDU type without scan responses, and a scan response. The name of `gatt` is shortened."""
    for kind in sorted(WITH_PDU - {"gatt"}):
        keys = {"device": kind, **KINDS[kind](1), "pdu": "ADV_NONCONN_IND", **response_of(kind, 1)}
        yield Cell(f"{kind} without a place for its response", keys)


def profile(cells: list[Cell], extended: bool = False) -> str:
    # Few packets, which an emulated machine receives without delay, and several in a turn of a legacy controller.
    interval = "1s" if extended else "300ms"
    beacons = [{"id": each.id, **({"interval": interval} if each.has_interval else {}), **each.keys} for each in cells]
    return json.dumps({"profile": "table", "beacons": beacons})


@pytest.mark.depends_on()
def test_table_has_every_kind_format_and_pdu(beaconry: Beaconry) -> None:
    """The program itself lists them: one that is added needs a row here."""
    items = json.loads(beaconry.call("schema", "profile").stdout)["properties"]["beacons"]["items"]
    assert set(items["properties"]["device"]["anyOf"][0]["enum"]) == set(KINDS)
    assert set(items["properties"]["format"]["anyOf"][0]["enum"]) == set(FORMATS)
    encode = re.findall(r"Print a frame of the format +(\S+)", " ".join(beaconry.call("encode", "--help").stdout.split()))
    assert set(encode) == set(FORMATS)
    of_kinds = {each["if"]["properties"]["device"]["const"]: each["then"] for each in items["allOf"]}
    assert set(of_kinds) == set(KINDS)
    keys = {kind: set(each["propertyNames"]["enum"]) for kind, each in of_kinds.items()}
    assert {kind for kind in KINDS if "pdu" in keys[kind]} == WITH_PDU
    assert {kind for kind in KINDS if keys[kind] & {"name", "scan-response"}} == WITH_NAME | {"raw"}
    for kind in WITH_PDU:
        assert set(of_kinds[kind]["properties"]["pdu"]["anyOf"][0]["enum"]) == set(PDUS)
    cells = list(table())
    assert len({each.id for each in cells}) == len(cells)


@pytest.mark.depends_on()
@pytest.mark.parametrize("cell", list(impossible()), ids=lambda cell: cell.id)
def test_impossible_cell_is_an_error_of_the_profile(beaconry: Beaconry, cell: Cell) -> None:
    result = beaconry.call("check", str(beaconry.profile(profile([cell]))))
    assert result.returncode == 65
    assert re.search(r"error: beacons\[0\]\.pdu: ADV_NONCONN_IND has no scan response", result.stdout + result.stderr)


# What is on the air ------------------------------------------------------------------------------------------------

FIELDS = ("pdu", "advertisingData", "scanResponse")
CODES = {
    "pdu": {"pdu-changed"},
    "advertisingData": {"data-changed", "flags-last", "flags-missing", "not-carried"},
    "scanResponse": {"scan-response-changed", "second-instance", "not-carried"},
}
"""The codes that report a difference of a field."""
PREDICTED = {"interval-forced", "interval-ignored", "interval-changed", "time-shared"}.union(*CODES.values())
"""The codes that `check` has before the run."""


def batches(cells: list[Cell], size: int, bus: bool) -> list[list[Cell]]:
    """The cells in groups for one run each, with at most one attribute database and so many instances of the kernel."""

    def instances(cell: Cell) -> int:
        # bluetoothd before 5.80 needs a second one for a scan response with more than a name.
        return 2 if bus and (cell.serves or "scan-response" in cell.keys) else 1

    found: list[list[Cell]] = []
    for cell in sorted(cells, key=lambda cell: not cell.serves):
        for batch in found:
            has_room = sum(map(instances, batch)) + instances(cell) <= size
            if has_room and not (cell.serves and any(each.serves for each in batch)):
                batch.append(cell)
                break
        else:
            found.append([cell])
    return found


def structures(data: bytes) -> list[bytes]:
    """The AD structures of data."""
    found, place = [], 0
    while place < len(data):
        found.append(data[place : place + 1 + data[place]])
        place += 1 + data[place]
    return found


SHARED = {0x01, 0x0A, 0x12}
"""The types that several devices of the table have with the same data, or bluetoothd does not carry: flags, power, intervals."""


def marker(wanted: Event) -> bytes:
    """The AD structure by which a beacon is recognised: the longest one of its advertising data, or else of its scan response. A name
    is used where there is nothing else: several devices of a maker have the same."""
    for types in (SHARED | {0x09}, SHARED):
        for data in (wanted["advertisingData"], wanted["scanResponse"]):
            if found := [each for each in structures(bytes.fromhex(data)) if each[1] not in types]:
                return max(found, key=len)
    raise ValueError(f"nothing distinguishes {wanted}")


@dataclass
class Received:
    """What the receiver has of a beacon: the number of packets by PDU type and data, and of scan responses."""

    packets: Counter[tuple[str, str]] = field(default_factory=Counter)
    responses: Counter[str] = field(default_factory=Counter)

    @property
    def is_enough(self) -> bool:
        """Whether a packet at the border between two turns does not matter."""
        if self.packets.total() < 3:
            return False
        return self.values["pdu"] == "ADV_NONCONN_IND" or self.responses.total() >= 3

    @property
    def values(self) -> dict[str, str]:
        """The values of FIELDS, those of most packets."""
        [((pdu, data), _)] = self.packets.most_common(1)
        [(response, _)] = self.responses.most_common(1) or [("", 0)]
        return {"pdu": pdu, "advertisingData": data, "scanResponse": "" if pdu == "ADV_NONCONN_IND" else response}


def received(receiver: Receiver, since: float, markers: dict[str, bytes]) -> dict[str, Received]:
    """What was received of each beacon. A scan response belongs to the packet of its advertiser that was received before it."""
    found = {device: Received() for device in markers}
    last: dict[str, Report] = {}

    def recognised(report: Report) -> Received | None:
        return next((found[device] for device, each in markers.items() if each in report.data), None)

    for report in receiver.since(since):
        if report.pdu != "SCAN_RSP":
            last[report.address] = report
            if beacon := recognised(report):
                beacon.packets[report.pdu, report.data.hex()] += 1
        elif packet := last.get(report.address):
            if beacon := recognised(packet):
                beacon.responses[report.data.hex()] += 1
            elif beacon := recognised(report):
                beacon.packets[packet.pdu, packet.data.hex()] += 1
                beacon.responses[report.data.hex()] += 1
    return found


class Placement:
    """A run of some cells, and what differs from what it should do."""

    def __init__(self, run: Run, receiver: Receiver, forecast: list[Event], cells: list[Cell]) -> None:
        self.run = run
        self.receiver = receiver
        self.forecast = forecast
        self.cells = {each.id: each for each in cells}

    def differences(self) -> list[str]:
        """What the table may not have, in sentences; empty if all is as it should be."""
        began = time.monotonic()
        if not self._wait_until_decided():
            return [f"the run of {sorted(self.cells)} ended: {self.run.errors.strip()}"]
        wanted = {device: each["requested"] for device, each in self._of("advertising-started").items()}
        refused = set(self.cells) - set(wanted)
        found = [f"{device} is refused, and check does not say so" for device in refused if not self._is_predicted(device)]
        markers = {device: marker(each) for device, each in wanted.items()}
        deadline, seen, faults = time.monotonic() + 120, {}, ["nothing was received"]
        # Warnings may follow what they are about.
        while faults and time.monotonic() < deadline:
            self.run.take(1)
            seen = received(self.receiver, self.run.began, markers)
            missing = [device for device, each in seen.items() if not each.is_enough]
            faults = [f"{each} is not received: {seen[each]}" for each in missing]
            if not faults:
                faults = [fault for device, each in seen.items() for fault in self._faults(device, wanted[device], each.values)]
                deadline = min(deadline, time.monotonic() + 10)
        print(*found, *faults, f"{len(self.cells)} cells in {time.monotonic() - began:.0f} s", sep="\n")
        return found + faults

    def _wait_until_decided(self) -> bool:
        """Waits until each beacon is on the air or refused; whether the run still runs."""
        deadline = time.monotonic() + 120
        while set(self._of("advertising-started")) | set(self._of("advertising-refused")) < set(self.cells):
            self.run.take_one(1)
            if self.run.process.poll() is not None:
                self.run.exit_code()
                return False
            assert time.monotonic() < deadline, f"not decided: {set(self.cells)}"
        return True

    def _of(self, name: str) -> dict[str, Event]:
        """The last event of this name of each beacon."""
        return {each["device"]: each for each in self.run.events if each["event"] == name}

    def _is_predicted(self, device: str) -> bool:
        return any(each.get("device") in (device, None) and each.get("severity") == "error" for each in self.forecast)

    def _faults(self, device: str, wanted: Event, seen: dict[str, str]) -> Iterator[str]:
        codes = {each["code"] for each in self.run.events if each["event"] == "warning" and each.get("device") == device}
        predicted = {each["code"] for each in self.forecast if each.get("device") == device}
        reported = {**self._of("advertising-started"), **self._of("advertising-changed")}[device]
        for name in FIELDS:
            said = f"{self.cells[device].name}: {name} is {seen[name]!r}"
            if seen[name] != wanted[name] and not codes & CODES[name]:
                yield f"{said}, {wanted[name]!r} was requested, and no warning says so: {sorted(codes)}"
            if name in reported and reported[name] != seen[name]:
                yield f"{said}, and the run reports {reported[name]!r}"
            if seen[name] == wanted[name] and (wrong := codes & CODES[name] - {"not-carried"}):
                yield f"{said}, as requested, and a warning says otherwise: {sorted(wrong)}"
        if codes & PREDICTED != predicted & PREDICTED:
            yield f"{self.cells[device].name}: check says {sorted(predicted)}, and the run {sorted(codes)}"


def forecast(result: subprocess.CompletedProcess[str]) -> list[Event]:
    """The findings of `check --json`."""
    assert result.stderr == "", result.stderr
    return [each for each in map(json.loads, result.stdout.splitlines()) if "code" in each]


@pytest.mark.timeout(1200)
def test_every_cell_is_on_the_air_with_rights(beaconry: Beaconry, world, receiver: Receiver, extended: bool) -> None:
    differences = []
    for cells in batches(list(table()), 12 if extended else 5, bus=False):
        path = beaconry.profile(profile(cells, extended))
        by_adapter = forecast(beaconry.call("check", str(path), "--radio", "bluez:hci0", "--json"))
        run = beaconry.run(path, "--ephemeral")
        differences += Placement(run, receiver, by_adapter, cells).differences()
        run.end()
        by_assumption = forecast(beaconry.call("check", str(path), "--assume", "ax200" if extended else "legacy", "--json"))
        predictions = [
            {(each.get("device"), each["code"]) for each in found if each["code"] in PREDICTED or each["severity"] == "error"}
            for found in (by_assumption, by_adapter)
        ]
        for device, code in predictions[0] ^ predictions[1]:
            differences.append(f"{device}: either check --assume or check --radio has {code}")
    assert not differences, "\n".join(differences)


@pytest.mark.timeout(1200)
def test_every_cell_is_on_the_air_without_rights(
    visitor: Callable[..., Run], run_as_user, receiver: Receiver, extended: bool
) -> None:
    differences = []
    path = Path("/tmp/visitor/table.yaml")
    for cells in batches(list(table()), 12 if extended else 5, bus=True):
        path.write_text(profile(cells, extended))
        by_adapter = forecast(run_as_user([BINARY, "check", path, "--radio", "bluez:hci0", "--json"]))
        run = visitor(path, "--ephemeral")
        differences += Placement(run, receiver, by_adapter, cells).differences()
        run.end()
    assert not differences, "\n".join(differences)
