# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""`monitor` reports entries and exits as beacons of another process appear and disappear."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from beaconry import Beaconry, Event, Run

UUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
PROFILE = f"""
profile: town
beacons:
  - id: door
    device: ibeacon
    ibeacon: {{ uuid: {UUID}, major: 1, minor: 1 }}
  - id: shelf
    device: ibeacon
    ibeacon: {{ uuid: {UUID}, major: 1, minor: 2 }}
"""
REGIONS = f"""
regions:
  - identifier: shop
    uuid: {UUID}
    major: 1
    minor: 1
    hello: Welcome; $(touch pwned) & <b>come in</b>
    goodbye: Good bye
    exit-after: 1m
  - {{ identifier: elsewhere, uuid: 5A4BCFCE-174E-4BAC-A814-092E77F6B7E5, exit-after: 500ms }}
"""
LEFT_SOON = REGIONS.replace("exit-after: 1m", "exit-after: 2s")

Town = tuple[Run, str]


@pytest.fixture
def town(air: Callable[..., Town], beaconry: Beaconry) -> Town:
    """The profile above on an air, with the door's beacon disabled."""
    run, transport = air(beaconry.profile(PROFILE, "town.yaml"), "--ephemeral")
    disable(beaconry)
    return run, transport


def enable(beaconry: Beaconry) -> None:
    assert beaconry.call("ctl", "enable", "door").returncode == 0


def disable(beaconry: Beaconry) -> None:
    assert beaconry.call("ctl", "disable", "door").returncode == 0


def leave(beaconry: Beaconry, regions: str = REGIONS) -> None:
    """Lets a running monitor leave the region at the door soon: it reads the changed list. Before, it is too patient
    to leave the region when a busy machine delays the advertisements."""
    disable(beaconry)
    beaconry.profile(regions.replace("exit-after: 1m", "exit-after: 500ms"), "regions.yaml")


def start(beaconry: Beaconry, town: Town, *options: str, regions: str | None = REGIONS) -> Run:
    """Starts a monitor, and waits until it listens."""
    files = [] if regions is None else [str(beaconry.profile(regions, "regions.yaml"))]
    run = beaconry.start("monitor", *files, "--radio", town[1], "--json", *options)
    run.wait("listening")
    return run


def test_hello_and_goodbye_are_reported(town: Town, beaconry: Beaconry) -> None:
    run = start(beaconry, town, "--ephemeral", regions=LEFT_SOON)
    assert run.wait("state", region="shop")["state"] == "unknown"
    run.wait("state", region="elsewhere", state="outside")
    run.wait("state", region="shop", state="outside")
    for _ in range(2):
        enable(beaconry)
        entered = run.wait("entered", region="shop", timeout=300)
        assert entered["message"].startswith("Welcome; ") and entered["state"] == "inside" and entered["minor"] == 1
        ranged = run.wait("ranged", region="shop", timeout=300)
        assert [(beacon["minor"], beacon["proximity"]) for beacon in ranged["beacons"]] == [(1, "near")]
        began = time.monotonic()
        disable(beaconry)
        assert run.wait("exited", region="shop", timeout=300)["message"] == "Good bye"
        assert time.monotonic() - began > 1.8
    assert not [event for event in run.take(1.5) if event["event"] == "ranged"], "regions that are outside are not ranged"
    assert run.end(signal.SIGINT) == 0
    assert not any(event["region"] == "elsewhere" for event in run.events if event["event"] in ("entered", "ranged"))


