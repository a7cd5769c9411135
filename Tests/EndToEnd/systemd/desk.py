# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""A desk and several machines in a network of their own: each has a network namespace, and a bridge in the one of the desk connects
them. The desk is this machine, with other host names and another key of SSH."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from beaconry import CHECKOUT, PATIENCE
from machine import Done, Machine

ADDRESS, OTHER_ADDRESS = "192.0.2.10", "192.0.2.11"
"""The address of the desk, and one of another machine, which is there as well."""
ANSIBLE = {"debian": "/usr/bin", "newest": str(CHECKOUT / ".build" / "ansible" / "bin")}
"""The folders of ansible-playbook: that of Debian 12, and the newest that its Python runs (requirements.txt)."""
SSH_CONFIG = """\
User pi
StrictHostKeyChecking accept-new
ConnectTimeout 5
"""
SETUP = f"""
set -eu
for each in etc usr/share; do
    mkdir -p "$0/changes/$each" "$0/overlay/$each"
    mount -t overlay overlay "/$each" -o "lowerdir=/$each,upperdir=$0/changes/$each,workdir=$0/overlay/$each"
done
mount --bind "$0/hosts" /etc/hosts
mkdir -p /root/.ssh /root/.ansible
mount --bind "$0/ssh" /root/.ssh
mount -t tmpfs tmpfs /root/.ansible
ip link set lo up
ip link add bridge type bridge
ip link set bridge up
ip address add {ADDRESS}/24 dev bridge
ip address add {OTHER_ADDRESS}/24 dev bridge
echo ready
exec sleep infinity
"""


class Desk:
    """The computer from which the machines are set up: this one, with its own /etc and /usr/share, the program and what the package has
    besides. Its commands run in the folder `place`, at first an empty one."""

    def __init__(self, folder: Path, key: Path, package: Path) -> None:
        """`key` is the private key with which the machines let the user pi in."""
        self.folder = folder
        self.place = folder / "home"
        for each in ("home", "ssh", "bin", "changes/etc/prometheus"):
            (folder / each).mkdir(mode=0o755, parents=True)
        subprocess.run(["dpkg-deb", "--extract", str(package), str(folder / "package")], check=True, timeout=PATIENCE)
        (folder / "changes" / "usr").mkdir()
        (folder / "package" / "usr" / "share").rename(folder / "changes" / "usr" / "share")
        (folder / "package" / "usr" / "bin" / "beaconry").rename(folder / "bin" / "beaconry")
        shutil.rmtree(folder / "package")
        (folder / "hosts").write_text("127.0.0.1 localhost\n")
        (folder / "bin" / "sudo").write_text('#!/bin/sh\nexec "$@"\n')
        (folder / "bin" / "sudo").chmod(0o755)
        shutil.copy(key, folder / "ssh" / "id_ed25519")
        (folder / "ssh" / "config").write_text(SSH_CONFIG)
        for each in ("ssh", "ssh/config"):
            (folder / each).chmod(0o700)
        command = ["unshare", "--net", "--mount", "--propagation", "private", "sh", "-c", SETUP, str(folder)]
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout and self._process.stdout.readline() == "ready\n"
        self._machines: list[str] = []

    def close(self) -> None:
        # The shared connections of Ansible.
        self.call("for each in ~/.ansible/cp/*; do ssh -O exit -S $each pi; done")
        self._process.kill()
        self._process.wait(timeout=PATIENCE)

    def connect(self, machine: Machine, name: str) -> None:
        """Connects a machine that has booted to the network. Its address depends on its name, by which the desk finds it."""
        if name not in self._machines:
            self._machines.append(name)
        number = self._machines.index(name)
        address = f"192.0.2.{101 + number}"
        desk, other = str(self._process.pid), str(machine.init)
        # The network card stays the same when the machine boots again.
        ends = "link", "add", f"machine{number}", "netns", desk, "type", "veth", "peer", "eth0", "netns", other, "address", f"02:00:00:00:01:0{number}"
        subprocess.run(["ip", *ends], check=True)
        for process, *command in (
            (desk, "ip", "link", "set", f"machine{number}", "master", "bridge", "up"),
            (other, "ip", "link", "set", "lo", "up"),
            (other, "ip", "link", "set", "eth0", "up"),
            (other, "ip", "address", "add", f"{address}/24", "dev", "eth0"),
        ):
            subprocess.run(["nsenter", "--target", process, "--net", *command], check=True)
        lines = [f"192.0.2.{101 + each} {host}.local {host}\n" for each, host in enumerate(self._machines)]
        # The file is mounted, so it is written, not replaced.
        with (self.folder / "hosts").open("r+") as file:
            file.write("127.0.0.1 localhost\n" + "".join(lines))

    def call(self, script: str, ansible: str = "debian", **variables: str) -> Done:
        """Runs a script of bash, whatever its exit status; its standard input is empty."""
        path = f"{self.folder}/bin:{ANSIBLE[ansible]}:{os.environ['PATH']}"
        environment = {"PATH": path, "HOME": "/root", "LC_ALL": "C.UTF-8", "ANSIBLE_NOCOLOR": "1", **variables}
        command = ["nsenter", "--target", str(self._process.pid), "--net", "--mount", f"--wd={self.place}", "bash", "-c", script]
        return subprocess.run(
            command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=2 * PATIENCE, check=False
        )

    def run(self, script: str, ansible: str = "debian", **variables: str) -> str:
        """Runs a script that succeeds; returns its output."""
        done = self.call(f"set -euo pipefail\n{script}", ansible, **variables)
        assert done.returncode == 0, f"{script}\n{done.stdout}\n{done.stderr}"
        return done.stdout


def key_of_desk(folder: Path) -> Path:
    """A new key of SSH; the public one is beside it."""
    key = folder / "id_ed25519"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True, timeout=PATIENCE)
    return key


def let_in(machine: Machine, key: Path) -> None:
    """Gives a machine the user pi, as a Raspberry Pi has it: who may use sudo, and logs in with the key of the desk."""
    machine.shell("useradd --create-home --shell /bin/bash pi; install -d -m 700 -o pi -g pi /home/pi/.ssh")
    machine.write("/etc/sudoers.d/pi", "pi ALL=(ALL) NOPASSWD: ALL\n")
    machine.write("/home/pi/.ssh/authorized_keys", key.with_suffix(".pub").read_text())


class Museum:
    """A desk and three machines without the package. `machines` are pi-1, pi-2 and pi-3, by which names the desk knows them, also with
    the domain `local`."""

    def __init__(self, folder: Path, layers: str, key: Path, package: Path) -> None:
        self._folder = folder
        self.desk = Desk(folder / "desk", key, package)
        self.machines = [Machine(folder / f"pi-{number}", layers) for number in (1, 2, 3)]
        for machine in self.machines:
            name, files = machine.folder.name, machine.folder / "changes" / "etc"
            files.mkdir(parents=True)
            (files / "hostname").write_text(f"{name}\n")
            (files / "hosts").write_text(f"127.0.0.1 localhost\n127.0.1.1 {name}\n")
            self.boot(machine)

    def boot(self, machine: Machine) -> None:
        """Boots a machine, and connects it to the network."""
        machine.boot()
        self.desk.connect(machine, machine.folder.name)

    def close(self) -> None:
        self.desk.close()
        for machine in self.machines:
            machine.close()
        shutil.rmtree(self._folder)
