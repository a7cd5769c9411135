# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The services under systemd: they start, they stay, and they are controlled by those who may."""

from __future__ import annotations

import json
import re

import pytest
from machine import Machine, profile, use_virtual_air

SOCKET = "/run/beaconry/profile.sock"


def start_instance(machine: Machine, name: str, *ids: str, **variables: str) -> str:
    """Enables and starts `beaconry@NAME` with a profile of its own; returns its unit."""
    machine.write(f"/etc/beaconry/{name}.yaml", profile(name, *ids))
    use_virtual_air(machine, f"beaconry@{name}", **variables)
    machine.run("systemctl", "enable", "--now", f"beaconry@{name}")
    return f"beaconry@{name}"


def test_service_puts_its_beacons_on_the_air(machine: Machine) -> None:
    assert machine.call("systemctl", "is-enabled", "beaconry").stdout.strip() == "disabled"
    machine.run("systemctl", "enable", "--now", "beaconry")
    machine.wait_for_beacons()
    machine.wait("status", lambda: machine.show("beaconry", "StatusText")[0].startswith("1 beacon on the air; beaconry "))
    status = machine.call("systemctl", "status", "--no-pager", "--lines=0", "beaconry")
    assert status.returncode == 0 and "active (running)" in status.stdout
    assert machine.show("beaconry", "NRestarts", "Result") == ["0", "success"]


def test_journal_of_a_start_and_a_stop_has_no_faults(machine: Machine) -> None:
    """Neither of systemd about the unit, nor of Swift's runtime, whose messages have no priority."""
    machine.run("systemctl", "start", "beaconry")
    machine.wait_for_beacons()
    machine.run("systemctl", "stop", "beaconry")
    journal = machine.journal()
    assert "ready: 1 beacon is on the air" in journal
    assert "ailed" not in journal and "ignoring" not in journal and "errno" not in journal, journal
    assert machine.journal("--priority=warning") == ""


@pytest.mark.parametrize("unit", ["beaconry", "beaconry@shop"])
def test_users_and_groups_of_the_units_exist(machine: Machine, unit: str) -> None:
    """Also without bluez, whose package creates the group of its D-Bus policy."""
    user, group, others = machine.show(unit, "User", "Group", "SupplementaryGroups")
    assert (user, group, others) == ("beaconry", "beaconry", "bluetooth")
    machine.run("getent", "passwd", user)
    for name in (group, *others.split()):
        machine.run("getent", "group", name)


def test_members_of_the_group_control_the_service(machine: Machine) -> None:
    machine.run("systemctl", "start", "beaconry")
    machine.wait_for_beacons()
    assert machine.run("stat", "--format=%U %G %a", SOCKET).split() == ["beaconry", "beaconry", "660"]
    machine.shell("useradd --create-home alice; useradd --create-home bob; adduser --quiet alice beaconry")
    listed = machine.call_as("alice", "beaconry", "ctl", "list")
    assert listed.returncode == 0 and len(listed.stdout.splitlines()) == 2, listed
    assert machine.call_as("alice", "beaconry", "ctl", "disable", "beacon").returncode == 0
    assert machine.beacons() == {"beacon": "disabled"}


@pytest.mark.parametrize("options", [(), ("--profile", "profile"), ("--control", SOCKET)], ids=["found", "profile", "path"])
def test_other_users_learn_how_to_become_members(machine: Machine, options: tuple[str, ...]) -> None:
    machine.run("systemctl", "start", "beaconry")
    machine.wait_for_beacons()
    machine.run("useradd", "--create-home", "bob")
    refused = machine.call_as("bob", "beaconry", "ctl", "list", *options)
    assert refused.returncode == 74 and "you may not use" in refused.stderr, refused
    way = r"become a member of the group beaconry \(sudo (adduser bob beaconry|usermod -aG beaconry bob)\b"
    assert re.search(way, refused.stderr), refused
    machine.run("adduser", "--quiet", "bob", "beaconry")
    # A session from before.
    before = ("setpriv", "--reuid=bob", "--regid=bob", "--clear-groups", "beaconry", "ctl", "list", *options)
    refused = machine.call(*before)
    assert refused.returncode == 74 and "log in again" in refused.stderr, refused
    assert machine.call_as("bob", "beaconry", "ctl", "list", *options).returncode == 0


def test_root_has_runs_beside_the_service(machine: Machine) -> None:
    """The folder of the service's socket belongs to its user, so that root's own run needs another one."""
    machine.run("systemctl", "start", "beaconry")
    machine.wait_for_beacons()
    machine.write("/root/own.yaml", profile("own", "a", "b"))
    options = "--radio virtual --hci-server none --ephemeral"
    machine.shell(f"beaconry run /root/own.yaml {options} >/root/output 2>&1 & echo $! >/root/process")
    machine.wait("beacons of root's run", lambda: list(machine.beacons_of_found_run().values()) == ["on-air"] * 2)
    machine.run("beaconry", "ctl", "stop")
    machine.wait("end of the run", lambda: not machine.exists(f"/proc/{machine.read('/root/process').strip()}"))
    machine.wait_for_beacons()