def test_text_is_printed_on_standard_output(beaconry: Beaconry) -> None:
    beaconry.profile(PROFILE, "town.yaml")
    regions = beaconry.profile(REGIONS)
    virtual = ("--profile", str(beaconry.folder / "town.yaml"), "--rate", "max")
    done = beaconry.call("monitor", str(regions), *virtual, "--duration", "1500ms", "--ephemeral")
    assert done.returncode == 0, done.stderr
    assert "shop: You're inside the region: Welcome; $(touch pwned) & <b>come in</b>\n" in done.stdout
    assert f"shop: near: Major: 1, Minor: 1, Acc: 0.97m  -59 dBm  {UUID}\n" in done.stdout
    quiet = beaconry.call("monitor", str(regions), *virtual, "--duration", "1500ms", "--ephemeral", "--no-ranging")
    assert "inside" in quiet.stdout and "Acc" not in quiet.stdout


def test_states_survive_a_restart(town: Town, beaconry: Beaconry) -> None:
    enable(beaconry)
    run = start(beaconry, town)
    run.wait("entered", region="shop")
    second = beaconry.call("monitor", str(beaconry.folder / "regions.yaml"), "--radio", town[1])
    assert second.returncode == 73 and f"in use by process {run.process.pid}" in second.stderr
    run.kill()
    run = start(beaconry, town)
    assert run.wait("state", region="shop")["state"] == "inside"
    run.wait("ranged", region="shop", where=lambda event: event["beacons"])
    entered = [event for event in run.events if event["event"] == "entered"]
    assert not entered, "a region that is inside is not entered again"
    assert run.end() == 0
    disable(beaconry)
    run = start(beaconry, town, regions=LEFT_SOON)
    assert run.wait("state", region="shop")["state"] == "inside"
    assert run.wait("exited", region="shop", timeout=300)["message"] == "Good bye"
    assert run.end() == 0
    run = start(beaconry, town)
    assert run.wait("state", region="shop")["state"] == "outside"
    assert run.end() == 0
    assert [path.name for path in (beaconry.state / "beaconry" / ".monitor").iterdir()] == ["file-regions.yaml.states.json"]


def test_rate_limit_of_messages_survives_a_restart(town: Town, beaconry: Beaconry) -> None:
    regions = REGIONS.replace("exit-after: 1m", "exit-after: 1m\n    at-most-once-per: 1h")
    log = beaconry.folder / "log"
    script = executable(beaconry, f'echo "$BEACONRY_EVENT" >> {log}')
    for greeted in (True, False):
        run = start(beaconry, town, "--exec", str(script), regions=regions)
        enable(beaconry)
        entered = run.wait("entered", region="shop")
        assert ("message" in entered, entered["heldBack"]) == (greeted, not greeted)
        wait_for(log, "entered\n")
        leave(beaconry, regions)
        exited = run.wait("exited", region="shop")
        assert ("message" in exited, exited["heldBack"]) == (greeted, not greeted)
        wait_for(log, "entered\nexited\n")
        assert run.end() == 0
    assert log.read_text() == "entered\nexited\n"


def test_monitor_waits_for_a_lost_radio(town: Town, beaconry: Beaconry) -> None:
    enable(beaconry)
    run = start(beaconry, town, "--wait", "--ephemeral")
    run.wait("entered", region="shop")
    server = town[1].replace("tcp-client:", "tcp:")
    assert town[0].end() == 0
    assert run.wait("warning")["code"] == "radio-lost"
    town[0].kill()
    again = beaconry.run(beaconry.folder / "town.yaml", "--ephemeral", "--hci-server", server, radio="virtual")
    again.wait("ready")
    run.wait("listening")
    assert run.wait("state", region="shop")["state"] == "inside"
    assert [beacon["minor"] for beacon in run.wait("ranged", region="shop", where=lambda event: event["beacons"])["beacons"]] == [1]
    leave(beaconry)
    run.wait("exited", region="shop", timeout=300)
    assert run.end() == 0
    assert len([event for event in run.events if event["event"] == "entered"]) == 1


# MARK: --exec


def executable(beaconry: Beaconry, body: str, name: str = "command") -> Path:
    """A shell script."""
    path = beaconry.folder / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


