# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The wheel that Scripts/wheel has made, in an environment of its own; BEACONRY_WHEEL is its folder."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]


def call(*command: str | Path, path: Path | None = None, cwd: Path | None = None) -> str:
    """The output of a command that does not see the environment of this test."""
    environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "BEACONRY_BINARY")}
    if path:
        environment["PATH"] = f"{path}:{environment['PATH']}"
    result = subprocess.run(
        [str(each) for each in command], capture_output=True, text=True, timeout=300, check=False, env=environment, cwd=cwd,
    )  # fmt: skip
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def wheel() -> Path:
    (found,) = Path(os.environ.get("BEACONRY_WHEEL") or CHECKOUT / ".build" / "package").glob(f"beaconry-*_{platform.machine()}.whl")
    return found


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the programs of a fresh environment with the wheel and pytest."""
    folder = tmp_path_factory.mktemp("environment")
    call("/usr/bin/python3", "-m", "venv", folder)
    call(folder / "bin" / "pip", "--quiet", "--disable-pip-version-check", "install", wheel, "pytest==9.2.0")
    return folder / "bin"


def test_the_wheel_has_the_program_and_the_types(wheel: Path) -> None:
    assert re.fullmatch(r"beaconry-[\d.]+-py3-none-(manylinux_2_\d+|linux)_\w+\.whl", wheel.name)
    with zipfile.ZipFile(wheel) as files:
        names = files.namelist()
        assert files.getinfo("beaconry/bin/beaconry").external_attr >> 16 & 0o111 == 0o111
        metadata = files.read(next(name for name in names if name.endswith("/METADATA"))).decode()
    # What messages of the program name.
    for file in ("doc/beaconry/profiles.md", "beaconry/profiles/museum.yaml", "beaconry/scenarios/shop-day.yaml", "beaconry/schemas/profile.schema.json"):
        assert f"beaconry/share/{file}" in names
    assert "beaconry/py.typed" in names and not [name for name in names if "/test_" in name or "tests" in name]
    assert "License-File: NOTICE" in metadata and [name for name in names if name.endswith("/LICENSE")]
    requirements = re.findall(r"^Requires-Dist: (.*)", metadata, re.MULTILINE)
    assert all("extra ==" in each for each in requirements), "the standard library is enough"


def test_the_platform_is_that_of_the_program(wheel: Path) -> None:
    report = call(Path(sys.executable).parent / "auditwheel", "show", wheel)
    tag = wheel.stem.rpartition("-")[2]
    assert f'the following platform tag: "{tag}"' in " ".join(report.split()), report


def test_the_command_is_the_program(environment: Path) -> None:
    assert call(environment / "beaconry", "--version").startswith("beaconry ")
    failed = subprocess.run([environment / "beaconry", "check", "nosuch.yaml"], capture_output=True, text=True, check=False)
    assert (failed.returncode, "there is no such file" in failed.stderr) == (65, True), failed


def test_the_example_of_the_readme_passes_as_printed(environment: Path, tmp_path: Path) -> None:
    found = re.search(r"```python\n((?:[^`]*\n)?def test_[^`]*)```", (CHECKOUT / "README.md").read_text())
    assert found
    (tmp_path / "test_example.py").write_text(found[1])
    assert "1 passed" in call(environment / "pytest", path=environment, cwd=tmp_path)
