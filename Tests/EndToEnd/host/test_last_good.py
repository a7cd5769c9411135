# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""A start with a profile that cannot be read: the one that ran last is run (`--last-good`)."""

from __future__ import annotations

import http.client
import json
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from beaconry import PATIENCE, Beaconry, Run
from pictures import plan
from unix_http import UnixConnection

AIR = ("--radio", "virtual", "--hci-server", "none", "--json")
FRAME = "ibeacon: { uuid: 8F0C1B52-6D1A-4B7E-9C7E-2F7D3A1E5B90, major: 3, minor: 1 }"
FILES = {
    "museum.yaml": "profile: museum\ninclude: rooms/all.yaml\nmap: { image: plan.png, width: 9m }\nbeacons:\n"
    "  - { id: 'door-${ROOM}', device: ibeacon, " + FRAME + " }\n"
    "  - { id: guard, device: ibeacon, " + FRAME + ", track: rooms/walk.csv }\n",
    "rooms/all.yaml": "beacons: [{ id: hall, device: ibeacon, " + FRAME + " }]\n",
    "rooms/walk.csv": "t,x,y\n0,0,0\n10,5,0\n",
    "plan.png": plan(),
}
NAMES = ["hall", "door-3", "guard"]


class Museum:
    """A profile of several files, and runs of it."""

    def __init__(self, beaconry: Beaconry) -> None:
        self.beaconry = beaconry
        self.folder = beaconry.folder / "etc"
        (self.folder / "rooms").mkdir(parents=True)
        self.write()
        beaconry.environment["ROOM"] = "3"

    def write(self) -> None:
        for name, text in FILES.items():
            (self.folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())

    def start(self, *options: str) -> Run:
        return self.beaconry.start("run", str(self.folder / "museum.yaml"), *AIR, "--last-good", *options)

    @property
    def kept(self) -> list[Path]:
        return sorted((self.beaconry.state / "beaconry").glob(".last-good/*/manifest.json"))

    def wait_until_kept(self, count: int = 1) -> None:
        deadline = time.monotonic() + PATIENCE
        while len(self.kept) < count:
            assert time.monotonic() < deadline, "the profile is not kept"
            time.sleep(0.05)

    def wait_until_text_is_kept(self, text: str) -> None:
        deadline = time.monotonic() + PATIENCE
        # In a file that the manifest names: it is replaced after the files of the other slot.
        while not any(
            text in (path.parent / file["name"]).read_text()
            for path in self.kept
            for file in json.loads(path.read_text())["files"]
            if file["name"].endswith("-all.yaml")
        ):
            assert time.monotonic() < deadline, f"{text} is not kept"
            time.sleep(0.05)

    def run_and_kill(self, *options: str, count: int = 1) -> None:
        """A run that has kept its profile, and is killed as by a power cut."""
        run = self.start(*options)
        run.wait("ready")
        self.wait_until_kept(count)
        run.kill()

    def names(self) -> list[str]:
        done = self.beaconry.call("ctl", "list", "--json")
        assert done.returncode == 0, done
        return [json.loads(line)["id"] for line in done.stdout.splitlines()]

    def metric(self) -> str:
        connection = UnixConnection(self.beaconry.runtime / "beaconry" / "museum.sock")
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
        (line,) = (line for line in text.splitlines() if line.startswith("beaconry_profile_is_last_good "))
        return line.split()[1]

    def health(self) -> tuple[int, str]:
        connection = UnixConnection(self.beaconry.runtime / "beaconry" / "museum.sock")
        connection.request("GET", "/v1/health")
        response: http.client.HTTPResponse = connection.getresponse()
        return response.status, str(json.loads(response.read())["status"])


@pytest.fixture
def museum(beaconry: Beaconry) -> Museum:
    return Museum(beaconry)


def syntax(museum: Museum) -> None:
    (museum.folder / "museum.yaml").write_text("profile: [")


def fault(museum: Museum) -> None:
    (museum.folder / "museum.yaml").write_text("profile: museum\nbeacons: [{ id: a, device: nothing }]\n")


def empty(museum: Museum) -> None:
    (museum.folder / "museum.yaml").write_text("")


def binary(museum: Museum) -> None:
    (museum.folder / "museum.yaml").write_bytes(b"\xff\xfe")


def missing(museum: Museum) -> None:
    (museum.folder / "museum.yaml").unlink()


def without_include(museum: Museum) -> None:
    (museum.folder / "rooms" / "all.yaml").unlink()


def broken_include(museum: Museum) -> None:
    (museum.folder / "rooms" / "all.yaml").write_text("beacons: [{ id: hall }]\n")


def without_track(museum: Museum) -> None:
    (museum.folder / "rooms" / "walk.csv").unlink()


def without_plan(museum: Museum) -> None:
    (museum.folder / "plan.png").unlink()


def without_folder(museum: Museum) -> None:
    for name in FILES:
        (museum.folder / name).unlink()
    (museum.folder / "rooms").rmdir()
    museum.folder.rmdir()