def test_exec_gets_the_event_and_no_shell(town: Town, beaconry: Beaconry) -> None:
    out = beaconry.folder / "out"
    script = executable(beaconry, f'(env | grep "^BEACONRY_"; echo "$#:$1:$2"; cat) > {out}.tmp; mv {out}.tmp {out}; echo said', "my command")
    run = start(beaconry, town, "--exec", str(script), "--exec-argument", "--loud; true", "--exec-argument", "", "--ephemeral")
    enable(beaconry)
    run.wait("entered", region="shop")
    wait_for(out)
    lines = out.read_text().splitlines()
    variables = dict(line.split("=", 1) for line in lines if line.startswith("BEACONRY_"))
    assert variables["BEACONRY_EVENT"] == "entered" and variables["BEACONRY_REGION"] == "shop"
    assert (variables["BEACONRY_REGION_STATE"], variables["BEACONRY_UUID"]) == ("inside", UUID)
    assert (variables["BEACONRY_MAJOR"], variables["BEACONRY_MINOR"]) == ("1", "1")
    assert variables["BEACONRY_MESSAGE"] == "Welcome; $(touch pwned) & <b>come in</b>"
    assert "2:--loud; true:" in lines
    event = json.loads(lines[-1])
    assert event["v"] == 1 and event["region"] == "shop" and event["message"] == variables["BEACONRY_MESSAGE"]
    assert run.end() == 0
    assert "said\n" in run.errors, "its output is not mixed with the events"
    assert not list(beaconry.folder.glob("pwned")) and not Path("pwned").exists()


def wait_for(path: Path, start: str = "") -> None:
    """Waits for a file, and the text with which it starts."""
    deadline = time.monotonic() + 300
    while not (path.exists() and path.read_text().startswith(start)):
        assert time.monotonic() < deadline, f"{path} does not appear, or without {start!r}"
        time.sleep(0.02)


def test_exec_that_hangs_is_ended_with_all_it_started(town: Town, beaconry: Beaconry) -> None:
    pids = beaconry.folder / "pids"
    body = f'trap "" TERM\nsleep 3000 &\necho "$$ $!" > {pids}.tmp; mv {pids}.tmp {pids}\nwait; sleep 3000'
    script = executable(beaconry, body)
    # The script has this time to write its file.
    run = start(beaconry, town, "--exec", str(script), "--exec-timeout", "10s", "--ephemeral")
    enable(beaconry)
    warning = run.wait("warning", timeout=300)
    assert warning["code"] == "exec-too-long"
    wait_until_gone(pids)
    assert run.end() == 0
    pids.unlink()
    run = start(beaconry, town, "--exec", str(script), "--exec-timeout", "1h", "--ephemeral")
    run.wait("entered", region="shop")
    wait_for(pids)
    assert run.end() == 0, "a hanging command does not delay the end"
    wait_until_gone(pids)


def wait_until_gone(pids: Path) -> None:
    """Waits until no process in a file lives."""
    deadline = time.monotonic() + 300
    while any(alive(int(pid)) for pid in pids.read_text().split()):
        assert time.monotonic() < deadline, pids.read_text()
        time.sleep(0.02)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split(") ")[1][0] != "Z"
    except OSError:
        return False


def test_exec_runs_a_few_at_a_time(town: Town, beaconry: Beaconry) -> None:
    folder = beaconry.folder / "runs"
    folder.mkdir()
    go = beaconry.folder / "go"
    waiting = f"until [ -e {go} ]; do sleep 0.05; done"
    script = executable(beaconry, f"touch {folder}/begun-$BEACONRY_REGION; {waiting}; touch {folder}/done-$BEACONRY_REGION")
    regions = "regions:\n" + "".join(f"  - {{ identifier: r{n}, uuid: {UUID}, minor: 1, major: 1 }}\n" for n in range(20))
    run = start(beaconry, town, "--exec", str(script), "--ephemeral", "--no-ranging", regions=regions)
    enable(beaconry)
    run.wait("entered", region="r19")
    deadline = time.monotonic() + 300
    while len(list(folder.glob("begun-*"))) < 4:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    run.take(0.5)
    assert len(list(folder.glob("begun-*"))) == 4
    go.touch()
    wait_for(folder / "done-r19")
    assert run.end() == 0