def test_reload_takes_an_edited_profile_and_refuses_a_broken_one(machine: Machine) -> None:
    machine.write("/etc/beaconry/profile.yaml", profile("museum", "door"))
    machine.run("systemctl", "start", "beaconry")
    machine.wait_for_beacons()
    process = machine.process("beaconry")
    machine.write("/etc/beaconry/profile.yaml", profile("museum", "door", "lobby"))
    machine.run("systemctl", "reload", "beaconry")
    machine.wait_for_beacons(count=2)
    machine.write("/etc/beaconry/profile.yaml", "profile: museum\nbeacons: nothing\n")
    assert machine.call("systemctl", "reload", "beaconry").returncode != 0
    assert machine.beacons() == {"door": "on-air", "lobby": "on-air"}
    assert (machine.process("beaconry"), machine.state("beaconry")) == (process, "active")


def test_instances_run_beside_the_service(machine: Machine) -> None:
    machine.run("systemctl", "enable", "--now", "beaconry")
    shop = start_instance(machine, "shop", "shelf", "till")
    machine.wait_for_beacons()
    machine.wait_for_beacons("shop", 2)
    machine.run("systemctl", "reload", shop)
    machine.run("systemctl", "stop", "beaconry")
    machine.wait_for_beacons("shop", 2)
    machine.run("systemctl", "start", "beaconry")
    machine.wait_for_beacons()


def test_state_survives_a_killed_machine(machine: Machine) -> None:
    machine.run("systemctl", "enable", "--now", "beaconry")
    shop = start_instance(machine, "shop", "shelf")
    machine.wait_for_beacons()
    machine.wait_for_beacons("shop")
    machine.run("beaconry", "ctl", "set", "beacon", "major=4711", "--control", SOCKET)
    machine.kill()
    machine.boot()
    machine.wait_for_beacons()
    machine.wait_for_beacons("shop")
    assert machine.state(shop) == "active"
    shown = json.loads(machine.run("beaconry", "ctl", "show", "beacon", "--control", SOCKET, "--json"))
    assert shown["settings"]["major"] == 4711, shown


def test_crashed_run_is_started_again(machine: Machine) -> None:
    machine.run("systemctl", "start", "beaconry")
    machine.wait_for_beacons()
    process = machine.process("beaconry")
    machine.run("kill", "-KILL", str(process))
    machine.wait("restart", lambda: machine.process("beaconry") not in (0, process))
    machine.wait_for_beacons()


def test_start_that_fails_is_tried_until_it_succeeds(machine: Machine) -> None:
    """More often than systemd permits by default, whose limit is 5."""
    machine.write("/etc/systemd/system/beaconry.service.d/pause.conf", "[Service]\nRestartSec=10ms\n")
    use_virtual_air(machine, BEACONRY_CAPTURE="/etc/beaconry/refused.pcap")
    assert machine.call("systemctl", "start", "beaconry").returncode != 0
    machine.wait("10 restarts", lambda: int(machine.show("beaconry", "NRestarts")[0]) >= 10)
    use_virtual_air(machine)
    machine.wait_for_beacons()


def test_token_that_comes_later_is_waited_for(machine: Machine) -> None:
    """A secret is provisioned by another program, perhaps after the service has been started."""
    token = "/etc/beaconry/http-token"
    use_virtual_air(machine, BEACONRY_HTTP="127.0.0.1:8080", BEACONRY_HTTP_TOKEN_FILE=token)
    assert machine.call("systemctl", "enable", "--now", "beaconry").returncode != 0
    machine.wait("a restart", lambda: int(machine.show("beaconry", "NRestarts")[0]) >= 1)
    assert token in machine.journal()
    machine.write(token, "0123456789abcdef0123456789abcdef\n")
    machine.shell(f"chown root:beaconry {token}; chmod 640 {token}")
    machine.wait_for_beacons()


@pytest.mark.parametrize("unit", ["beaconry", "beaconry@profile"])
def test_broken_profile_is_no_reason_for_a_restart(machine: Machine, unit: str) -> None:
    """Without one that ran before."""
    machine.write("/etc/beaconry/profile.yaml", "profile: museum\nbeacons: nothing\n")
    use_virtual_air(machine, unit)
    assert machine.call("systemctl", "start", unit).returncode != 0
    assert machine.show(unit, "ActiveState", "ExecMainStatus", "NRestarts") == ["failed", "65", "0"]
    assert "profile.yaml:2:" in machine.journal()
    machine.write("/etc/beaconry/profile.yaml", profile("profile", "door"))
    machine.run("systemctl", "start", unit)
    machine.wait_for_beacons()
