# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The Debian package under systemd: installation, upgrade, downgrade, removal and purge."""

from __future__ import annotations

from pathlib import Path

import pytest
from machine import Machine, Packages, profile, use_virtual_air, with_configuration_file

PROFILE = "/etc/beaconry/profile.yaml"
PROGRAM = "/usr/bin/beaconry"
SOCKET = "/run/beaconry/profile.sock"
EXAMPLE = "/usr/share/beaconry/profiles/iot-design-shop.yaml"


def start_service_and_instance(machine: Machine) -> None:
    use_virtual_air(machine)
    machine.write("/etc/beaconry/shop.yaml", profile("shop", "shelf"))
    use_virtual_air(machine, "beaconry@shop")
    machine.run("systemctl", "enable", "--now", "beaconry", "beaconry@shop")
    machine.wait_for_beacons()
    machine.wait_for_beacons("shop")


def units(machine: Machine) -> list[str]:
    """The services that systemd has loaded, in whatever state."""
    options = ("--all", "--plain", "--no-legend")
    return machine.run("systemctl", "list-units", *options, "beaconry.service", "beaconry@*.service").splitlines()


def links(machine: Machine) -> list[str]:
    """What makes systemd start services at boot."""
    return machine.run("find", "/etc/systemd/system", "-name", "beaconry*", "-type", "l").splitlines()


def runs_the_installed_program(machine: Machine, unit: str) -> bool:
    """Whether a service runs the program that is installed now, and not one that was replaced."""
    process = machine.process(unit)
    program = f"/proc/{process}/exe"
    if not process or machine.call("readlink", program).stdout.strip() != "/usr/bin/beaconry":
        return False
    identities = machine.run("stat", "--dereference", "--format=%d %i", program, "/usr/bin/beaconry").splitlines()
    return identities[0] == identities[1]


def test_installation_starts_nothing_and_has_a_profile(bare_machine: Machine, packages: Packages) -> None:
    machine = bare_machine
    machine.install(packages.tested)
    machine.run("dpkg", "--verify", "beaconry")
    assert units(machine) == [] and links(machine) == []
    assert machine.read(PROFILE) == machine.read(EXAMPLE)
    assert machine.run("stat", "--format=%U %a", PROFILE).split() == ["root", "644"]
    assert machine.run("getent", "passwd", "beaconry").split(":")[5] == "/var/lib/beaconry"
    machine.run("beaconry", "check", PROFILE)
    for unit in ("beaconry", "beaconry@shop"):
        assert machine.call("systemctl", "is-enabled", unit).stdout.strip() == "disabled"


def test_profile_that_exists_is_not_replaced(bare_machine: Machine, packages: Packages) -> None:
    text = profile("museum", "door")
    bare_machine.write(PROFILE, text)
    bare_machine.install(packages.tested)
    assert bare_machine.read(PROFILE) == text


def test_upgrade_restarts_what_runs(machine: Machine, newer: Path) -> None:
    start_service_and_instance(machine)
    edited = machine.read(PROFILE) + "# edited\n"
    machine.write(PROFILE, edited)
    machine.run("beaconry", "ctl", "set", "beacon", "major=4711", "--control", SOCKET)
    before = {unit: machine.process(unit) for unit in ("beaconry", "beaconry@shop")}
    machine.install(newer)
    for unit, process in before.items():
        assert machine.process(unit) != process, f"{unit} was not restarted"
        assert runs_the_installed_program(machine, unit)
    machine.wait_for_beacons()
    machine.wait_for_beacons("shop")
    assert '"major":4711' in machine.run("beaconry", "ctl", "show", "beacon", "--control", SOCKET, "--json")
    assert machine.read(PROFILE) == edited


def capabilities(machine: Machine) -> str:
    """The capabilities of the program's file."""
    return machine.run("getcap", PROGRAM).removeprefix(PROGRAM).strip()


def test_only_members_of_a_group_have_the_capabilities(machine: Machine, newer: Path) -> None:
    """As SECURITY.md says; the program is as before for others, whom the system refuses it."""
    machine.run("dpkg-statoverride", "--update", "--add", "root", "beaconry", "0750", PROGRAM)
    machine.run("dpkg-reconfigure", "beaconry")
    for _ in range(2):
        assert capabilities(machine) == "cap_net_admin,cap_net_raw=p"
        assert machine.run("stat", "--format=%U:%G %a", PROGRAM).strip() == "root:beaconry 750"
        machine.install(newer)


def test_only_the_services_have_the_capabilities(machine: Machine, newer: Path) -> None:
    """As SECURITY.md says."""
    machine.write("/etc/beaconry/no-capabilities", "")
    machine.run("setcap", "-r", PROGRAM)
    machine.install(newer)
    assert capabilities(machine) == ""
    use_virtual_air(machine)
    machine.run("systemctl", "enable", "--now", "beaconry")
    machine.wait_for_beacons()
    # CAP_NET_ADMIN (12) and CAP_NET_RAW (13).
    status = machine.read(f"/proc/{machine.process('beaconry')}/status")
    assert int(next(line.split()[1] for line in status.splitlines() if line.startswith("CapPrm")), 16) == 1 << 12 | 1 << 13


