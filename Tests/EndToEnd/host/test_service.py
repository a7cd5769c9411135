# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""A run as a service: what it reports to systemd, the group that may control it, and its package."""

from __future__ import annotations

import os
import re
import shutil
import socket
import stat
import subprocess
import time
from pathlib import Path

import pytest
from beaconry import BINARY, CHECKOUT, PROFILES, Beaconry
from unix_http import UnixConnection

AIR = ("--radio", "virtual", "--hci-server", "none", "--ephemeral", "--json")
MEMBER, STRANGER, GROUP = 61001, 61002, 61000
REFUSE_CHOWN = """
import ctypes, os, struct, sys
# A filter of system calls (seccomp(2)) as the unit has it: chown, fchown, lchown and fchownat fail with EPERM.
numbers = [92, 93, 94, 260]
load, equal, allow, refuse = (0x20, 0, 0, 0), 0x15, (0x06, 0, 0, 0x7FFF0000), (0x06, 0, 0, 0x00050001)
jumps = [(equal, len(numbers) - index, 0, number) for index, number in enumerate(numbers)]
code = b"".join(struct.pack("HBBI", *each) for each in [load, *jumps, allow, refuse])
buffer = ctypes.create_string_buffer(code)
program = struct.pack("HxxxxxxQ", len(code) // 8, ctypes.addressof(buffer))
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, program) == 0, os.strerror(ctypes.get_errno())
os.execv(sys.argv[1], sys.argv[1:])
"""


VERSIONS = r"; beaconry [0-9][^;]*(; [\w.-]+: (files [0-9a-f]{16}, )?in effect [0-9a-f]{16})+$"
"""The end of a status: what runs (test_versions.py)."""


class Manager:
    """A service manager's socket, which receives what services send by sd_notify."""

    def __init__(self, beaconry: Beaconry, name: str) -> None:
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.settimeout(300)
        self.socket.bind(name)
        beaconry.environment["NOTIFY_SOCKET"] = name.replace("\0", "@")

    def wait(self, line: str) -> list[str]:
        """Waits for a message with this line; returns the lines of all messages until then."""
        lines: list[str] = []
        while line not in lines:
            # What else the message has is in `last`.
            self.last = [re.sub(VERSIONS, "", each) for each in self.socket.recv(4096).decode().splitlines()]
            lines += self.last[: self.last.index(line) + 1] if line in self.last else self.last
        return lines


@pytest.mark.parametrize("is_abstract", [False, True])
def test_a_service_manager_is_notified(beaconry: Beaconry, is_abstract: bool) -> None:
    manager = Manager(beaconry, f"\0beaconry-{os.getpid()}" if is_abstract else str(beaconry.runtime / "notify"))
    beaconry.environment["WATCHDOG_USEC"] = "200000"
    run = beaconry.start("run", str(PROFILES / "museum.yaml"), *AIR)
    manager.wait("READY=1")
    assert len(manager.last) == 2 and manager.last[1].startswith("STATUS="), manager.last
    manager.wait("STATUS=13 beacons on the air")
    manager.wait("WATCHDOG=1")
    manager.wait("WATCHDOG=1")
    assert beaconry.call("ctl", "radio", "off").returncode == 0
    manager.wait("STATUS=the radio is lost: the radio was switched off")
    assert beaconry.call("ctl", "radio", "on").returncode == 0
    manager.wait("STATUS=13 beacons on the air")
    assert beaconry.call("ctl", "disable", "entrance").returncode == 0
    manager.wait("STATUS=12 of 13 beacons on the air, 1 off")
    assert beaconry.call("ctl", "battery", "lobby-welcome", "flat").returncode == 0
    manager.wait("STATUS=11 of 12 beacons on the air; not: lobby-welcome (flat battery)")
    assert run.end() == 0
    manager.wait("STOPPING=1")


STORED = "profile: shop\nbeacons: [{ id: door, device: iot-design-shop }]\n"


def test_a_service_that_waits_for_its_radio_is_started(beaconry: Beaconry) -> None:
    """And has what it waits for in its status, while its state and its control socket are open."""
    manager = Manager(beaconry, str(beaconry.runtime / "notify"))
    profile = beaconry.profile(STORED)
    run = beaconry.start("run", str(profile), "--radio", "tcp-client:127.0.0.1:1", "--wait", "--json")
    manager.wait("READY=1")
    lost = run.wait("radio-lost")
    assert manager.last == ["READY=1", f"STATUS=waiting for the radio: {lost['message']}"]
    assert (beaconry.state / "beaconry" / "shop" / "door.lock").exists()
    connection = UnixConnection(beaconry.runtime / "beaconry" / "shop.sock")
    health = connection.exchange("GET", "/v1/health")
    assert health["status"] == 503 and health["code"] == "not-ready", health
    run.end()


