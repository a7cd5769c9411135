# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The commands that messages propose: they exist, they name the files of the run, and each user can run them or reads what to do."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from beaconry import BINARY, CHECKOUT, Beaconry, Run
from command_tree import command_tree
from unix_http import UnixConnection

SERVICE, MEMBER, STRANGER, GROUP = 61003, 61001, 61002, 12


def texts() -> Iterator[tuple[str, str]]:
    """The files of the program, but the help of its commands, and the texts in them, with lines that continue a text joined."""
    for file in sorted((CHECKOUT / "Sources").rglob("*.swift")):
        if file.is_relative_to(CHECKOUT / "Sources" / "beaconry"):
            continue
        code = "\n".join(line for line in file.read_text().splitlines() if not line.lstrip().startswith("//"))
        yield file.name, re.sub(r'"\s*\+\s*"', "", code)


def proposed() -> list[tuple[str, str]]:
    """The commands in texts: `beaconry ctl list`, with what follows up to the end of the command."""
    return [
        (file, match[0].rstrip(" ,;:."))
        for file, code in texts()
        for match in re.finditer(r"\bbeaconry [a-z][^\n\"`);]*", code)
    ]


PROSE = {"was", "has", "use", "may", "read", "runs", "the", "listens", "on"}
"""Words after the name of the program that are no command: `no beaconry listens at …`."""


def test_every_command_that_a_message_proposes_exists() -> None:
    seen = set()
    for file, text in proposed():
        words = [word.rstrip(",.:;") for word in text.split()[1:]]
        if words[0] in PROSE:
            continue
        command, rest = command_tree().find(words)
        assert command.words, f"{file}: {text}"
        for option in (word for word in rest if re.match(r"--\w", word)):
            assert option in command.all_options(), f"{file}: {text}"
        seen.add(" ".join(command.words))
    assert {"reset", "ctl list", "ctl stop", "ctl reload", "ctl battery", "check", "doctor", "run"} <= seen, seen


def test_a_command_with_a_state_folder_is_made_at_one_place() -> None:
    """`StateFolder.resetCommand` adds the folder; other texts have the command without beacons at most."""
    places = {file for file, text in proposed() if re.match(r"beaconry reset \\\(", text)}
    assert places == {"StateFolder.swift"}, places


class Service:
    """A run as a service has it: with a user, a group, a state folder and a folder of sockets of its own."""

    def __init__(self, beaconry: Beaconry) -> None:
        assert os.geteuid() == 0, "this test plays several users, as root"
        self.beaconry = beaconry
        self.root = beaconry.runtime
        self.root.chmod(0o755)
        self.program = self.root / "beaconry-program"
        shutil.copy(BINARY, self.program)
        self.sockets, self.state, self.home = (self.root / name for name in ("sockets", "state", "home"))
        for folder, mode in ((self.sockets, 0o750), (self.state, 0o700), (self.home, 0o700)):
            folder.mkdir()
            os.chown(folder, SERVICE, GROUP)
            folder.chmod(mode)
        self.profile = self.root / "profile.yaml"
        self.profile.write_text("profile: shop\nbeacons: [{ id: door, device: iot-design-shop }]\n")
        self.profile.chmod(0o644)
        groups = (line.split(":") for line in Path("/etc/group").read_text().splitlines())
        self.group = next(fields[0] for fields in groups if fields[2] == str(GROUP))

    def start(self) -> Run:
        environment = {
            "PATH": os.environ["PATH"], "HOME": str(self.home), "STATE_DIRECTORY": str(self.state), "RUNTIME_DIRECTORY": str(self.sockets),
        }  # fmt: skip
        command = [
            "setpriv", f"--reuid={SERVICE}", f"--regid={GROUP}", "--clear-groups", str(self.program), "run", str(self.profile),
            "--radio", "virtual", "--hci-server", "none", "--json", "--control", str(self.sockets / "profile.sock"),
            "--control-group", self.group,
        ]  # fmt: skip
        run = Run(command, environment)
        self.beaconry.runs.append(run)
        return run

    def call(self, user: int, *words: str) -> subprocess.CompletedProcess[str]:
        """A command of a user, who finds the sockets of services where systemd has put them."""
        environment = {"PATH": os.environ["PATH"], "HOME": "/", "RUNTIME_DIRECTORY": str(self.sockets)}
        return subprocess.run(
            [str(self.program), *words], env=environment, user=user, group=user, extra_groups=[GROUP] if user == MEMBER else [], cwd="/",
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=900, check=False,
        )  # fmt: skip


@pytest.fixture
def service(beaconry: Beaconry) -> Service:
    return Service(beaconry)


def test_hint_about_saved_settings_is_runnable(service: Service) -> None:
    run = service.start()
    run.wait("ready")
    assert service.call(MEMBER, "ctl", "set", "door", "minor=7").returncode == 0
    assert run.end() == 0
    run = service.start()
    hint = run.wait("settings-restored")["hint"]
    run.wait("ready")
    name, *words = shlex.split(hint.split(" goes back")[0])
    assert (name, words) == ("beaconry", ["reset", "shop/door", "--state", str(service.state)])
    for user in (MEMBER, STRANGER):
        refused = service.call(user, *words)
        assert refused.returncode == 73, refused
        assert f"you may not use the state folder {service.state}; use it as the user {SERVICE}, or as root" in refused.stderr
    early = service.call(0, *words)
    assert early.returncode == 73 and "end that one first (beaconry ctl stop, or systemctl stop for a service)" in early.stderr
    assert run.end() == 0
    done = service.call(0, *words)
    assert (done.returncode, done.stdout) == (0, "shop/door: reset to its profile's values\n"), done
    run = service.start()
    run.wait("ready")
    assert not any(event["event"] == "settings-restored" for event in run.events)
    assert run.end() == 0


