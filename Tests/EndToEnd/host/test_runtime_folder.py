# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Attacks by another user, who creates /tmp/beaconry-UID or the socket in it first. Root plays both users."""

from __future__ import annotations

import grp
import os
import random
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from beaconry import BINARY

ATTACKER = 65534
PROFILE = "profile: p\nbeacons: [{ id: b, device: ibeacon, ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 } }]\n"


class Victim:
    """A user who has neither XDG_RUNTIME_DIR nor root's rights, and a file to attack."""

    def __init__(self) -> None:
        self.user = random.randrange(1 << 20, 1 << 30)
        self.home = Path(tempfile.mkdtemp(prefix="beaconry-home-"))
        self.runtime = Path(f"/tmp/beaconry-{self.user}")
        # A copy, because other users cannot read root's folders.
        self.binary = self.home / "beaconry"
        shutil.copy(BINARY, self.binary)
        self.profile = self.home / "p.yaml"
        self.profile.write_text(PROFILE)
        self.precious = self.home / "precious.txt"
        self.precious.write_text("precious")
        for path in (self.home, *self.home.iterdir()):
            os.chown(path, self.user, self.user)
        self.home.chmod(0o711)

    def call(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(self.binary), *arguments], env={"HOME": str(self.home), "PATH": os.environ["PATH"]}, user=self.user,
            group=self.user, extra_groups=[], cwd="/", stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=300, check=False,
        )  # fmt: skip

    def run(self, *options: str) -> subprocess.CompletedProcess[str]:
        return self.call(
            "run", str(self.profile), "--radio", "virtual", "--hci-server", "none", "--duration", "1ms",
            *(options or ["--ephemeral"]),
        )  # fmt: skip

    def close(self) -> None:
        shutil.rmtree(self.home)
        if self.runtime.is_symlink():
            self.runtime.unlink()
        shutil.rmtree(self.runtime, ignore_errors=True)


@pytest.fixture
def victim() -> Iterator[Victim]:
    victim = Victim()
    yield victim
    victim.close()


def test_run_works_without_an_attacker(victim: Victim) -> None:
    done = victim.run()
    assert done.returncode == 0, done
    assert victim.runtime.stat().st_mode & 0o777 == 0o700 and victim.runtime.stat().st_uid == victim.user


def test_folder_of_another_user_is_refused(victim: Victim) -> None:
    victim.runtime.mkdir()
    for process in range(1, 32768):
        (victim.runtime / f"run-{process}.ledger.lock").symlink_to(victim.precious)
    os.chown(victim.runtime, ATTACKER, ATTACKER)
    victim.runtime.chmod(0o777)
    done = victim.run()
    assert done.returncode == 73, done
    assert f"cannot use {victim.runtime}: it belongs to user {ATTACKER}, and this process runs as user {victim.user}" in done.stderr
    assert "XDG_RUNTIME_DIR" in done.stderr
    assert victim.precious.read_text() == "precious"


@pytest.mark.parametrize("control", ["none", "own.sock"])
@pytest.mark.parametrize("saves", [True, False])
def test_run_without_the_folder_of_another_user_works(victim: Victim, control: str, saves: bool) -> None:
    """Its ledger is in the state folder; if it saves nothing, it has none, and warns."""
    victim.runtime.mkdir()
    os.chown(victim.runtime, ATTACKER, ATTACKER)
    path = "none" if control == "none" else str(victim.home / control)
    done = victim.run("--control", path, "--json", *([] if saves else ["--ephemeral"]))
    assert done.returncode == 0, done
    assert ('"code":"no-ledger"' in done.stdout) != saves
    assert list(victim.runtime.iterdir()) == []
    refused = victim.run()
    assert refused.returncode == 73 and "--control PATH" in refused.stderr, refused


