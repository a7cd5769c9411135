# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Charts of recordings, of the events of receiving commands, and of captures."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from beaconry import Beaconry, Run

UUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
PROFILE = f"""
profile: room
beacons:
  - id: near
    device: ibeacon
    position: [1, 0]
    interval: 100ms
    ibeacon: {{ uuid: {UUID}, major: 1, minor: 1 }}
    address: C0:FF:EE:00:00:01
  - id: far
    device: ibeacon
    position: [4, 3]
    interval: 100ms
    ibeacon: {{ uuid: {UUID}, major: 1, minor: 2 }}
    address: C0:FF:EE:00:00:02
"""
SVG = "{http://www.w3.org/2000/svg}"

Start = Callable[..., tuple[Run, str]]


class Drawing:
    """A chart as another program parses it."""

    def __init__(self, text: str) -> None:
        self.root = ElementTree.fromstring(text.encode())
        assert self.root.tag == f"{SVG}svg"
        self.texts = [each.text for each in self.root.iter(f"{SVG}text")]

    def points(self, name: str) -> list[tuple[float, float]]:
        """The places of a beacon's dots."""
        (group,) = (each for each in self.root.iter(f"{SVG}g") if each.findtext(f"{SVG}title") == name)
        (dots,) = (each for each in group if each.get("class") == "dots")
        pairs = [part.removesuffix("h0").split() for part in dots.get("d", "").split("M")[1:]]
        return [(float(x), float(y)) for x, y in pairs]

    def circles(self) -> int:
        return len(list(self.root.iter(f"{SVG}circle")))


def plot(beaconry: Beaconry, *arguments: str | Path) -> Drawing:
    """What `plot` prints."""
    done = beaconry.call("plot", *map(str, arguments))
    assert done.returncode == 0, done
    return Drawing(done.stdout)


def test_recording_is_drawn_with_a_map(beaconry: Beaconry) -> None:
    profile = beaconry.profile(PROFILE)
    recording, chart = beaconry.folder / "room.jsonl", beaconry.folder / "room.svg"
    virtual = ("--profile", str(profile), "--rssi-noise", "3", "--seed", "1", "--rate", "max")
    done = beaconry.call("record", str(recording), "--plot", str(chart), "--duration", "2s", *virtual)
    assert done.returncode == 0, done
    lines = [json.loads(line) for line in recording.read_text().splitlines()[1:]]
    drawing = plot(beaconry, recording)
    for minor in (1, 2):
        received = [line for line in lines if line["address"].endswith(f"0{minor}")]
        points = drawing.points(f"ibeacon 1/{minor}")
        assert len(points) == len(received) >= 5
        assert [x for x, _ in points] == sorted(x for x, _ in points)
        # A higher RSSI is further up.
        order = sorted(range(len(points)), key=lambda index: -received[index]["rssi"])
        assert [points[index][1] for index in order] == sorted(y for _, y in points)
        assert f"ibeacon 1/{minor}, {len(received)} packets" in drawing.texts
    assert drawing.circles() == 0
    during = Drawing(chart.read_text())
    assert len(during.points("ibeacon 1/1")) == len(drawing.points("ibeacon 1/1"))

    # The same bytes again, on standard output and in a file; with names and a map.
    options = (str(recording), "--profile", str(profile))
    first = beaconry.call("plot", *options)
    second = beaconry.call("plot", *options, "-o", str(chart), "--force", "--json")
    assert json.loads(second.stdout) == {
        "v": 1, "event": "plotted", "file": str(chart), "beacons": 2, "packets": len(lines)
    }  # fmt: skip
    assert chart.read_text() == first.stdout
    named = Drawing(first.stdout)
    assert named.circles() == 2 and named.points("near") == drawing.points("ibeacon 1/1")
    assert {"near", "far", "x (m)", "y (m)", "time (s)", "RSSI (dBm)"} <= set(named.texts)


def test_ranging_reports_and_captures_are_drawn(air: Start, beaconry: Beaconry) -> None:
    capture, chart = beaconry.folder / "run.btsnoop", beaconry.folder / "range.svg"
    profile = beaconry.profile(PROFILE)
    run, transport = air(profile, "--capture", str(capture))
    done = beaconry.call(
        "range", "--uuid", UUID, "--duration", "3s", "--plot", str(chart), "--json", "--profile", str(profile), "--rate", "max"
    )
    assert done.returncode == 0, done
    events = beaconry.folder / "range.jsonl"
    events.write_text(done.stdout)
    assert json.loads(done.stdout.splitlines()[-1])["event"] == "plotted"
    for drawing in (Drawing(chart.read_text()), plot(beaconry, events)):
        assert len(drawing.points("ibeacon 1/1")) == 3
        assert {y for _, y in drawing.points("ibeacon 1/1")} == {drawing.points("ibeacon 1/2")[0][1]}
    refused = beaconry.call("range", "--plot", str(chart), "--radio", transport)
    assert refused.returncode == 73 and "--force replaces it" in refused.stderr
    expected = ("--uuid", UUID, "--minor", "2", "--major", "1", "--count", "20", "--within", "300s")
    assert beaconry.call("expect", *expected, "--radio", transport).returncode == 0
    assert run.end() == 0
    assert len(plot(beaconry, capture).points("ibeacon 1/2")) >= 20


def test_live_table_shows_the_last_values(beaconry: Beaconry) -> None:
    """Without a terminal there are none."""
    options = ("--profile", str(beaconry.profile(PROFILE)), "--rate", "max", "--duration", "2s")
    done = beaconry.call("range", "--uuid", UUID, *options)
    assert f"-59 dBm  {UUID}" in done.stdout, done


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("nonsense", 65, "odd:1: this is not what record FILE, range --json, "),
        ("", 65, "odd is empty"),
        ('{"v":1,"event":"ready","beacons":1}\n', 65, "odd: these events have no RSSI; plot reads what "),
        (None, 65, "beaconry record FILE makes a recording"),
    ],
)
def test_other_files_are_refused(beaconry: Beaconry, text: str | None, code: int, words: str) -> None:
    path = beaconry.folder / "odd"
    if text is not None:
        path.write_text(text)
    refused = beaconry.call("plot", str(path))
    assert refused.returncode == code and words in refused.stderr and refused.stdout == "", refused


def test_existing_chart_is_replaced_only_with_force(beaconry: Beaconry) -> None:
    recording, chart = beaconry.folder / "a.jsonl", beaconry.folder / "a.svg"
    recording.write_text('{"v":1,"began":"2026-01-31T12:00:00.000Z","radio":"x","limits":[]}\n')
    chart.write_text("mine")
    refused = beaconry.call("plot", str(recording), "-o", str(chart))
    assert refused.returncode == 73 and chart.read_text() == "mine"
    assert beaconry.call("plot", str(recording), "-o", str(chart), "--force").returncode == 0
    assert "no packets with an RSSI" in Drawing(chart.read_text()).texts
    assert beaconry.call("plot", str(recording), "--json").returncode == 64