def without_variable(museum: Museum) -> None:
    del museum.beaconry.environment["ROOM"]


BREAKS = [syntax, fault, empty, binary, missing, without_include, broken_include, without_track, without_plan, without_folder, without_variable]


@pytest.mark.slow
@pytest.mark.parametrize("breaks", BREAKS, ids=lambda breaks: breaks.__name__)
def test_profile_that_cannot_be_read_is_replaced_by_the_one_that_ran_last(
    museum: Museum, breaks: Callable[[Museum], None]
) -> None:
    museum.run_and_kill()
    breaks(museum)
    run = museum.start()
    warning = run.wait("warning", code="profile-is-last-good")
    assert f"beaconry check {museum.folder / 'museum.yaml'}" in warning["hint"]
    run.wait("ready")
    degraded = run.wait("degraded")
    assert degraded["message"].endswith("the profile cannot be used, and the one that ran last runs"), degraded
    assert museum.names() == NAMES
    assert museum.metric() == "1" and museum.health() == (200, "degraded")
    run.wait_for_text("error: ")
    if breaks is without_variable:
        # A reload has the environment of the start.
        assert run.end() == 0
        return
    museum.folder.mkdir(exist_ok=True)
    (museum.folder / "rooms").mkdir(exist_ok=True)
    broken = museum.beaconry.call("ctl", "reload")
    assert broken.returncode == 65 and museum.metric() == "1", broken
    museum.write()
    assert museum.beaconry.call("ctl", "reload").returncode == 0
    run.wait("recovered")
    assert museum.metric() == "0" and museum.health() == (200, "ok")
    assert run.end() == 0


@pytest.mark.slow
@pytest.mark.parametrize("breaks", BREAKS, ids=lambda breaks: breaks.__name__)
def test_reload_that_is_refused_is_reported_until_the_profile_is_corrected(
    museum: Museum, breaks: Callable[[Museum], None]
) -> None:
    """The next start could not use the profile either."""
    run = museum.start()
    run.wait("ready")
    museum.wait_until_kept()
    breaks(museum)
    if breaks is without_variable:  # the run has its own
        assert museum.beaconry.call("ctl", "reload").returncode == 0 and museum.metric() == "0"
        assert run.end() == 0
        return
    assert museum.beaconry.call("ctl", "reload").returncode == 65
    run.wait("degraded")
    assert museum.metric() == "1" and museum.health() == (200, "degraded") and museum.names() == NAMES
    museum.folder.mkdir(exist_ok=True)
    (museum.folder / "rooms").mkdir(exist_ok=True)
    museum.write()
    assert museum.beaconry.call("ctl", "reload").returncode == 0
    run.wait("recovered")
    assert museum.metric() == "0" and museum.health() == (200, "ok")
    assert run.end() == 0


def test_without_a_profile_that_ran_before_the_run_ends(museum: Museum) -> None:
    syntax(museum)
    run = museum.start()
    assert run.exit_code() == 65 and "no profile that ran before is kept" in run.errors


def test_without_the_option_the_run_ends(museum: Museum) -> None:
    museum.run_and_kill()
    syntax(museum)
    done = museum.beaconry.call("run", str(museum.folder / "museum.yaml"), *AIR)
    assert done.returncode == 65 and "last" not in done.stderr, done
    museum.beaconry.environment["BEACONRY_LAST_GOOD"] = "1"
    run = museum.beaconry.start("run", str(museum.folder / "museum.yaml"), *AIR)
    run.wait("warning", code="profile-is-last-good")
    run.wait("ready")
    assert run.end() == 0


def test_profile_that_the_radio_refuses_is_replaced_by_the_one_that_ran_last(beaconry: Beaconry) -> None:
    """It can be read, and a controller with two advertising sets does not carry it."""
    air = beaconry.run(beaconry.profile(crowd("air", 1), "air.yaml"), "--hci-server", "tcp:127.0.0.1:0?as=sets:2", radio="virtual")
    port = air.wait("radio-ready")["servers"][0].rpartition(":")[2].partition("?")[0]
    profile = beaconry.profile(crowd("hall", 1), "hall.yaml")
    radio = f"tcp-client:127.0.0.1:{port}"
    run = beaconry.run(profile, "--last-good", radio=radio)
    run.wait("ready")
    beaconry.profile(crowd("hall", 4), "hall.yaml")
    refused = beaconry.call("ctl", "reload", "--profile", "hall")
    assert refused.returncode == 69 and "2 of 4 beacons fit" in refused.stderr, refused
    assert run.end() == 0
    run = beaconry.run(profile, "--last-good", radio=radio)
    warning = run.wait("warning", code="profile-is-last-good")
    assert "2 of 4 beacons fit" in warning["message"] and "ctl reload --profile hall" in warning["hint"], warning
    assert run.wait("ready")["beacons"] == 1
    beaconry.profile(crowd("hall", 2), "hall.yaml")
    assert beaconry.call("ctl", "reload", "--profile", "hall").returncode == 0
    run.wait("recovered")
    assert run.end() == 0 and air.end() == 0


