# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The image, as docs/docker.md uses it: as its own user, as root, as another user, and with a read-only file system."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from beaconry import PROFILES
from containers import Container, Podman

READ_ONLY = ("--read-only", "--read-only-tmpfs=false")
WAYS = {
    "own user": (),
    "root": ("--user=root",),
    "user of the group root": ("--user=1234560000:0",),
    "another user": ("--user=4242:4242",),
    "read-only": READ_ONLY,
    "read-only, root": (*READ_ONLY, "--user=root"),
    "read-only, user of the group root": (*READ_ONLY, "--user=1234560000:0"),
    "read-only, another user": (*READ_ONLY, "--user=4242:4242"),
}
"""The ways to run a container, and their options."""
CANNOT_SAVE = {way for way in WAYS if "another user" in way}
Start = Callable[..., Container]


@pytest.mark.parametrize("way", WAYS)
def test_museum_runs_with_its_page(start: Start, way: str) -> None:
    container = start(options=WAYS[way])
    path = container.wait("token", lambda: re.search(r"#token=TOKEN, .*: docker exec \S+ cat (\S+)\n", container.output))[1]
    token = container.run("cat", path)
    assert re.fullmatch("[0-9a-f]{32}", token) and token not in container.output
    container.wait("health", container.is_healthy)
    assert len(container.run("beaconry", "ctl", "list").splitlines()) == 14
    assert container.status("/") == 200
    assert container.status("/v1/beacons") == 401
    assert container.status("/v1/beacons", f"Authorization: Bearer {token}") == 200
    container.run("beaconry", "ctl", "set", "entrance", "major=7")
    saved = container.run("find", "/state", "-name", "entrance.json") if way not in CANNOT_SAVE else ""
    assert (saved != "") == (way not in CANNOT_SAVE)
    assert ("Settings are not saved" in container.output) == (way in CANNOT_SAVE)
    own = container.run("id", "-u").strip()
    # Some of the folders may not be read, or are not there.
    find = f"find /state /run/beaconry /tmp /dev/shm -user {own} -type f -printf '%m %p\\n' 2>/dev/null; true"
    files = container.run("sh", "-c", find).splitlines()
    assert any("/http-token." in each for each in files), files
    assert {each.split()[0] for each in files} == {"600"}, "every file that the run makes is for its user only"
    assert container.stop() == 0


@pytest.mark.parametrize("way", WAYS)
def test_profile_of_the_host_runs(start: Start, tmp_path: Path, way: str) -> None:
    (tmp_path / "shop.yaml").write_bytes((PROFILES / "museum.yaml").read_bytes())
    tmp_path.chmod(0o755)
    command = ("run", "/data/shop.yaml", "--radio", "virtual", "--hci-server", "tcp:0.0.0.0:6402")
    mounted = (*WAYS[way], f"--volume={tmp_path}:/data:ro")
    container = start(*command, *(("--ephemeral",) if way in CANNOT_SAVE else ()), options=mounted)
    container.wait("health", container.is_healthy)
    assert "ready: 13 beacons are on the air" in container.output
    assert container.stop() == 0


def test_state_that_cannot_be_saved_is_an_error_of_a_run(start: Start, podman: Podman) -> None:
    """Without --ephemeral, unlike the museum, nothing is lost silently."""
    container = start("run", "/profiles/museum.yaml", "--radio", "virtual", "--hci-server", "none", options=WAYS["another user"])
    identifier = container._id
    assert podman.run("wait", identifier) == "73"
    assert "/state" in container.output and "--state DIR" in container.output


def test_root_controls_the_run_of_another_user(start: Start, podman: Podman) -> None:
    container = start()
    container.wait("health", container.is_healthy)
    listed = podman.run("exec", "--user=root", container._id, "beaconry", "ctl", "list")
    assert len(listed.splitlines()) == 14


def test_image_has_its_health_check_and_its_user(podman: Podman) -> None:
    image = podman.image()
    assert image["HealthCheck" if "HealthCheck" in image else "Healthcheck"]["Test"] == ["CMD", "beaconry", "ctl", "list"]
    assert image["Config"]["User"] == "10001:10001"
    assert set(image["Config"]["ExposedPorts"]) == {"6402/tcp", "8080/tcp"}
    assert set(image["Config"]["Volumes"]) == {"/state"}


def test_program_has_its_rights(start: Start) -> None:
    """With them, `--cap-add` is enough; without it the program starts, too."""
    container = start()
    container.wait("health", container.is_healthy)
    assert container.run("sh", "-c", "getcap /usr/bin/beaconry").split() == ["/usr/bin/beaconry", "cap_net_admin,cap_net_raw=p"]
    assert re.search(r"CapEff:\s+0+\n", container.run("cat", "/proc/1/status"))
