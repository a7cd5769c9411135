# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Fixtures for tests of the image, which Scripts/image-test runs."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from beaconry import CHECKOUT, PATIENCE
from containers import Container, Podman
from swift_libraries import libraries_of


@pytest.fixture(scope="session")
def podman() -> Iterator[Podman]:
    """Podman with the image, made with the package that BEACONRY_PACKAGE names."""
    path = os.environ.get("BEACONRY_PACKAGE")
    assert path, "BEACONRY_PACKAGE names the package to test: Scripts/image-test PACKAGE"
    parent = CHECKOUT / ".build" / "image"
    parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(dir=parent))
    podman = Podman(folder)
    try:
        command = [str(CHECKOUT / "Scripts" / "debian-root"), "trixie"]
        root = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, timeout=6 * PATIENCE).stdout.strip()
        podman.import_base(Path(root), libraries_of(Path(path), folder / "extracted"), folder)
        (folder / "context").mkdir()
        podman.build(Path(path), folder / "context")
        yield podman
    finally:
        podman.close()
        shutil.rmtree(folder)


@pytest.fixture
def start(podman: Podman) -> Iterator[Callable[..., Container]]:
    """Starts containers, and removes them after the test."""
    containers: list[Container] = []

    def started(*arguments: str, options: tuple[str, ...] = ()) -> Container:
        containers.append(Container(podman, *arguments, options=options))
        return containers[-1]

    yield started
    for container in containers:
        container.close()