READING = sorted(
    {
        " ".join(text.split()[1:])
        for _, text in proposed()
        if re.fullmatch(r"beaconry ctl [a-z]+( list)?", text) and text.split()[2] in ("list", "receivers", "receiver", "links", "bonds", "capture")
    }
    | {"ctl list"}
)
"""Those of the proposed commands that read from a run and need no name."""


def test_hints_with_ctl_are_runnable(service: Service) -> None:
    assert len(READING) >= 2, READING
    run = service.start()
    run.wait("ready")
    for text in READING:
        for user in (0, SERVICE, MEMBER):
            done = service.call(user, *text.split())
            assert done.returncode == 0, (user, done)
        refused = service.call(STRANGER, *text.split())
        assert refused.returncode == 74, refused
        assert f"you may not use the control sockets in {service.sockets}" in refused.stderr, refused
        assert f"become a member of the group {service.group} (sudo usermod -aG {service.group} USER" in refused.stderr, refused
    assert run.end() == 0


def test_profile_of_a_service_has_two_names(service: Service) -> None:
    """That of its file, as its socket, and the one in it."""
    run = service.start()
    run.wait("ready")
    for name in ("profile", "shop"):
        done = service.call(MEMBER, "ctl", "list", "--profile", name, "--json")
        assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == ["door"], (name, done)
        shown = service.call(MEMBER, "ctl", "profile", "--profile", name)
        assert shown.stdout.startswith("profile: shop"), (name, shown)
    unknown = service.call(MEMBER, "ctl", "list", "--profile", "museum")
    assert unknown.returncode == 64 and 'no run has the profile "museum"; name one of these: profile (shop)' in unknown.stderr
    assert run.end() == 0


@pytest.mark.parametrize("what", ["folder", "profile", "file"])
def test_restored_backup_of_root_is_given_to_the_user(service: Service, what: str) -> None:
    run = service.start()
    run.wait("ready")
    assert service.call(MEMBER, "ctl", "set", "door", "minor=7").returncode == 0
    assert run.end() == 0
    path = {"folder": service.state, "profile": service.state / "shop", "file": service.state / "shop" / "door.json"}[what]
    os.chown(path, 0, 0)
    run = service.start()
    assert run.exit_code() == (74 if what == "file" else 73), run.record
    command = re.search(r"sudo (chown -R [^)]*)\)", run.errors)
    assert command and command[1] == f"chown -R {SERVICE}:{GROUP} {service.state}", run.errors
    subprocess.run(shlex.split(command[1]), check=True)
    run = service.start()
    run.wait("settings-restored")
    run.wait("ready")
    assert run.end() == 0


def test_equal_faults_are_one_line(beaconry: Beaconry) -> None:
    frame = "uuid: 8F0C1B52-6D1A-4B7E-9C7E-2F7D3A1E5B90"
    lines = {
        # The same fault at sixty places.
        "variable": "".join(f"  - {{ id: b{n}, device: ibeacon, ibeacon: {{ {frame}, major: '${{NOWHERE}}', minor: {n} }} }}\n" for n in range(60)),
        "key": "".join(f"  - {{ id: b{n}, device: ibeacon, colour: red, ibeacon: {{ {frame}, major: 1, minor: {n} }} }}\n" for n in range(60)),
        # Sixty values at one place.
        "count": f"  - {{ id: b, count: 60, device: ibeacon, ibeacon: {{ {frame}, major: 1, minor: 70000..70059 }} }}\n",
    }
    for kind, beacons in lines.items():
        profile = beaconry.profile("profile: museum\nbeacons:\n" + beacons)
        for command in (("check",), ("run", "--radio", "virtual", "--hci-server", "none", "--ephemeral")):
            done = beaconry.call(*command, str(profile))
            (line,) = done.stderr.splitlines()
            assert done.returncode == 65 and line.startswith(f"{profile}:3:") and line.endswith(" (and 59 more)"), (kind, done)
            done = beaconry.call(*command, str(profile), "--json")
            assert len(done.stdout.splitlines()) == 60, (kind, done)


def test_equal_faults_of_a_reload_are_one_line(beaconry: Beaconry) -> None:
    profile = beaconry.profile("profile: shop\nbeacons: [{ id: door, device: battery }]\n")
    run = beaconry.run(profile, "--ephemeral", "--hci-server", "none", radio="virtual")
    run.wait("ready")
    profile.write_text("profile: shop\nbeacons:\n" + "".join(f"  - {{ id: b{n}, device: nothing }}\n" for n in range(60)))
    done = beaconry.call("ctl", "reload")
    (line,) = done.stderr.splitlines()
    assert done.returncode == 65 and line.endswith(" (and 59 more)"), done
    assert len(run.wait("reload-failed")["faults"]) == 60
    problem = UnixConnection(beaconry.runtime / "beaconry" / "shop.sock").exchange("POST", "/v1/reload")
    assert len(problem["faults"]) == 60
    assert run.end() == 0