@pytest.mark.parametrize("place", ["state", "control", "profile"])
def test_a_service_that_cannot_start_is_not_started(beaconry: Beaconry, place: str) -> None:
    manager = Manager(beaconry, str(beaconry.runtime / "notify"))
    profile = beaconry.profile("profile: [" if place == "profile" else STORED)
    used = beaconry.folder / "used"
    used.write_text("")
    options = {"state": ("--state", str(used)), "control": ("--control", str(used / "shop.sock")), "profile": ()}[place]
    run = beaconry.start("run", str(profile), "--radio", "tcp-client:127.0.0.1:1", "--wait", "--json", *options)
    assert run.exit_code() == (65 if place == "profile" else 73), run.record
    manager.socket.setblocking(False)
    with pytest.raises(BlockingIOError):
        while True:
            assert b"READY=1" not in manager.socket.recv(4096)


def test_a_beacon_that_is_off_by_its_schedule_is_not_called_on_the_air(beaconry: Beaconry) -> None:
    manager = Manager(beaconry, str(beaconry.runtime / "notify"))
    hour = time.gmtime().tm_hour
    window = f"{(hour + 3) % 24:02}:00-{(hour + 4) % 24:02}:00"
    beaconry.environment["TZ"] = "UTC"
    profile = beaconry.profile(
        "profile: shop\nbeacons:\n  - { id: sign, device: battery, schedule: { between: '" + window + "' } }\n"
    )
    run = beaconry.start("run", str(profile), *AIR)
    ready = run.wait("ready")
    assert (ready["beacons"], ready["onAir"]) == (1, 0)
    manager.wait("STATUS=0 of 1 beacon on the air, 1 off by schedule")
    assert run.end() == 0
    done = beaconry.call("run", str(profile), "--radio", "virtual", "--hci-server", "none", "--ephemeral", "--duration", "1ms")
    assert "ready: 0 of 1 beacon on the air, 1 off by schedule" in done.stdout.splitlines(), done


def call(program: Path, user: int, groups: list[int], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(program), *arguments], env={"PATH": os.environ["PATH"]}, user=user, group=user, extra_groups=groups, cwd="/",
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=900, check=False,
    )  # fmt: skip


def test_members_of_the_group_may_control_a_run(beaconry: Beaconry) -> None:
    assert os.geteuid() == 0, "this test plays several users, as root"
    folder = beaconry.runtime / "service"
    folder.mkdir()
    beaconry.runtime.chmod(0o755)
    program = folder / "program"
    shutil.copy(BINARY, program)
    group = Path("/etc/group")
    name = next(line.split(":")[0] for line in group.read_text().splitlines() if line.split(":")[2] == "12")
    path = folder / "run.sock"
    run = beaconry.start(
        "run", str(PROFILES / "museum.yaml"), *AIR, "--control", str(path), "--control-group", name
    )
    run.wait("ready")
    status = path.stat()
    assert stat.S_IMODE(status.st_mode) == 0o660 and status.st_gid == 12
    options = ("--control", str(path))
    listed = call(program, MEMBER, [12], "ctl", "list", *options)
    assert (listed.returncode, len(listed.stdout.splitlines())) == (0, 14), listed
    refused = call(program, STRANGER, [GROUP], "ctl", "list", *options)
    assert refused.returncode == 74 and "you may not use the control socket" in refused.stderr, refused
    assert f"become a member of the group {name} (sudo usermod -aG {name} USER, then log in again)" in refused.stderr
    assert run.end() == 0


def test_a_group_that_a_sandbox_refuses_is_named(beaconry: Beaconry) -> None:
    """A member may not give the socket to the group where a filter of system calls refuses chown, unless it is the process's own group."""
    beaconry.runtime.chmod(0o755)
    folder = beaconry.runtime / "service"
    folder.mkdir()
    os.chown(folder, MEMBER, 12)
    program = folder / "program"
    shutil.copy(BINARY, program)
    name = next(line.split(":")[0] for line in Path("/etc/group").read_text().splitlines() if line.split(":")[2] == "12")
    profile = shutil.copy(PROFILES / "museum.yaml", folder)
    command = ["run", str(profile), *AIR, "--control", str(folder / "run.sock"), "--control-group", name, "--duration", "1ms"]

    def run(group: int) -> subprocess.CompletedProcess[str]:
        filtered = ["python3", "-c", REFUSE_CHOWN, str(program), *command]
        environment = {"PATH": os.environ["PATH"], "XDG_RUNTIME_DIR": str(folder)}
        return subprocess.run(
            filtered, env=environment, user=MEMBER, group=group, extra_groups=[12], cwd="/", stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=900, check=False,
        )  # fmt: skip

    assert run(12).returncode == 0
    refused = run(GROUP)
    assert refused.returncode == 73 and f"cannot belong to the group {name}: Operation not permitted" in refused.stderr, refused
    assert f"make {name} the first group of the process (Group= of a service)" in refused.stderr, refused


