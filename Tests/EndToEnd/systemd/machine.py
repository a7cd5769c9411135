# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Machines whose first process is systemd, by Scripts/systemd-machine, and Debian packages to install in them."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from beaconry import CHECKOUT, PATIENCE

SCRIPT = CHECKOUT / "Scripts" / "systemd-machine"
DROP_IN = "/etc/systemd/system/{unit}.service.d/test.conf"
Done = subprocess.CompletedProcess[str]


class Machine:
    """A machine; what it changes is in its folder, and is there again when it boots again."""

    def __init__(self, folder: Path, layers: str) -> None:
        self.folder = folder
        self._layers = layers

    def boot(self) -> None:
        """Boots, and waits until the services of the boot have started or failed."""
        subprocess.run([str(SCRIPT), "boot", str(self.folder), self._layers], check=True, timeout=2 * PATIENCE)

    def kill(self) -> None:
        """Ends the machine as a power cut does."""
        subprocess.run([str(SCRIPT), "kill", str(self.folder)], check=True, timeout=PATIENCE)

    @property
    def init(self) -> int:
        """The number of the machine's first process, as this machine has it."""
        waiting = (self.folder / "pid").read_text().strip()
        return int(subprocess.run(["pgrep", "--parent", waiting], capture_output=True, text=True, check=True).stdout)

    @property
    def runs(self) -> bool:
        return self.call("true").returncode == 0

    def close(self) -> None:
        self.kill()
        shutil.rmtree(self.folder)

    def call(self, *command: str, input: bytes = b"") -> Done:
        """Runs a command as root, whatever its exit status; its standard input is not a terminal."""
        done = subprocess.run(
            [str(SCRIPT), "run", str(self.folder), *command], input=input, capture_output=True, timeout=2 * PATIENCE, check=False
        )
        return Done(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())

    def run(self, *command: str, input: bytes = b"") -> str:
        """Runs a command that succeeds; returns its output."""
        done = self.call(*command, input=input)
        assert done.returncode == 0, done
        return done.stdout

    def shell(self, script: str) -> str:
        return self.run("sh", "-euc", script)

    def call_as(self, user: str, *command: str) -> Done:
        """Runs a command as a user who has just logged in."""
        return self.call("runuser", "--user", user, "--", *command)

    def write(self, path: str, text: str | bytes) -> None:
        data = text if isinstance(text, bytes) else text.encode()
        self.run("sh", "-euc", 'mkdir -p "$(dirname "$0")"; cat >"$0"', path, input=data)

    def read(self, path: str) -> str:
        return self.run("cat", path)

    def exists(self, path: str) -> bool:
        return self.call("test", "-e", path).returncode == 0

    # Packages

    def install(self, package: Path, *options: str) -> str:
        """Installs a package as the documents have it, without a terminal: a question ends the installation with an error."""
        self.write(f"/{package.name}", package.read_bytes())
        done = self.call("apt", "install", "--yes", *options, f"/{package.name}")
        assert done.returncode == 0, done
        return done.stdout + done.stderr

    # Services

    def show(self, unit: str, *names: str) -> list[str]:
        """Properties of a unit."""
        lines = self.run("systemctl", "show", *(f"--property={name}" for name in names), unit).splitlines()
        values = dict(line.split("=", 1) for line in lines)
        return [values[name] for name in names]

    def state(self, unit: str) -> str:
        return self.show(unit, "ActiveState")[0]

    def process(self, unit: str) -> int:
        """The number of the unit's main process; 0 if there is none."""
        return int(self.show(unit, "MainPID")[0])

    def wait(self, what: str, condition: Callable[[], Any]) -> Any:
        """Waits until a condition is met; returns its value."""
        deadline = time.monotonic() + PATIENCE
        while not (value := condition()):
            assert time.monotonic() < deadline, f"{what} did not happen within {PATIENCE} s:\n{self.journal()}"
            time.sleep(0.2)
        return value

    def beacons(self, name: str = "profile") -> dict[str, str]:
        """The beacons of a service and their states, by the name of its profile's file; empty while it does not answer."""
        return self._listed("--control", f"/run/beaconry/{name}.sock")

    def beacons_of_found_run(self) -> dict[str, str]:
        """The beacons of the run that root finds without naming it."""
        return self._listed()

    def _listed(self, *options: str) -> dict[str, str]:
        listed = self.call("beaconry", "ctl", "list", "--json", *options)
        return {each["id"]: each["state"] for each in map(json.loads, listed.stdout.splitlines())} if listed.returncode == 0 else {}

    def wait_for_beacons(self, name: str = "profile", count: int = 1) -> None:
        """Waits until this number of beacons of a service, and no other, is on the air."""
        self.wait(f"{count} beacons of {name} on the air", lambda: list(self.beacons(name).values()) == ["on-air"] * count)

    def journal(self, *options: str) -> str:
        """The messages of the services of beaconry and of systemd about them, of this boot."""
        self.run("journalctl", "--sync")
        units = ("--unit=beaconry.service", "--unit=beaconry@*.service")
        return self.run("journalctl", "--no-pager", "--quiet", "--output=cat", *units, *options)


