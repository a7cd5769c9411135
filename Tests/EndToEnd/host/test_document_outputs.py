# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""What documents show as output is what the program prints; `…` in a document stands for any text."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from beaconry import BINARY, CHECKOUT, PROFILES, Beaconry
from documents import Block, blocks

DOCS = CHECKOUT / "docs"


def block(document: str, beginning: str) -> Block:
    """The only block of a document that begins so."""
    (found,) = [each for each in blocks(DOCS / document) if each.text.startswith(beginning)]
    return found


def missing_line(shown: str, printed: str) -> str | None:
    """The first shown line that is not printed after the lines before it; None if all are. Runs of spaces are equal."""
    rest = [" ".join(line.split()) for line in printed.splitlines()]
    for line in shown.splitlines():
        pattern = re.compile(".*".join(map(re.escape, " ".join(line.split()).split("…"))))
        found = next((number for number, each in enumerate(rest) if pattern.fullmatch(each)), None)
        if found is None:
            return line
        rest = rest[found + 1 :]
    return None


def test_lines_are_compared_in_their_order() -> None:
    printed = "a 1\nb   22 c\nd\n"
    for shown, missing in {"a 1\nd": None, "b 2… c": None, "d\na 1": "a 1", "b 3… c": "b 3… c", "a": "a"}.items():
        assert missing_line(shown, printed) == missing, shown