def test_an_unknown_group_is_refused(beaconry: Beaconry) -> None:
    done = beaconry.call("run", str(PROFILES / "museum.yaml"), *AIR, "--control-group", "no-such-group")
    assert done.returncode == 64 and 'there is no group "no-such-group"' in done.stderr


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("packages")
    program = tmp_path_factory.mktemp("program") / "beaconry"
    environment = {**os.environ, "PACKAGE_COMPRESSION": "-Znone", "XZ_OPT": "-0"}
    for script, *arguments in (("strip-program", BINARY, program), ("package", program, folder)):
        command = [str(each) for each in (CHECKOUT / "Scripts" / script, *arguments)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=900, check=False)
        assert done.returncode == 0, done.stderr
    return folder


def output(*command: str | Path) -> str:
    return subprocess.run([str(each) for each in command], capture_output=True, text=True, timeout=300, check=True).stdout


@pytest.mark.package
def test_the_debian_package_has_the_program_and_its_files(packages: Path, tmp_path: Path) -> None:
    (package,) = packages.glob("beaconry_*.deb")
    version = output(BINARY, "--version").split()[1]
    fields = dict(line.split(": ", 1) for line in output("dpkg-deb", "--field", package).splitlines() if not line.startswith(" "))
    assert (fields["Version"], fields["Architecture"]) == (version, output("dpkg", "--print-architecture").strip())
    assert re.search(r"libc6 \(>= 2\.3\d\)", fields["Depends"])
    output("dpkg-deb", "--extract", package, tmp_path)
    output("dpkg-deb", "--control", package, tmp_path / "DEBIAN")
    program = tmp_path / "usr" / "bin" / "beaconry"
    assert output(program, "--version") == output(BINARY, "--version")
    assert "libdbus" not in output("readelf", "--dynamic", program) and "libdbus" in output("readelf", "--dynamic", BINARY)
    for file in (
        "usr/share/man/man1/beaconry-run.1.gz", "usr/share/bash-completion/completions/beaconry",
        "lib/systemd/system/beaconry.service", "lib/systemd/system/beaconry@.service", "usr/share/doc/beaconry/copyright",
        "usr/share/beaconry/profiles/museum.yaml",
    ):  # fmt: skip
        assert (tmp_path / file).is_file(), file
    # The profile is created by postinst: a configuration file that everyone edits would be asked about in each upgrade.
    assert not (tmp_path / "etc").exists() and not (tmp_path / "DEBIAN" / "conffiles").exists()
    output(BINARY, "check", tmp_path / "usr" / "share" / "beaconry" / "profiles" / "iot-design-shop.yaml")
    for script in ("postinst", "prerm", "postrm"):
        assert os.access(tmp_path / "DEBIAN" / script, os.X_OK)
        output("sh", "-n", tmp_path / "DEBIAN" / script)
    output("bash", "-c", f"cd {tmp_path} && md5sum --check --quiet DEBIAN/md5sums")


@pytest.mark.package
def test_the_archive_has_the_program_and_its_files(packages: Path, tmp_path: Path) -> None:
    (archive,) = (each for each in packages.glob("*.tar.xz") if "symbols" not in each.name)
    output("tar", "-C", tmp_path, "-xf", archive)
    (folder,) = tmp_path.iterdir()
    assert output(folder / "bin" / "beaconry", "--version") == output(BINARY, "--version")
    assert (folder / "share" / "man" / "man1" / "beaconry.1").is_file() and (folder / "share" / "doc" / "beaconry" / "NOTICE").is_file()


def test_ids_of_beacons_are_completed(beaconry: Beaconry, tmp_path: Path) -> None:
    run = beaconry.start("run", str(PROFILES / "museum.yaml"), *AIR)
    run.wait("ready")
    script = tmp_path / "beaconry.bash"
    script.write_text(output(BINARY, "--generate-completion-script", "bash"))
    words = 'COMP_WORDS=(beaconry ctl show lobby); COMP_CWORD=3; COMP_LINE="beaconry ctl show lobby"; COMP_POINT=${#COMP_LINE}'
    done = subprocess.run(
        ["bash", "-c", f'. {script}\n{words}\n_beaconry beaconry lobby show; printf "%s\\n" "${{COMPREPLY[@]}}"'],
        env={**beaconry.environment, "PATH": f"{BINARY.parent}:{os.environ['PATH']}"}, capture_output=True, text=True, timeout=300,
        check=True,
    )  # fmt: skip
    assert done.stdout.split() == ["lobby-welcome", "lobby-shop", "lobby-cafe"], done
    assert run.end() == 0