def test_relative_folder_of_the_environment_is_ignored(victim: Victim) -> None:
    """As the XDG Base Directory Specification says."""
    script = f'cd {victim.home} && XDG_RUNTIME_DIR=relative XDG_STATE_HOME=relative exec "$0" "$@"'
    done = subprocess.run(
        ["sh", "-c", script, str(victim.binary), "run", str(victim.profile), "--radio", "virtual", "--hci-server", "none",
         "--duration", "1ms"], env={"HOME": str(victim.home), "PATH": os.environ["PATH"]}, user=victim.user,
        group=victim.user, extra_groups=[], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done
    assert not (victim.home / "relative").exists() and victim.runtime.exists()


def test_folder_that_is_a_link_is_refused(victim: Victim) -> None:
    elsewhere = victim.home / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    os.chown(elsewhere, victim.user, victim.user)
    victim.runtime.symlink_to(elsewhere)
    done = victim.run()
    assert done.returncode == 73 and "it is a symbolic link" in done.stderr, done
    assert list(elsewhere.iterdir()) == []


SERVER = """
import os, socket, sys
os.setgid(65534); os.setuid(65534)
server = socket.socket(socket.AF_UNIX)
server.bind(sys.argv[1])
os.chmod(sys.argv[1], 0o777)
server.listen()
print(flush=True)
while True:
    client, _ = server.accept()
    try:
        print(client.recv(4096).decode(), flush=True)
        client.sendall(b'{"v":1,"error":"\\\\u001b[31mforged","exitCode":0}\\n')
    except OSError:
        pass
    client.close()
"""


def test_server_of_another_user_is_not_trusted(victim: Victim) -> None:
    victim.runtime.mkdir()
    os.chown(victim.runtime, ATTACKER, ATTACKER)
    victim.runtime.chmod(0o755)
    socket = victim.runtime / "p.sock"
    with subprocess.Popen(
        ["python3", "-c", SERVER, str(socket)], stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            assert server.stdout and server.stdout.readline() == "\n"
            done = victim.call("ctl", "pair", "b", "123456")
            assert done.returncode == 74, done
            assert f"the control socket {socket} is served by another user ({ATTACKER})" in done.stderr
            assert "forged" not in done.stderr + done.stdout
        finally:
            server.kill()
            received, _ = server.communicate(timeout=300)
        assert "123456" not in received, "the passkey was not disclosed"


def test_state_folder_of_another_user_is_refused(victim: Victim) -> None:
    state = victim.home / "state"
    (state / "p").mkdir(parents=True)
    os.chown(state, victim.user, victim.user)
    os.chown(state / "p", ATTACKER, ATTACKER)
    (state / "p").chmod(0o777)
    profile = victim.home / "stored.yaml"
    profile.write_text("profile: p\nbeacons: [{ id: b, device: iot-design-shop }]\n")
    profile.chmod(0o644)
    done = victim.call(
        "run", str(profile), "--radio", "virtual", "--hci-server", "none", "--state", str(state), "--duration", "1ms"
    )
    assert done.returncode == 73, done
    assert f"cannot use {state}/p: it belongs to user {ATTACKER}" in done.stderr


STORED = "profile: p\nbeacons: [{ id: b, device: iot-design-shop }]\n"


@pytest.mark.parametrize("mode", [0o777, 0o1777], ids=oct)
@pytest.mark.parametrize("as_root", [False, True])
def test_state_folder_that_every_user_can_write_to_is_refused(victim: Victim, mode: int, as_root: bool) -> None:
    """Another user could move the folder of the profile away, or make it first."""
    state = victim.home / "state"
    state.mkdir()
    os.chown(state, victim.user, victim.user)
    state.chmod(mode)
    victim.profile.write_text(STORED)
    command = ["run", str(victim.profile), "--radio", "virtual", "--hci-server", "none", "--control", "none", "--duration", "1ms"]
    if as_root:
        done = subprocess.run([BINARY, *command, "--state", str(state)], capture_output=True, text=True, timeout=300, check=False)
    else:
        done = victim.call(*command, "--state", str(state))
    assert done.returncode == 73 and f"cannot use {state}: every user can write to it" in done.stderr, done
    assert list(state.iterdir()) == []


def test_state_folder_of_a_group_is_used(victim: Victim) -> None:
    """As in a container that runs as another user than the user of its image."""
    state = victim.home / "state"
    state.mkdir()
    os.chown(state, ATTACKER, victim.user)
    state.chmod(0o775)
    victim.profile.write_text(STORED)
    command = ("run", str(victim.profile), "--radio", "virtual", "--hci-server", "none", "--duration", "1ms", "--state", str(state))
    assert victim.call(*command).returncode == 0
    assert (state / "p").stat().st_uid == victim.user
    state.chmod(0o755)
    shutil.rmtree(state / "p")
    refused = victim.call(*command)
    assert refused.returncode == 73 and f"cannot use {state}: it belongs to user {ATTACKER}" in refused.stderr, refused


CLIENT = """
import os, socket, sys, time
os.setgroups([int(each) for each in sys.argv[3].split(",")]); os.setgid(int(sys.argv[2])); os.setuid(int(sys.argv[2]))
print(flush=True)
end = time.monotonic() + 300
while time.monotonic() < end:
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(300)
    try:
        client.connect(sys.argv[1])
        client.sendall(b"GET /v1/version HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n")
        print("answered" if client.recv(1) else "closed", flush=True)
        break
    except PermissionError:
        print("refused", flush=True)
        if len(sys.argv) < 5:
            break
    except OSError:
        pass
"""
GROUP = grp.getgrnam("games").gr_gid


@pytest.mark.slow
@pytest.mark.parametrize("groups,is_member", [(f"{GROUP}", True), (f"1,2,3,{GROUP}", True), ("1,2,3", False)])
def test_socket_of_a_group_is_for_its_members_from_the_start(victim: Victim, groups: str, is_member: bool) -> None:
    """Also under a permissive mask, and for a client that connects at the first moment."""
    stranger = victim.user + 1
    socket = Path(tempfile.mkdtemp(prefix="beaconry-sock-")) / "run.sock"
    socket.parent.chmod(0o777)
    argument = [str(socket), str(stranger), groups]
    script = f'umask 000; exec "$0" "$@"'
    command = ["run", str(victim.profile), "--radio", "virtual", "--hci-server", "none", "--ephemeral", "--control", str(socket), "--control-group", "games", "--json"]
    for _ in range(20):
        with subprocess.Popen(["python3", "-c", CLIENT, *argument, "again"], stdout=subprocess.PIPE, text=True) as client:
            assert client.stdout and client.stdout.readline() == "\n"
            with subprocess.Popen(
                ["sh", "-c", script, BINARY, *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
            ) as run:
                assert run.stdout
                for line in run.stdout:
                    if '"event":"ready"' in line:
                        break
                assert run.poll() is None, "it has become ready"
                if is_member:
                    assert client.wait(timeout=300) == 0
                client.kill()
                run.terminate()
                run.communicate(timeout=300)
            received = set(client.stdout.read().split())
        assert ("answered" in received) == is_member, received
        assert received <= ({"answered", "refused"} if is_member else {"refused"})
        if is_member:
            break
    shutil.rmtree(socket.parent)