def test_display_prints_notifications(beaconry: Beaconry) -> None:
    """docs/ancs.md: the display and the phone of the document."""
    shown = block("ancs.md", "bob: notifications available").text
    command = [str(BINARY), "run", str(PROFILES / "ancs.yaml"), "--radio", "virtual", "--hci-server", "tcp:127.0.0.1:0", "--ephemeral"]
    display = subprocess.Popen(command, env=beaconry.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    try:
        assert display.stdout
        printed = display.stdout.readline()
        port = re.search(r"listening on tcp:(\S+),", printed)
        assert port, printed
        phone = beaconry.start("phone", str(PROFILES / "phones" / "iphone.yaml"), "--radio", f"tcp-client:{port[1]}", "--ephemeral", "--json")
        while shown.splitlines()[-1] not in printed:
            line = display.stdout.readline()
            assert line, (printed, phone.record)
            printed += line
        assert missing_line(shown, printed) is None, printed
    finally:
        display.kill()
        display.wait()


def test_list_becomes_a_profile(beaconry: Beaconry, monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/profiles.md: the list, the command, what it prints, and the beacons."""
    monkeypatch.chdir(beaconry.folder)
    Path("exhibits.csv").write_text(block("profiles.md", "# exhibits.csv").text + "\n")
    for command in block("profiles.md", "beaconry init exhibits.yaml").text.splitlines():
        done = beaconry.call(*command.split()[1:])
        assert done.returncode == 0, done
        if "init" in command:
            assert missing_line(block("profiles.md", "exhibits.yaml is written").text, done.stdout + done.stderr) is None, done
    assert missing_line(block("profiles.md", "  - { id: stele-4").text, Path("exhibits.yaml").read_text()) is None


def test_scenarios_print_results(beaconry: Beaconry, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (DOCS / "scenarios.md").read_text()
    moved = re.search(r"the beacon was moved to `(position: [^`]*)`", text)
    assert moved
    monkeypatch.chdir(beaconry.folder)
    (beaconry.folder / "scenarios").mkdir()
    for name in ("beacon-swapped", "hello-and-goodbye"):
        scenario = (CHECKOUT / "scenarios" / f"{name}.yaml").read_text()
        changed = scenario.replace("position: [0, 0]", moved[1]) if name == "hello-and-goodbye" else scenario
        (beaconry.folder / "scenarios" / f"{name}.yaml").write_text(changed)
    (beaconry.folder / "profiles").symlink_to(PROFILES)
    done = beaconry.call("test", "scenarios/beacon-swapped.yaml", "scenarios/hello-and-goodbye.yaml")
    assert missing_line(block("scenarios.md", "passed beacon-swapped").text, done.stdout + done.stderr) is None, done


def test_first_test_fails_then_passes(beaconry: Beaconry) -> None:
    """docs/first-steps.md: with the Python package of the repository, and with the change that the document describes."""
    for file in ("shop.yaml", "test_door.py"):
        (beaconry.folder / file).write_text(block("first-steps.md", f"# {file}\n").text)
    environment = beaconry.environment | {"PYTHONPATH": str(CHECKOUT / "python" / "src"), "BEACONRY_PROGRAM": str(BINARY)}

    def pytest_prints() -> str:
        command = [sys.executable, "-m", "pytest", "-q", "-p", "beaconry.pytest_plugin", "-p", "no:cacheprovider", "-p", "no:xdist", "test_door.py"]
        environment["PATH"] = f"{Path(BINARY).absolute().parent}{os.pathsep}{os.environ['PATH']}"
        return subprocess.run(command, cwd=beaconry.folder, env=environment, capture_output=True, text=True, timeout=600, check=False).stdout

    # The limits of the document are for a reader's machine, which is not busy.
    test = beaconry.folder / "test_door.py"
    test.write_text(test.read_text().replace('"2s"', '"10s"'))
    printed = pytest_prints()
    assert missing_line(block("first-steps.md", ">       assert").text.replace("within 2 s", "within 10 s"), printed) is None, printed
    text = (DOCS / "first-steps.md").read_text()
    change = re.search(r"With `(metres=\d+)` the test passes", text)
    assert change
    test.write_text(re.sub(r"metres=\d+", change[1], test.read_text().replace('"10s"', '"300s"')))
    printed = pytest_prints()
    assert missing_line(block("first-steps.md", "1 passed").text, printed) is None, printed


THRESHOLD = """
profile: shop
beacons:
  - id: door
    device: gatt
    services: [{ uuid: 1802, characteristics: [{ name: threshold, uuid: 2A06, properties: [write], type: uint8, value: 30 }] }]
"""


def test_journal_prints_a_write(beaconry: Beaconry) -> None:
    """docs/control.md: the number and the time of the event differ."""
    run = beaconry.run(beaconry.profile(THRESHOLD), "--ephemeral", "--hci-server", "none", radio="virtual")
    run.wait("ready")
    for words in ("listen phone", "connect phone door --timeout 60s", "write phone door 2A06 32"):
        assert beaconry.call("ctl", "receiver", *words.split()).returncode == 0
    command, line = block("control.md", "beaconry ctl journal").text.splitlines()[:2]
    printed = beaconry.call(*command.split()[1:]).stdout
    shown = re.sub(r"^\d+  \S+Z", "…Z", line).replace("F0:…", "…")
    assert missing_line(shown, printed) is None, (shown, printed)
    conditions = re.search(r"ctl wait (\S+ \S+) ", block("control.md", "beaconry ctl journal").text)
    assert conditions and beaconry.call("ctl", "wait", *conditions[1].split()).returncode == 0


@pytest.mark.parametrize(("document", "command"), [("virtual-time.md", "ctl clock"), ("virtual-air.md", "ctl receiver add tablet 9 0")])
def test_comments_with_output_are_right(beaconry: Beaconry, document: str, command: str) -> None:
    """Commands whose comment is what they print; ports differ."""
    rate = ["--rate", "manual", "--hci-server", "none"] if document == "virtual-time.md" else ["--hci-server", "none"]
    run = beaconry.run(PROFILES / "battery.yaml", "--ephemeral", *rate, radio="virtual")
    run.wait("ready")
    found = re.search(rf"^    beaconry {command} +# (.*)$", (DOCS / document).read_text(), re.MULTILINE)
    assert found
    if document == "virtual-time.md":
        assert beaconry.call("ctl", "clock", "advance", "30s").returncode == 0
    printed = beaconry.call(*command.split()).stdout
    assert missing_line(re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:…", found[1]), printed) is None, printed


def test_recording_begins_as_shown(beaconry: Beaconry) -> None:
    """docs/testing-with-physics.md: the same profile and seed give the same file."""
    profile = beaconry.profile(block("testing-with-physics.md", "profile: walk\n").text, "walk.yaml")
    recording = beaconry.folder / "1.jsonl"
    done = beaconry.call(
        "record", str(recording), "--profile", str(profile), "--receiver", "visitor", "--seed", "1", "--rate", "max", "--duration", "1s"
    )
    assert done.returncode == 0, done
    assert missing_line(block("testing-with-physics.md", '{"air":2,"began"').text, recording.read_text()) is None


def test_sweep_prints_its_report(beaconry: Beaconry, monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/sweeps.md: the spec, its report, an object of each kind, a line of the output, and a fault."""
    monkeypatch.chdir(beaconry.folder)
    Path("scenarios").symlink_to(CHECKOUT / "scenarios")
    spec = Path("rooms-sweep.yaml")
    spec.write_text(block("sweeps.md", "# rooms-sweep.yaml").text + "\n")
    (command,) = block("sweeps.md", "beaconry sweep rooms-sweep.yaml --output rooms.jsonl").text.splitlines()
    done = beaconry.call(*command.split()[1:])
    assert missing_line(block("sweeps.md", "sweep rooms: ").text, done.stdout) is None, done.stdout
    figure, sweep = re.sub(r"\n\s+", "", block("sweeps.md", '{"v":1,"event":"figure"').text).splitlines()
    records = [json.loads(line) for line in beaconry.call("merge", "rooms.jsonl", "--json").stdout.splitlines()]
    assert json.loads(figure) in records
    assert {*json.loads(sweep.replace("[…]", "[]"))} == {*records[-1]}
    shown = block("sweeps.md", '{"v":1,"sweep"').text
    assert re.findall(r'[{,]"(\w+)":', shown)[:6] == [*json.loads(Path("rooms.jsonl").read_text().splitlines()[1])]
    fault = block("sweeps.md", "rooms-sweep.yaml:6:15").text
    spec.write_text(spec.read_text().replace("beacons.*", "beacons.hat"))
    assert beaconry.call("sweep", "rooms-sweep.yaml").stderr == fault + "\n"


@pytest.mark.parametrize("beginning", ['{"v":1,"time":"2026-01-31T12:00:00.000Z","event":"advertising', '{"v":1,"time":"2026-01-31T12:00:00.000Z","event":"error'])
def test_objects_of_events_have_the_shown_keys(beaconry: Beaconry, beginning: str) -> None:
    """docs/events.md: an advertisement, and an error in a profile."""
    shown = re.sub(r"\s*\n\s*", "", block("events.md", beginning).text)
    keys = re.findall(r'[{,]"(\w+)":', shown)
    kind = re.search(r'"event":"([\w-]+)"', shown)
    assert kind and len(keys) > 8
    if kind[1] == "error":
        profile = beaconry.profile(
            "profile: shop\nbeacons:\n  - id: door\n    device: ibeacon\n"
            "    ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major: 70000 }\n"
        )
        line = beaconry.call("check", str(profile), "--json").stdout
        event = json.loads(line)
    else:
        run = beaconry.run(PROFILES / "iot-design-shop.yaml", "--ephemeral", "--hci-server", "none", radio="virtual")
        event = run.wait(kind[1])
    assert sorted(keys) == sorted(event)


@pytest.mark.statistics
def test_pass_rates_as_objects_are_as_shown(beaconry: Beaconry, monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/testing-with-physics.md: the values of `--json`, whose keys are printed in another order."""
    monkeypatch.chdir(CHECKOUT)
    printed = [json.loads(line) for line in beaconry.call("test", "scenarios/two-rooms.yaml", "--seeds", "1..50", "--json").stdout.splitlines()]
    text = re.sub(r"\n\s+", "", block("testing-with-physics.md", '{"v":1,"event":"expectation"').text)
    for line in text.splitlines() or [text]:
        shown = json.loads(re.sub(r",…\]", "]", line))
        same = [each for each in printed if all(each.get(key) == shown.get(key) for key in ("event", "line"))]
        for key, value in shown.items():
            found = same[0][key]
            is_same = found[: len(value)] == value if key == "failedSeeds" else missing_line(str(value), str(found)) is None
            assert is_same, (key, value, found)
