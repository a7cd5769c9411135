# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Fixtures for tests of the Debian package and its services under systemd. Each test has a machine of its own.

BEACONRY_PACKAGE is the package; BEACONRY_SYSTEMD_MACHINES names the machines, such as `trixie bookworm+bluez` (default `trixie`)."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from beaconry import CHECKOUT, PATIENCE
from desk import Museum, key_of_desk, let_in
from machine import Machine, Packages, use_virtual_air
from swift_libraries import libraries_of

MACHINES = os.environ.get("BEACONRY_SYSTEMD_MACHINES", "trixie").split()


@pytest.fixture(scope="session")
def _folder() -> Iterator[Path]:
    """A folder beside the build: overlayfs cannot write to every file system, such as that of a container."""
    parent = CHECKOUT / ".build" / "systemd"
    parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(dir=parent))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def packages(_folder: Path) -> Packages:
    """The package under test, and others made from it."""
    path = os.environ.get("BEACONRY_PACKAGE")
    assert path, "BEACONRY_PACKAGE names the package to test, which Scripts/package makes"
    return Packages(_folder, Path(path).resolve())


@pytest.fixture(scope="session")
def newer(packages: Packages) -> Path:
    """The package with a later version."""
    return packages.repacked("+later")


@pytest.fixture(scope="session", params=MACHINES)
def layers(request: pytest.FixtureRequest, packages: Packages, _folder: Path) -> str:
    """The files of a machine without the package."""
    return _layers(request.param, packages, _folder)


def _layers(name: str, packages: Packages, folder: Path) -> str:
    """Debian with sets of packages, such as `trixie+bluez`, and the libraries that the program needs besides."""
    suite, *sets = name.split("+")
    command = [str(CHECKOUT / "Scripts" / "debian-root"), suite, "systemd", *sets]
    made = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, timeout=6 * PATIENCE).stdout.strip()
    libraries = libraries_of(packages.tested, folder / "extracted")
    if not libraries:
        return made
    layer = folder / f"{name}-libraries"
    for path in libraries:
        target = layer / "usr/lib/swift" / path.name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    machine = Machine(folder / f"{name}-setup", f"{layer}:{made}")
    machine.boot()
    machine.shell("echo /usr/lib/swift >/etc/ld.so.conf.d/swift.conf; ldconfig")
    machine.kill()
    return f"{machine.folder}/changes:{layer}:{made}"


@pytest.fixture(scope="session")
def installed_layers(layers: str, packages: Packages, _folder: Path) -> str:
    """The files of a machine with the package, which no service uses yet."""
    machine = Machine(Path(tempfile.mkdtemp(dir=_folder)), layers)
    machine.boot()
    machine.install(packages.tested)
    use_virtual_air(machine)
    machine.kill()
    return f"{machine.folder}/changes:{layers}"


@pytest.fixture
def bare_machine(layers: str, _folder: Path) -> Iterator[Machine]:
    """A machine without the package."""
    yield from _booted(layers, _folder)


@pytest.fixture
def machine(installed_layers: str, _folder: Path) -> Iterator[Machine]:
    """A machine with the package, whose service has a drop-in for the virtual air and is not enabled."""
    yield from _booted(installed_layers, _folder)


@pytest.fixture(scope="session")
def key(_folder: Path) -> Path:
    """The key of SSH of the desk."""
    return key_of_desk(_folder)


@pytest.fixture(scope="session")
def ssh_layers(packages: Packages, key: Path, _folder: Path) -> str:
    """The files of a machine without the package that the desk reaches by SSH, and whose service will have the virtual air."""
    layers = _layers(f"{MACHINES[0].split('+')[0]}+ssh", packages, _folder)
    machine = Machine(Path(tempfile.mkdtemp(dir=_folder)), layers)
    machine.boot()
    let_in(machine, key)
    use_virtual_air(machine)
    machine.kill()
    return f"{machine.folder}/changes:{layers}"


@pytest.fixture
def museum(ssh_layers: str, key: Path, packages: Packages, _folder: Path) -> Iterator[Museum]:
    """A desk and three machines without the package: pi-1, pi-2 and pi-3."""
    museum = Museum(Path(tempfile.mkdtemp(dir=_folder)), ssh_layers, key, packages.tested)
    yield museum
    museum.close()


def _booted(layers: str, folder: Path) -> Iterator[Machine]:
    machine = Machine(Path(tempfile.mkdtemp(dir=folder)), layers)
    machine.boot()
    yield machine
    machine.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Adds the journal of the services to the report of a failed test."""
    report = yield
    if report.when == "call" and report.failed:
        # A fixture that returns another one is there twice.
        for each in {id(each): each for each in getattr(item, "funcargs", {}).values()}.values():
            for machine in [each] if isinstance(each, Machine) else each.machines if isinstance(each, Museum) else []:
                report.sections.append(("journal", machine.journal() if machine.runs else "the machine does not run"))
    return report
