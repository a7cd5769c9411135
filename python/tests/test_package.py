# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The files around the package: the README's example, the container, the action of GitHub, the types."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest
import yaml
from test_plugin import run

PYTHON = Path(__file__).resolve().parents[1]
CHECKOUT = PYTHON.parent


@pytest.mark.parametrize("file", ["README.md", "python/README.md"])
def test_the_example_of_the_readme_is_short(file: str) -> None:
    (text,) = (text for text in re.findall(r"```python\n(.*?)```", (CHECKOUT / file).read_text(), re.DOTALL) if "def test_" in text)
    assert len(text.strip().splitlines()) <= 10


def test_the_types_are_complete() -> None:
    result = subprocess.run([sys.executable, "-m", "mypy"], cwd=PYTHON, capture_output=True, text=True, timeout=300, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


def test_the_version_is_that_of_the_program() -> None:
    (version,) = re.findall(r'^version = "(.*)"', (PYTHON / "pyproject.toml").read_text(), re.MULTILINE)
    binary = os.environ.get("BEACONRY_BINARY", "beaconry")
    assert f"beaconry {version} " in subprocess.run([binary, "--version"], capture_output=True, text=True, check=True).stdout


# Testcontainers


def test_the_container_runs_a_profile(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from testcontainers.core import container as core

    # Without an engine.
    monkeypatch.setattr(core, "DockerClient", lambda **_: None)
    from beaconry.testcontainers import PORT, BeaconryContainer

    container = BeaconryContainer("beaconry:1", profile=tmp_path / "shop.yaml", seed=7)
    assert container.image == "beaconry:1"
    assert [str(port).removesuffix("/tcp") for port in container.ports] == [str(PORT)]
    assert container.volumes == {str(tmp_path / "shop.yaml"): {"bind": "/profile.yaml", "mode": "ro"}}
    command = container._command
    assert command[:3] == ["run", "/profile.yaml", "--radio"] and command[-2:] == ["--seed", "7"]
    assert f"tcp:0.0.0.0:{PORT}" in command
    monkeypatch.setattr(container, "get_container_host_ip", lambda: "localhost")
    monkeypatch.setattr(container, "get_exposed_port", lambda port: port + 40000)
    assert container.h4 == f"localhost:{PORT + 40000}"
    # The program accepts these options, and prints the text for which the container waits.
    binary = os.environ.get("BEACONRY_BINARY", "beaconry")
    (tmp_path / "shop.yaml").write_text("profile: shop\nbeacons: []\n")
    places = {"/profile.yaml": str(tmp_path / "shop.yaml"), f"tcp:0.0.0.0:{PORT}": "tcp:127.0.0.1:0"}
    arguments = [places.get(each, each) for each in command]
    started = subprocess.run([binary, *arguments, "--duration", "10ms", "--control", "none"], capture_output=True, text=True, check=True)
    assert '"event":"ready"' in started.stdout


# The action


def action() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((CHECKOUT / "action.yml").read_text())
    return loaded


def test_the_action_is_composite_and_uploads_in_any_case() -> None:
    described = action()
    assert described["runs"]["using"] == "composite"
    install, start, upload = described["runs"]["steps"]
    assert install["shell"] == start["shell"] == "bash"
    assert upload["if"] == "always()" and upload["with"]["path"] == "${{ runner.temp }}/beaconry"
    used = set(re.findall(r"inputs\.([a-z0-9]+)", (CHECKOUT / "action.yml").read_text()))
    assert used == set(described["inputs"]), "each input has an effect"
    assert all(each["description"] for each in described["inputs"].values())
    assert "${{" not in install["run"] + start["run"], "inputs are variables, not parts of a script"


@pytest.mark.parametrize(("checksum", "status"), [("right", 0), ("f" * 64, 1), ("", 64)])
def test_the_action_installs_a_release_by_its_checksum(tmp_path: Path, checksum: str, status: int) -> None:
    name = f"beaconry-1.2.3-linux-{platform.machine()}.tar.xz"
    program = tmp_path / "beaconry-1.2.3" / "bin" / "beaconry"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    archive, runner = tmp_path / "v1.2.3" / name, tmp_path / "runner"
    archive.parent.mkdir()
    runner.mkdir()
    with tarfile.open(archive, "w:xz") as files:
        files.add(program, "beaconry-1.2.3/bin/beaconry")
    if checksum == "right":
        checksum = hashlib.sha256(archive.read_bytes()).hexdigest()
    (install,) = [each for each in action()["runs"]["steps"] if each["name"] == "Install"]
    result = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", install["run"]], capture_output=True, text=True, timeout=300, check=False,
        env={"PATH": os.environ["PATH"], "RUNNER_TEMP": str(runner), "VERSION": "1.2.3", "SHA256": checksum, "PACKAGE": "",
             "RELEASES": tmp_path.as_uri()},
    )  # fmt: skip
    assert result.returncode == status, result
    assert (runner / "beaconry-release" / "bin" / "beaconry").exists() == (status == 0)


@pytest.mark.parametrize(
    ("command", "options", "status"),
    [
        ("beaconry expect --radio tcp-client:$BEACONRY_H4 --major 0 --minor 7 --within 50s >seen", "--seed 7", 0),
        ("beaconry ctl list --json | grep door >seen", "", 0), ("false; touch seen", "", 1), ("exit 7", "", 7),
        ("true", "--nonsense", 1),
    ],
)  # fmt: skip
def test_the_script_of_the_action_runs_a_command_beside_the_beacons(tmp_path: Path, command: str, options: str, status: int) -> None:
    (start,) = [each for each in action()["runs"]["steps"] if each["name"] == "Run"]
    keys = "id: door, device: ibeacon, ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, minor: 7 }"
    (tmp_path / "shop.yaml").write_text(f"profile: shop\nbeacons:\n  - {{ {keys} }}\n")
    path = os.environ["PATH"]
    if binary := os.environ.get("BEACONRY_BINARY"):
        path = f"{Path(binary).parent}:{path}"
    result = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", start["run"]], cwd=tmp_path, capture_output=True, text=True,
        timeout=300, check=False,
        env={"PATH": path, "RUNNER_TEMP": str(tmp_path), "PROFILE": "shop.yaml", "COMMAND": command, "OPTIONS": options},
    )  # fmt: skip
    assert result.returncode == status, result
    assert (tmp_path / "seen").exists() == (status == 0)
    if options == "--nonsense":
        assert "Unknown option '--nonsense'" in result.stderr
    else:
        assert (tmp_path / "beaconry" / "capture.btsnoop").exists()
        assert '"stopping"' in (tmp_path / "beaconry" / "events.jsonl").read_text()