def use_virtual_air(machine: Machine, unit: str = "beaconry", **variables: str) -> None:
    """Gives a unit a drop-in for the virtual air, without a door for hosts."""
    settings = {"BEACONRY_RADIO": "virtual", "BEACONRY_HCI_SERVER": "none", **variables}
    lines = "".join(f"Environment={name}={value}\n" for name, value in settings.items())
    machine.write(DROP_IN.format(unit=unit), f"[Service]\n{lines}")
    machine.run("systemctl", "daemon-reload")


def profile(name: str, *ids: str) -> str:
    """The text of a profile with iBeacons."""
    entries = "".join(
        f"  - {{ id: {each}, device: ibeacon, ibeacon: {{ uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major: {number} }} }}\n"
        for number, each in enumerate(ids)
    )
    return f"profile: {name}\nbeacons:\n{entries}"


class Packages:
    """The package under test, and repacked versions of it."""

    def __init__(self, folder: Path, package: Path) -> None:
        self._folder = folder
        self.tested = package
        self.version = self._field(package, "Version")

    def repacked(self, suffix: str, change: Callable[[Path], None] = lambda _: None) -> Path:
        """The package with a suffix of its version (`~` for an earlier one) and a change of its files."""
        root = self._folder / "root"
        subprocess.run(["dpkg-deb", "--raw-extract", str(self.tested), str(root)], check=True, timeout=PATIENCE)
        control = root / "DEBIAN" / "control"
        control.write_text(control.read_text().replace(f"Version: {self.version}\n", f"Version: {self.version}{suffix}\n"))
        change(root)
        package = self._folder / f"beaconry_{self.version}{suffix}.deb"
        subprocess.run(
            ["dpkg-deb", "--root-owner-group", "-Znone", "--build", str(root), str(package)],
            check=True, timeout=PATIENCE, capture_output=True,
        )
        shutil.rmtree(root)
        return package

    def entry(self, file: str) -> str:
        """The entry of the tested package in the index of a repository that has it as this file."""
        data = self.tested.read_bytes()
        fields = subprocess.run(["dpkg-deb", "--field", str(self.tested)], capture_output=True, text=True, check=True, timeout=PATIENCE).stdout
        return f"{fields}Filename: {file}\nSize: {len(data)}\nSHA256: {hashlib.sha256(data).hexdigest()}\n\n"

    @staticmethod
    def _field(package: Path, name: str) -> str:
        command = ["dpkg-deb", "--field", str(package), name]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=PATIENCE).stdout.strip()


def with_configuration_file(root: Path) -> None:
    """Makes the profile a configuration file of a package, as in earlier versions, whose scripts did not create it."""
    example = root / "usr/share/beaconry/profiles/iot-design-shop.yaml"
    place = root / "etc/beaconry/profile.yaml"
    place.parent.mkdir(parents=True)
    shutil.copy(example, place)
    (root / "DEBIAN/conffiles").write_text("/etc/beaconry/profile.yaml\n")
