# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The image of the Dockerfile and its containers, by Podman."""

from __future__ import annotations

import json
import re
import resource
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from beaconry import CHECKOUT, PATIENCE

BASE = re.search(r"^FROM (\S+)$", (CHECKOUT / "Dockerfile").read_text(), re.MULTILINE)
IMAGE = "localhost/beaconry"
Done = subprocess.CompletedProcess[str]


class Podman:
    """Podman with a storage of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        # Images and containers in one folder, without those of the machine.
        self._options = [
            f"--root={folder}/storage", f"--runroot={folder}/run", f"--tmpdir={folder}/tmp",
            "--cgroup-manager=cgroupfs", "--events-backend=none",
        ]  # fmt: skip

    def call(self, *command: str | Path, **options: Any) -> Done:
        words = ["podman", *self._options, *map(str, command)]
        return subprocess.run(words, capture_output=True, text=True, timeout=4 * PATIENCE, check=False, **options)

    def run(self, *command: str | Path, **options: Any) -> str:
        done = self.call(*command, **options)
        assert done.returncode == 0, done
        return done.stdout.strip()

    def import_base(self, root: Path, libraries: list[Path], folder: Path) -> None:
        """Imports the files of a Debian as the image that the Dockerfile begins with, with libraries of this machine."""
        assert BASE
        layer = folder / "libraries"
        (layer / "etc/ld.so.conf.d").mkdir(parents=True)
        (layer / "etc/ld.so.conf.d/swift.conf").write_text("/usr/lib/swift\n")
        (layer / "usr/lib/swift").mkdir(parents=True)
        for path in libraries:
            shutil.copy(path, layer / "usr/lib/swift")
        archive = folder / "base.tar"
        command = ["tar", "--create", f"--file={archive}", "--numeric-owner", "-C", str(root), "."]
        subprocess.run([*command, "-C", str(layer), "./etc/ld.so.conf.d/swift.conf", "./usr/lib/swift"], check=True, timeout=PATIENCE)
        self.run("import", archive, BASE[1])
        archive.unlink()

    def build(self, package: Path, folder: Path) -> str:
        """Builds the image with a package, from what the Dockerfile copies; returns the output."""
        for path in ("Dockerfile", ".dockerignore", "packaging/docker/entrypoint"):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(CHECKOUT / path, folder / path)
        (folder / ".build/package").mkdir(parents=True)
        shutil.copy(package, folder / ".build/package")
        # Without this format, the health check is left out.
        options = ("--isolation=chroot", "--format=docker", "--pull=never", f"--tag={IMAGE}")
        done = self.call("build", *options, folder)
        assert done.returncode == 0, done
        return done.stdout + done.stderr

    def close(self) -> None:
        """Removes all containers, and unmounts the storage."""
        self.call("rm", "--all", "--force")
        mounted = [line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()]
        for path in reversed(mounted):
            if Path(path).is_relative_to(self._folder):
                subprocess.run(["umount", path], check=True, timeout=PATIENCE)

    def image(self) -> dict[str, Any]:
        return json.loads(self.run("image", "inspect", IMAGE))[0]


class Container:
    """A container of the image, without a network but its own."""

    def __init__(self, podman: Podman, *arguments: str, options: tuple[str, ...] = ()) -> None:
        self._podman = podman
        # Not higher than those of this machine, which Podman would like to have.
        limits = [
            f"--ulimit={name}={limit}:{limit}"
            for name, kind in (("nofile", resource.RLIMIT_NOFILE), ("nproc", resource.RLIMIT_NPROC))
            if (limit := min(4096, resource.getrlimit(kind)[1]))
        ]
        # Health checks at intervals need systemd; the tests run them.
        options = ("--pull=never", "--cgroups=disabled", "--network=none", "--health-interval=disable", *limits, *options)
        self._id = podman.run("run", "--detach", *options, IMAGE, *arguments)

    @property
    def output(self) -> str:
        done = self._podman.call("logs", self._id)
        return done.stdout + done.stderr

    def call(self, *command: str) -> Done:
        return self._podman.call("exec", self._id, *command)

    def run(self, *command: str) -> str:
        done = self.call(*command)
        assert done.returncode == 0, (done, self.output)
        return done.stdout

    def wait(self, what: str, condition: Callable[[], Any]) -> Any:
        """Waits until a condition is met, as long as the container runs; returns its value."""
        deadline = time.monotonic() + PATIENCE
        while not (value := condition()):
            assert self._podman.run("inspect", "--format={{.State.Running}}", self._id) == "true", self.output
            assert time.monotonic() < deadline, (what, self.output)
            time.sleep(0.2)
        return value

    def is_healthy(self) -> bool:
        """What the image's health check reports."""
        return self._podman.call("healthcheck", "run", self._id).returncode == 0

    def status(self, path: str, *headers: str) -> int:
        """The status of a request of HTTP in the network of the container."""
        process = self._podman.run("inspect", "--format={{.State.Pid}}", self._id)
        fields = [word for header in headers for word in ("--header", header)]
        curl = ["curl", "--silent", "--output", "/dev/null", "--write-out", "%{http_code}", *fields]
        command = ["nsenter", f"--target={process}", "--net", *curl, f"http://127.0.0.1:8080{path}"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
        return int(done.stdout)

    def stop(self) -> int:
        """Ends the container as `docker stop` does; returns its exit status."""
        self._podman.run("stop", "--time=60", self._id)
        return int(self._podman.run("inspect", "--format={{.State.ExitCode}}", self._id))

    def close(self) -> None:
        self._podman.run("rm", "--force", "--time=1", "--volumes", self._id)
