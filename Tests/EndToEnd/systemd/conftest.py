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
    """The files of a machine without the package: Debian, and the libraries that the program needs besides."""
    suite, *sets = request.param.split("+")
    command = [str(CHECKOUT / "Scripts" / "debian-root"), suite, "systemd", *sets]
    made = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, timeout=6 * PATIENCE).stdout.strip()
    libraries = libraries_of(packages.tested, _folder / "extracted")
    if not libraries:
        return made
    layer = _folder / f"{request.param}-libraries"
    for path in libraries:
        target = layer / "usr/lib/swift" / path.name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    machine = Machine(_folder / f"{request.param}-setup", f"{layer}:{made}")
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


def _booted(layers: str, folder: Path) -> Iterator[Machine]:
    machine = Machine(Path(tempfile.mkdtemp(dir=folder)), layers)
    machine.boot()
    yield machine
    machine.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Adds the journal of the services to the report of a failed test."""
    report = yield
    for name in ("machine", "bare_machine"):
        machine = getattr(item, "funcargs", {}).get(name)
        if report.when == "call" and report.failed and isinstance(machine, Machine):
            report.sections.append(("journal", machine.journal() if machine.runs else "the machine does not run"))
    return report