def test_upgrade_starts_nothing_that_was_stopped(machine: Machine, newer: Path) -> None:
    start_service_and_instance(machine)
    machine.run("systemctl", "stop", "beaconry")
    machine.run("systemctl", "disable", "--now", "beaconry@shop")
    machine.install(newer)
    assert [machine.state(unit) for unit in ("beaconry", "beaconry@shop")] == ["inactive", "inactive"]
    assert machine.call("systemctl", "is-enabled", "beaconry").stdout.strip() == "enabled"


def test_upgrade_starts_a_service_that_had_failed(machine: Machine, newer: Path) -> None:
    """The new version may have the correction."""
    good = machine.read(PROFILE)
    machine.write(PROFILE, "profile: museum\nbeacons: nothing\n")
    machine.call("systemctl", "enable", "--now", "beaconry")
    assert machine.state("beaconry") == "failed"
    machine.write(PROFILE, good)
    machine.install(newer)
    machine.wait_for_beacons()


def test_upgrade_is_complete_though_a_service_does_not_start(machine: Machine, newer: Path) -> None:
    machine.write(PROFILE, "profile: museum\nbeacons: nothing\n")
    machine.call("systemctl", "enable", "--now", "beaconry")
    machine.install(newer)
    assert machine.run("dpkg-query", "--show", "--showformat=${Status}", "beaconry") == "install ok installed"
    assert machine.state("beaconry") == "failed"


@pytest.mark.parametrize("is_edited", [False, True], ids=["as it was", "edited"])
def test_configuration_file_of_an_earlier_package_stays(
    bare_machine: Machine, packages: Packages, newer: Path, is_edited: bool
) -> None:
    machine = bare_machine
    machine.install(packages.repacked("~earlier", with_configuration_file))
    if is_edited:
        machine.write(PROFILE, profile("museum", "door"))
    text = machine.read(PROFILE)
    machine.install(packages.tested)
    assert machine.read(PROFILE) == text
    machine.install(newer)
    assert machine.read(PROFILE) == text
    # Also for the configuration file, dpkg asks nothing.
    machine.install(packages.repacked("~earlier", with_configuration_file), "--allow-downgrades")
    assert machine.read(PROFILE) == text
    machine.install(packages.tested)
    assert machine.run("ls", "/etc/beaconry").split() == ["profile.yaml"]
    machine.run("apt", "purge", "--yes", "beaconry")
    assert not machine.exists("/etc/beaconry")


def test_downgrade_restarts_what_runs_and_keeps_its_state(machine: Machine, packages: Packages) -> None:
    start_service_and_instance(machine)
    machine.run("beaconry", "ctl", "set", "beacon", "major=4711", "--control", SOCKET)
    machine.install(packages.repacked("~earlier"), "--allow-downgrades")
    for unit in ("beaconry", "beaconry@shop"):
        assert runs_the_installed_program(machine, unit)
    machine.wait_for_beacons()
    assert '"major":4711' in machine.run("beaconry", "ctl", "show", "beacon", "--control", SOCKET, "--json")


def test_removal_leaves_nothing_running_or_enabled(machine: Machine, packages: Packages) -> None:
    """Enabled instances included, also one that has failed and one that was never started."""
    start_service_and_instance(machine)
    machine.write("/etc/beaconry/broken.yaml", "beacons: nothing\n")
    machine.call("systemctl", "enable", "--now", "beaconry@broken")
    machine.run("systemctl", "enable", "beaconry@later")
    assert machine.state("beaconry@broken") == "failed" and len(links(machine)) == 4
    processes = [machine.process(unit) for unit in ("beaconry", "beaconry@shop")]
    machine.run("apt", "remove", "--yes", "beaconry")
    assert units(machine) == [] and links(machine) == []
    assert not any(machine.exists(f"/proc/{process}") for process in processes)
    assert not machine.exists("/usr/bin/beaconry")
    # What belongs to the administrator stays, and is used again.
    assert machine.exists("/var/lib/beaconry/iot-design-shop") and machine.exists(PROFILE)
    machine.install(packages.tested)
    assert units(machine) == [] and links(machine) == []
    machine.run("systemctl", "enable", "--now", "beaconry")
    machine.wait_for_beacons()


@pytest.mark.parametrize("is_removed", [False, True], ids=["at once", "after the removal"])
def test_purge_removes_the_state_and_the_profile(machine: Machine, is_removed: bool) -> None:
    start_service_and_instance(machine)
    if is_removed:
        machine.run("apt", "remove", "--yes", "beaconry")
    machine.run("apt", "purge", "--yes", "beaconry")
    assert units(machine) == [] and links(machine) == []
    assert not machine.exists("/var/lib/beaconry") and not machine.exists(PROFILE)
    assert machine.run("ls", "/etc/beaconry").split() == ["shop.yaml"], "profiles of instances belong to the administrator"


def test_removal_works_where_systemd_does_not_run(machine: Machine) -> None:
    """As in a chroot, or in the image of a machine that is not running."""
    machine.run("systemctl", "enable", "beaconry", "beaconry@shop")
    assert len(links(machine)) == 2
    hidden = "mount --bind /mnt /run/systemd; systemd-detect-virt >/dev/null || true; apt purge --yes beaconry"
    machine.run("unshare", "--mount", "sh", "-euc", hidden)
    assert links(machine) == []