@pytest.mark.parametrize(("body", "code"), [("exit 3", "exec-failed"), ("kill -9 $$", "exec-failed"), (None, "exec-not-started")])
def test_failure_of_exec_is_reported(town: Town, beaconry: Beaconry, body: str | None, code: str) -> None:
    script = executable(beaconry, body) if body else beaconry.folder / "none"
    run = start(beaconry, town, "--exec", str(script), "--ephemeral")
    enable(beaconry)
    assert run.wait("warning")["code"] == code
    leave(beaconry)
    run.wait("exited", region="shop")
    assert run.end() == 0


# MARK: --notify


@pytest.fixture
def session_bus(tmp_path: Path) -> Iterator[str]:
    """A session bus for one test."""
    process = subprocess.Popen(
        ["dbus-daemon", "--session", "--nofork", "--print-address", f"--address=unix:path={tmp_path}/bus"],
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout
    yield process.stdout.readline().strip()
    process.terminate()
    process.wait(300)


SERVICE = """
import asyncio, sys
from dbus_fast.aio import MessageBus
from dbus_fast.service import ServiceInterface, method

class Notifications(ServiceInterface):
    @method()
    def Notify(self, app: "s", replaces: "u", icon: "s", summary: "s", body: "s", actions: "as", hints: "a{sv}", expire: "i") -> "u":
        print(repr((app, replaces, summary, body)), flush=True)
        return 7

async def main():
    bus = await MessageBus(bus_address=sys.argv[1]).connect()
    bus.export("/org/freedesktop/Notifications", Notifications("org.freedesktop.Notifications"))
    await bus.request_name("org.freedesktop.Notifications")
    print("ready", flush=True)
    await asyncio.get_running_loop().create_future()

asyncio.run(main())
"""


def test_messages_are_shown_on_the_desktop(town: Town, beaconry: Beaconry, session_bus: str, tmp_path: Path) -> None:
    service = subprocess.Popen([sys.executable, "-c", SERVICE, session_bus], stdout=subprocess.PIPE, text=True)
    try:
        assert service.stdout and service.stdout.readline() == "ready\n"
        beaconry.environment["DBUS_SESSION_BUS_ADDRESS"] = session_bus
        run = start(beaconry, town, "--notify", "--ephemeral")
        enable(beaconry)
        run.wait("entered", region="shop")
        body = "Welcome; $(touch pwned) &amp; &lt;b&gt;come in&lt;/b&gt;"
        assert service.stdout.readline() == repr(("beaconry", 0, "shop", body)) + "\n"
        leave(beaconry)
        run.wait("exited", region="shop")
        assert service.stdout.readline() == repr(("beaconry", 7, "shop", "Good bye")) + "\n", "it replaces the previous notification"
        assert run.end() == 0
    finally:
        service.kill()
        service.wait(300)


def test_missing_desktop_is_a_warning(town: Town, beaconry: Beaconry) -> None:
    beaconry.environment["DBUS_SESSION_BUS_ADDRESS"] = f"unix:path={beaconry.folder}/none"
    run = start(beaconry, town, "--notify", "--ephemeral")
    enable(beaconry)
    run.wait("entered", region="shop")
    warning = run.wait("warning")
    assert warning["code"] == "notify-failed" and "session bus" in warning["message"]
    assert run.end() == 0


# MARK: The saved list


def regions_until_next_report(run: Run, region: str) -> set[str | None]:
    """The regions of all events from a report of one region, which comes every second, to the next one."""
    run.wait("ranged", region=region)
    seen = len(run.events)
    run.wait("ranged", region=region)
    return {event.get("region") for event in run.events[seen:]}


def test_saved_list_is_edited_and_monitored(town: Town, beaconry: Beaconry) -> None:
    none = beaconry.call("monitor", "--radio", town[1])
    assert none.returncode == 64 and "no region is saved" in none.stderr

    def call(*arguments: str, code: int = 0) -> list[Event]:
        done = beaconry.call("monitor", *arguments, "--json")
        assert done.returncode == code, done
        return [json.loads(line) for line in done.stdout.splitlines()]

    call("add", "shop", "--uuid", UUID, "--major", "1", "--minor", "9", "--hello", "Old")
    call("add", "shelf", "--uuid", UUID, "--major", "1", "--minor", "2", "--exit-after", "1s")
    added = call("add", "shop", "--uuid", UUID, "--major", "1", "--minor", "1", "--hello", "Hello", "--exit-after", "1s")
    assert added[0]["event"] == "added" and added[0]["region"]["hello"] == "Hello"
    assert [each["region"]["identifier"] for each in call("list")] == ["shop", "shelf"], "the same identifier replaces"
    run = start(beaconry, town, regions=None)
    run.wait("entered", region="shelf")
    enable(beaconry)
    assert run.wait("entered", region="shop")["message"] == "Hello"
    # A beacon that pauses for a second leaves its region for a moment.
    deadline = time.monotonic() + 300
    inside = {"shop": "inside", "shelf": "inside"}
    while {each["region"]["identifier"]: each["state"] for each in call("list")} != inside:
        assert time.monotonic() < deadline, run.record
    # A running monitor reads the change.
    call("add", "new", "--uuid", UUID)
    run.wait("entered", region="new", timeout=300)
    call("remove", "shop")
    deadline = time.monotonic() + 300
    while "shop" in regions_until_next_report(run, "new"):
        assert time.monotonic() < deadline, run.record
    disable(beaconry)
    # The region would be left after a second.
    for _ in range(2):
        assert "shop" not in regions_until_next_report(run, "new")
    saved = beaconry.state / "beaconry" / ".monitor" / "saved.json"
    text = saved.read_text()
    saved.write_text("{")
    assert run.wait("warning", timeout=300)["code"] == "regions-not-read"
    saved.write_text(text)
    assert run.end() == 0
    assert [each["code"] for each in call("remove", "shop", code=64)] == ["usage"]
    assert [each["region"]["identifier"] for each in call("list")] == ["shelf", "new"]
    assert beaconry.call("monitor", "add", "x", "--uuid", UUID, "--minor", "1").returncode == 64
    assert beaconry.call("monitor", "add", "x", "--uuid", "x").returncode == 64


def test_changed_list_of_regions_is_used(town: Town, beaconry: Beaconry) -> None:
    enable(beaconry)
    run = start(beaconry, town, "--ephemeral")
    run.wait("entered", region="shop")
    beaconry.profile(REGIONS.replace("identifier: shop", "identifier: store"), "regions.yaml")
    run.wait("entered", region="store", timeout=300)
    beaconry.profile("regions: []\n", "regions.yaml")
    warning = run.wait("warning", timeout=300)
    assert "regions.yaml:1:10: regions: " in warning["message"]
    assert run.wait("ranged", region="store", timeout=300)["beacons"]
    assert run.end() == 0


@pytest.mark.slow
def test_limit_of_regions_can_be_raised(town: Town, beaconry: Beaconry) -> None:
    regions = "regions:\n" + "".join(f"  - {{ identifier: r{number}, uuid: {UUID} }}\n" for number in range(21))
    path = beaconry.profile(regions)
    done = beaconry.call("monitor", str(path), "--radio", town[1])
    assert done.returncode == 65 and "20 already" in done.stderr
    for limit in ("21", "none"):
        done = beaconry.call("monitor", str(path), "--radio", town[1], "--max-regions", limit, "--duration", "300ms")
        assert done.returncode == 0, done.stderr
    for number in range(20):
        assert beaconry.call("monitor", "add", f"r{number}", "--uuid", UUID).returncode == 0
    assert beaconry.call("monitor", "add", "one-more", "--uuid", UUID).returncode == 64
    assert beaconry.call("monitor", "add", "one-more", "--uuid", UUID, "--max-regions", "none").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["none.yaml"], 65, "there is no such file"), (["bad.yaml"], 65, 'bad.yaml:3:13: error: regions[0].uuid: "12" is not a UUID'),
        (["bad.yaml", "--ephemeral", "--state", "x"], 64, "exclude"), (["good.yaml", "--exec-argument", "x"], 64, "needs --exec"),
        (["good.yaml", "--max-regions", "0"], 64, "--max-regions"), (["good.yaml", "--exit-after", "x"], 64, "--exit-after"),
        (["good.yaml", "--state", "/proc/none"], 73, "choose another state folder"), (["remove", "x"], 64, "no region"),
        (["good.yaml", "--radio", "tcp-client:127.0.0.1:1"], 69, "no controller answers"),
    ],
)  # fmt: skip
def test_wrong_usage_is_reported(beaconry: Beaconry, arguments: list[str], code: int, words: str) -> None:
    beaconry.profile("regions:\n  - identifier: a\n    uuid:   12\n", "bad.yaml")
    beaconry.profile(REGIONS, "good.yaml")
    arguments = [str(beaconry.folder / each) if each.endswith(".yaml") else each for each in arguments]
    done = beaconry.call("monitor", *arguments)
    assert done.returncode == code and words in done.stderr, done


