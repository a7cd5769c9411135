# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Attacks by another user, who creates /tmp/beaconry-UID or the socket in it first. Root plays both users."""

from __future__ import annotations

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

    def run(self) -> subprocess.CompletedProcess[str]:
        return self.call(
            "run", str(self.profile), "--radio", "virtual", "--hci-server", "none", "--ephemeral", "--duration", "1ms"
        )

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
