# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The commands of the documents about the services, all of them, in their order."""

from __future__ import annotations

import re

from beaconry import CHECKOUT
from machine import Machine, Packages, profile, use_virtual_air

DOCUMENTS = [CHECKOUT / "docs" / name for name in ("install.md", "service.md")]
COMMAND = re.compile(r" {4}((?:sudo|systemctl|journalctl|beaconry) .*)")
SOCKET = "/run/beaconry/profile.sock"


def commands() -> list[str]:
    """The commands for a machine with the package, without their comments."""
    lines = [line for document in DOCUMENTS if document.exists() for line in document.read_text().splitlines()]
    return [re.sub(r" +# .*", "", found[1]) for line in lines if (found := COMMAND.fullmatch(line))]


def test_commands_of_the_services_work(machine: Machine, packages: Packages) -> None:
    machine.write("/usr/local/bin/sudo", '#!/bin/sh\nexec "$@"\n')
    machine.shell("chmod 755 /usr/local/bin/sudo; useradd --create-home alice")
    machine.write("/etc/beaconry/profile.yaml", "profile: shop\nbeacons: [{ id: door, device: iot-design-shop }]\n")
    machine.write("/etc/beaconry/shop.yaml", profile("cafe", "table"))
    use_virtual_air(machine, "beaconry@shop")
    for name in ("NEW", "OLD"):
        machine.write(f"/root/beaconry_{name}_amd64.deb", packages.tested.read_bytes())
    # The answer to the question of a downgrade.
    machine.write("/etc/apt/apt.conf.d/yes", 'APT::Get::Assume-Yes "true";\n')
    documented = commands()
    for word in ("enable --now beaconry@shop", "reload", "adduser alice", "tar -C / -czf", "tar -C / -xzf", "chown", "--allow-downgrades"):
        assert any(word in command for command in documented), f"{word} is not in the documents"
    for command in documented:
        if "tar -C / -xzf" in command:
            # Another machine, whose user has another number.
            machine.shell("systemctl stop beaconry beaconry@shop; rm -r /var/lib/beaconry /etc/beaconry")
            machine.shell("groupmod --gid 4242 beaconry; usermod --uid 4242 beaconry")
        machine.shell(f"cd /root; {command}")
        if "enable --now beaconry@shop" in command:
            machine.wait_for_beacons()
            machine.wait_for_beacons("shop")
            machine.run("beaconry", "ctl", "set", "door", "major=4711", "--control", SOCKET)
    machine.run("systemctl", "restart", "beaconry", "beaconry@shop")
    machine.wait_for_beacons()
    machine.wait_for_beacons("shop")
    assert machine.call_as("alice", "beaconry", "ctl", "list", "--control", SOCKET).returncode == 0