@pytest.mark.parametrize("command", [[], ["watch"], ["add"], ["remove"], ["list"]])
def test_help_has_an_example(beaconry: Beaconry, command: list[str]) -> None:
    done = beaconry.call("monitor", *command, "--help")
    assert done.returncode == 0 and "Example: beaconry monitor" in done.stdout


def test_program_inherits_no_open_file(town: Town, beaconry: Beaconry, tmp_path: Path) -> None:
    """Otherwise a child that a program leaves behind would keep the radio's connection open, as a receiver, forever."""
    enable(beaconry)
    output = tmp_path / "files"
    script = f"import os; names = os.listdir('/proc/self/fd'); open({str(output)!r} + '.new', 'w').write(" + (
        "'\\n'.join(os.readlink('/proc/self/fd/' + name) for name in names if os.path.exists('/proc/self/fd/' + name) or "
        "os.path.islink('/proc/self/fd/' + name)))"
    ) + f"; os.rename({str(output)!r} + '.new', {str(output)!r})"
    run = start(
        beaconry, town, "--ephemeral", "--exec", sys.executable, "--exec-argument", "-c", "--exec-argument", script
    )
    run.wait("entered", region="shop")
    deadline = time.monotonic() + 300
    while not output.exists():
        assert time.monotonic() < deadline, run.record
        time.sleep(0.02)
    files = output.read_text().splitlines()
    assert len(files) >= 3
    assert not [file for file in files if file.startswith(("socket:", "anon_inode:"))], files
    assert run.end() == 0


def test_reports_from_a_stop_count_before_the_time_limit(town: Town, beaconry: Beaconry) -> None:
    enable(beaconry)
    run = start(beaconry, town, "--ephemeral", regions=REGIONS.replace("exit-after: 1m", "exit-after: 5s"))
    run.wait("entered", region="shop")
    run.process.send_signal(signal.SIGSTOP)
    time.sleep(5.5)  # longer than the region's exit-after
    seen = len(run.events)
    run.process.send_signal(signal.SIGCONT)
    for _ in range(2):
        run.wait("ranged")
    assert not [event for event in run.events[seen:] if event["event"] in ("entered", "exited")]
    disable(beaconry)
    run.wait("exited", region="shop", timeout=300)
    assert run.end() == 0