def test_profile_without_the_beacons_of_only_is_replaced_by_the_one_that_ran_last(museum: Museum) -> None:
    museum.run_and_kill("--only", "hall")
    (museum.folder / "rooms" / "all.yaml").write_text("beacons: [{ id: gate, device: ibeacon, " + FRAME + " }]\n")
    run = museum.start("--only", "hall")
    assert 'no beacon matches "hall"' in run.wait("warning", code="profile-is-last-good")["message"]
    run.wait("ready")
    assert museum.names() == ["hall"]
    assert run.end() == 0


def test_reload_without_the_beacons_of_only_is_refused(museum: Museum) -> None:
    run = museum.start("--only", "hall")
    run.wait("ready")
    museum.wait_until_kept()
    (museum.folder / "rooms" / "all.yaml").write_text("beacons: [{ id: gate, device: ibeacon, " + FRAME + " }]\n")
    refused = museum.beaconry.call("ctl", "reload")
    assert refused.returncode == 65 and 'no beacon matches "hall"' in refused.stderr, refused
    assert museum.names() == ["hall"]
    run.kill()
    # The profile that ran stays the last good one.
    run = museum.start("--only", "hall")
    run.wait("warning", code="profile-is-last-good")
    run.wait("ready")
    assert museum.names() == ["hall"]
    assert run.end() == 0


def crowd(name: str, count: int) -> str:
    lines = [f"  - {{ id: b{number}, device: ibeacon, {FRAME} }}" for number in range(count)]
    return "\n".join([f"profile: {name}", "beacons:", *lines, ""])


def test_nothing_is_kept_without_a_state_folder(museum: Museum) -> None:
    done = museum.beaconry.call("run", str(museum.folder / "museum.yaml"), *AIR, "--last-good", "--ephemeral")
    assert done.returncode == 64 and "leave --ephemeral out" in done.stderr, done
    # In a unit, --ephemeral is given by its variable, too.
    museum.beaconry.environment["BEACONRY_LAST_GOOD"] = "1"
    done = museum.beaconry.call("run", str(museum.folder / "museum.yaml"), *AIR, "--ephemeral", "--duration", "1ms")
    assert done.returncode == 0 and museum.kept == [], done
    assert "--last-good (BEACONRY_LAST_GOOD) has no effect: nothing is saved (--ephemeral)" in done.stderr


def test_changes_of_clients_are_not_kept_and_reloads_are(museum: Museum) -> None:
    run = museum.start()
    run.wait("ready")
    museum.wait_until_kept()
    (museum.folder / "rooms" / "all.yaml").write_text("beacons: [{ id: gate, device: ibeacon, " + FRAME + " }]\n")
    assert museum.beaconry.call("ctl", "reload").returncode == 0
    put = museum.beaconry.call("ctl", "put", "extra", "{ device: ibeacon, " + FRAME + " }")
    assert put.returncode == 0 and "extra" in museum.names(), put
    run.kill()
    syntax(museum)
    run = museum.start()
    run.wait("ready")
    assert museum.names() == ["gate", "door-3", "guard"]
    assert run.end() == 0


def test_runs_that_share_a_state_folder_have_a_copy_each(museum: Museum) -> None:
    museum.run_and_kill("--only", "door-*")
    museum.run_and_kill("--only", "hall", count=2)
    syntax(museum)
    run = museum.start("--only", "hall")
    run.wait("ready")
    assert museum.names() == ["hall"]
    assert run.end() == 0


def test_second_run_of_the_same_profile_keeps_nothing(museum: Museum) -> None:
    first = museum.start()
    first.wait("ready")
    museum.wait_until_kept()
    second = museum.start("--control", "none")
    warning = second.wait("warning", code="profile-not-kept")
    assert f"in use by process {first.process.pid}" in warning["message"], warning
    second.wait_until_reported("ready")
    assert second.end() == 0 and first.end() == 0


@pytest.mark.slow
def test_killed_runs_leave_a_copy_that_can_be_used(museum: Museum) -> None:
    """Reloads replace the copy, and the run is killed at any time of it."""
    museum.run_and_kill()
    choice = random.Random(7)
    for number in range(6):
        run = museum.start()
        run.wait("ready")
        for name in ("gate", "tower"):
            (museum.folder / "rooms" / "all.yaml").write_text(f"beacons: [{{ id: {name}, device: ibeacon, {FRAME} }}]\n")
            run.process.send_signal(signal.SIGHUP)
            if name == "gate":
                museum.wait_until_text_is_kept(name)
        # At any time while the copy is replaced.
        time.sleep(choice.uniform(0, 0.1))
        run.kill()
        good = (museum.folder / "museum.yaml").read_text()
        syntax(museum)
        run = museum.start()
        run.wait("ready")
        assert museum.names()[0] in ("gate", "tower"), number
        run.kill()
        (museum.folder / "museum.yaml").write_text(good)
