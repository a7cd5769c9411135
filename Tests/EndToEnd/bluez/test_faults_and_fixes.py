# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Each row of docs/troubleshooting.md that a machine without Bluetooth hardware can have: the fault is made, `doctor` names
it before anything else, what it prints as the fix is done, and then `doctor` is content.

The rows are those of the page. A row that says that it is tried and has no maker here fails, and so does a maker without a row.
A command is run as printed, in a shell of a terminal; what only a hand can do, such as plugging in, is the maker's `hand`.
"""

from __future__ import annotations

import json
import os
import pty
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import vhci
from air import AirStarter
from beaconry import BINARY, CHECKOUT, Beaconry
from test_advertising import plain
from vhci import (
    ADDRESSES,
    BLUEZ,
    CONTROLLERS,
    Management,
    World,
    adapter_property,
    as_ordinary_user,
    dbus_call,
    devices,
    eventually,
    set_adapter_property,
)

PAGE = CHECKOUT / "docs" / "troubleshooting.md"
TOOLS = Path("/run/fix")
"""The commands that the guest lacks, since it has neither systemd nor sudo, and the program under its own name."""
USER_TOOLS = Path("/run/fix-user")
"""The programs of an ordinary user, which get capabilities."""
MAIN_CONF = Path("/etc/bluetooth/main.conf")
SYSTEMCTL = f"""#!/bin/bash
# What systemd does for the units of bluetoothd and of the D-Bus daemon.
set -euo pipefail
is_on_the_bus() {{
    dbus-send --system --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.NameHasOwner string:org.bluez \\
        2>/dev/null | grep -q "boolean true"
}}
runs() {{ [[ -e /run/$1.pid && -e /proc/$(</run/$1.pid) ]]; }}
stop_bluetooth() {{
    runs bluetoothd || return 0
    local pid=$(</run/bluetoothd.pid)
    kill -TERM "$pid"
    kill -CONT "$pid" # systemd does so, too
    for _ in {{1..100}}; do [[ -e /proc/$pid ]] || return 0; sleep 0.1; done
    kill -KILL "$pid"
}}
start_bluetooth() {{
    ! runs bluetoothd || return 0
    cp {MAIN_CONF} /run/bluetoothd.conf
    setsid --fork {CHECKOUT}/Scripts/vm/bluetoothd </dev/null >>/run/bluetoothd.log 2>&1
    for _ in {{1..600}}; do ! is_on_the_bus || return 0; sleep 0.1; done
    return 1
}}
start_dbus() {{
    dbus-send --system --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.GetId >/dev/null 2>&1 && return 0
    rm -f /run/dbus/pid
    dbus-daemon --system --fork
}}
verb=$1
shift
for unit; do
    case $verb-$unit in
    restart-bluetooth) stop_bluetooth && start_bluetooth ;;
    start-bluetooth) start_bluetooth ;;
    start-dbus) start_dbus ;;
    *) echo "systemctl: there is no $verb $unit here" >&2 && exit 1 ;;
    esac
done
"""


def rows() -> dict[str, str]:
    """The last cells of the rows, `yes` or why there is no test, by the identifiers of the faults."""
    lines = [line for line in PAGE.read_text().splitlines() if line.startswith('| <a id="')]
    return {re.match(r'\| <a id="([a-z0-9-]+)">', line)[1]: line.removesuffix(" |").rpartition(" | ")[2] for line in lines}


# The machine with a fault -----------------------------------------------------------------------------------------


@dataclass
class Scene:
    """A machine, and how `doctor` is called there."""

    world: World
    beaconry: Beaconry
    air: AirStarter
    kind: str
    options: list[str] = field(default_factory=lambda: ["--radio", "bluez:hci0"])
    user: bool = False
    """Whether an ordinary user calls it."""
    prefix: list[str] = field(default_factory=list)
    path: list[Path] = field(default_factory=lambda: [TOOLS])
    """The first folders of PATH."""
    duration: str = "2s"
    before_fix: Callable[[], None] = lambda: None
    """Makes the fault once more, if `doctor` itself has ended it."""
    cleanup: list[Callable[[], None]] = field(default_factory=list)

    @property
    def search(self) -> str:
        return ":".join([*map(str, self.path), os.environ["PATH"]])

    def command(self, *words: str) -> list[str]:
        """A command of the user of this scene."""
        if not self.user:
            return [*self.prefix, *words]
        # The groups of the user, as after a new login, and no capabilities but those of files.
        drop = ["setpriv", "--reuid=visitor", "--regid=visitor", "--init-groups", "--inh-caps=-all", "--reset-env", *self.prefix]
        return [*drop, "env", f"PATH={self.search}", "LANG=C.UTF-8", *words]

    def diagnose(self) -> Diagnosis:
        words = self.command("beaconry", "doctor", "--json", "--for", self.duration, *self.options)
        environment = {**self.beaconry.environment, "PATH": self.search}
        result = subprocess.run(
            words, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600, check=False
        )
        lines = [json.loads(line) for line in result.stdout.splitlines()]
        assert lines and lines[-1]["event"] == "diagnosis", result
        return Diagnosis(result.returncode, [line for line in lines if line["event"] == "check"])

    def output_of_a_run(self, expected: tuple[str, ...]) -> str:
        """What a short run prints on the radio of this scene, until it has printed these texts: one that waits for bluetoothd does not
        end, because its duration counts from the moment at which it is ready."""
        profile, output = Path("/run/said.yaml"), Path("/run/said.txt")
        profile.write_text(plain(1))
        radio = self.options or ["--radio", "bluez"]
        options = ["--ephemeral", "--control", "none", "--duration", "2s", *radio]
        with output.open("w") as file:
            process = subprocess.Popen(
                self.command("beaconry", "run", str(profile), *options), env={**self.beaconry.environment, "PATH": self.search},
                stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT,
            )  # fmt: skip
        try:
            eventually(
                f"a run ends, or prints {expected}",
                lambda: process.poll() is not None or all(text in output.read_text() for text in expected), timeout=300,
            )  # fmt: skip
        finally:
            process.terminate()
            process.wait(60)
        return output.read_text()

    def fix(self, command: str) -> None:
        """Runs a command as printed, in a shell of a terminal: btmgmt and bluetoothctl behave otherwise without one."""
        environment = {**self.beaconry.environment, "PATH": self.search, "USER": "visitor" if self.user else "root"}
        pid, terminal = pty.fork()
        if pid == 0:
            os.execvpe("bash", ["bash", "-c", command], environment)
        output = b""
        with suppress(OSError):  # the other end is closed
            while part := os.read(terminal, 4096):
                output += part
        _, status = os.waitpid(pid, 0)
        os.close(terminal)
        assert os.waitstatus_to_exitcode(status) == 0, (command, output.decode(errors="replace"))


@dataclass
class Diagnosis:
    code: int
    findings: list[dict[str, Any]]

    def of(self, fault: str) -> dict[str, Any] | None:
        return next((each for each in self.findings if each.get("fault") == fault), None)

    @property
    def first(self) -> dict[str, Any]:
        return self.findings[0]

    @property
    def text(self) -> str:
        keys = ("result", "check", "fault", "finding", "command")
        return "\n".join(" | ".join(str(each.get(key)) for key in keys) for each in self.findings)


Maker = Callable[[Scene], AbstractContextManager[Callable[[], None] | None]]
"""Makes a fault; yields what a hand does if the fix is no command."""


@dataclass(frozen=True)
class Row:
    make: Callable[[Scene], Iterator[Any]]
    is_note: bool = False
    """Whether it may be as intended, so that `doctor` is content with it."""
    kind: str | None = None
    """The only kind of controllers that can have it."""
    bluez: str | None = None
    """The only version of bluetoothd and kernel that can have it."""


MAKERS: dict[str, list[Row]] = {}


def makes(fault: str, **options: Any) -> Callable[[Callable[[Scene], Iterator[Any]]], Callable[[Scene], Iterator[Any]]]:
    def add(function: Callable[[Scene], Iterator[Any]]) -> Callable[[Scene], Iterator[Any]]:
        MAKERS.setdefault(fault, []).append(Row(function, **options))
        return function

    return add


def run(*words: str) -> None:
    subprocess.run(words, check=True, stdin=subprocess.DEVNULL, capture_output=True)


# Kernel, bus and bluetoothd ---------------------------------------------------------------------------------------


@makes("no-kernel-bluetooth")
def no_kernel_bluetooth(scene: Scene) -> Iterator[Callable[[], None]]:
    """The module is not loaded, and may not be loaded by itself. After the fix the machine loads the driver of the controllers,
    and starts bluetoothd."""
    scene.world.bluetoothd.stop()
    scene.world.controllers.unplug()
    scene.world.management.close()
    Path("/etc/modprobe.d/no-bluetooth.conf").write_text("alias net-pf-31 off\nblacklist bluetooth\n")
    loaded = [line.split()[0] for line in Path("/proc/modules").read_text().splitlines()]
    users = [name for name in loaded if name in ("hci_vhci", "bnep", "hidp", "rfcomm", "btusb")]
    run("modprobe", "-r", *users, "bluetooth")
    scene.options = []

    def hand() -> None:
        run("modprobe", "-a", "hci_vhci", "bnep")
        open_management(scene)
        scene.fix("systemctl start bluetooth")
        plug_in(scene)

    yield hand
    Path("/etc/modprobe.d/no-bluetooth.conf").unlink()


def open_management(scene: Scene) -> None:
    """Opens the management socket of the rig again."""
    world = scene.world
    world.management = world.bluetoothd._management = world.controllers._management = Management()


@makes("no-bus")
def no_bus(scene: Scene) -> Iterator[None]:
    os.kill(int(Path("/run/dbus/pid").read_text()), signal.SIGKILL)
    eventually("bluetoothd has ended", lambda: scene.world.bluetoothd.pid is None)
    # The rig's own connection has ended with the bus.
    vhci._system_bus = None
    yield


@makes("daemon-forbidden")
def daemon_forbidden(scene: Scene) -> Iterator[None]:
    """Only root and the members of a group may use bluetoothd, as with some distributions."""
    policy = Path("/etc/dbus-1/system.d/bluetooth.conf")
    before = policy.read_text()
    allowed = "".join(f'<policy {who}><allow send_destination="org.bluez"/></policy>' for who in ('user="root"', 'group="bluetooth"'))
    forbidden = '<policy context="default"><deny send_destination="org.bluez"/></policy>'
    others = before.replace('<allow send_destination="org.bluez"/>', "")
    policy.write_text(others.replace("</busconfig>", f"{forbidden}{allowed}</busconfig>"))
    subprocess.run(["groupadd", "--force", "bluetooth"], check=True)
    os.kill(int(Path("/run/dbus/pid").read_text()), signal.SIGHUP)
    scene.user = True
    yield
    subprocess.run(["gpasswd", "--delete", "visitor", "bluetooth"], check=False, capture_output=True)
    policy.write_text(before)
    os.kill(int(Path("/run/dbus/pid").read_text()), signal.SIGHUP)


@makes("daemon-off")
def daemon_off(scene: Scene) -> Iterator[None]:
    scene.world.bluetoothd.stop()
    yield


@makes("daemon-hangs")
def daemon_hangs(scene: Scene) -> Iterator[None]:
    os.kill(scene.world.bluetoothd.pid, signal.SIGSTOP)
    yield


@makes("kernel-of-2026")
def kernel_of_2026(scene: Scene) -> Iterator[None]:
    """The name of such a kernel, and what it does to bluetoothd."""
    scene.world.bluetoothd.restart(has_the_fault_of_2026=True)
    name = Path("/run/osrelease")
    name.write_text("6.12.93\n")
    run("mount", "--bind", str(name), "/proc/sys/kernel/osrelease")
    program_of_a_user(scene, USER_TOOLS)
    yield
    run("umount", "/proc/sys/kernel/osrelease")


# Adapters that cannot be used -------------------------------------------------------------------------------------


@makes("no-adapter")
def no_adapter(scene: Scene) -> Iterator[Callable[[], None]]:
    scene.world.controllers.unplug()
    scene.options = []
    yield lambda: plug_in(scene)


def plug_in(scene: Scene) -> None:
    scene.world.controllers.replug()
    scene.world.bluetoothd.wait()


@makes("other-adapter")
def other_adapter(scene: Scene) -> Iterator[None]:
    scene.options = ["--radio", "bluez:hci7"]
    yield


@makes("rfkill")
def blocked(scene: Scene) -> Iterator[None]:
    scene.world.controllers.block(0)
    yield


@makes("adapter-off")
def adapter_off(scene: Scene) -> Iterator[None]:
    scene.world.controllers.power(0, False)
    yield


@makes("controller-mode")
def controller_mode(scene: Scene) -> Iterator[None]:
    """An adapter for Low Energy only is not managed then; another one has Low Energy off."""
    before = MAIN_CONF.read_text()
    MAIN_CONF.write_text(before.replace("#ControllerMode = dual", "ControllerMode = bredr"))
    assert "\nControllerMode = bredr" in MAIN_CONF.read_text()
    scene.fix("systemctl restart bluetooth")
    if scene.kind == "extended":
        eventually("bluetoothd has hci0", lambda: adapter_property(0, "Powered") is not None)
    yield
    MAIN_CONF.write_text(before)
    scene.world.bluetoothd.is_as_usual = False


@makes("low-energy-off", kind="extended")
def low_energy_off(scene: Scene) -> Iterator[None]:
    """A controller for Low Energy only refuses that."""
    scene.world.management.command(0x000D, 0, b"\x00")
    yield


@makes("no-low-energy", kind="extended")
def no_low_energy(scene: Scene) -> Iterator[None]:
    """A controller of BR/EDR beside the others."""
    others = {each.index for each in scene.world.management.controllers()}
    old = subprocess.Popen(["btvirt", "-B", "-l1"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        [index] = eventually("the old adapter", lambda: {each.index for each in scene.world.management.controllers()} - others)
        eventually("bluetoothd has it", lambda: adapter_property(index, "Powered"))
        scene.options = ["--radio", f"bluez:hci{index}"]
        yield
    finally:
        old.kill()
        old.wait()
        eventually("it is gone", lambda: {each.index for each in scene.world.management.controllers()} == others)


@makes("adapter-in-use")
def adapter_in_use(scene: Scene) -> Iterator[None]:
    """Another program has the user channel, and is the only one with a socket of the kernel's Bluetooth."""
    scene.world.management.close()
    profile = scene.beaconry.profile(plain(1), "own.yaml")
    other = scene.beaconry.run(profile, "--control", "none", "--ephemeral", radio="hci-socket:0")
    other.wait("ready")
    yield
    other.kill()
    open_management(scene)
    eventually("hci0 is managed again", lambda: adapter_property(0, "Address"))


@makes("not-started")
def not_started(scene: Scene) -> Iterator[Callable[[], None]]:
    """A controller that does not answer at all."""
    scene.world.controllers.unplug()
    silent = os.open("/dev/vhci", os.O_RDWR | os.O_CLOEXEC)
    os.write(silent, b"\xff\x00")
    eventually("the silent one", Path("/sys/class/bluetooth/hci0").exists)

    def hand() -> None:
        os.close(silent)
        eventually("it is gone", lambda: not Path("/sys/class/bluetooth/hci0").exists())
        plug_in(scene)

    yield hand
    with suppress(OSError):
        os.close(silent)


# Controllers and other programs -----------------------------------------------------------------------------------


@makes("controller-silent")
def controller_silent(scene: Scene) -> Iterator[Callable[[], None]]:
    """The controllers stop answering."""
    pid = scene.world.controllers.pid
    os.kill(pid, signal.SIGSTOP)

    def hand() -> None:
        os.kill(pid, signal.SIGKILL)
        eventually("the controllers are gone", lambda: scene.world.controllers.pid is None)
        eventually("the kernel has lost them", lambda: not scene.world.controllers.indexes())
        plug_in(scene)

    yield hand
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGCONT)


@makes("own-advertising")
def own_advertising(scene: Scene) -> Iterator[None]:
    scene.world.management.set_advertising(0, True)
    yield
    scene.world.management.set_advertising(0, False)
    # The kernel keeps the set of the adapter itself in the controller until it is switched off.
    scene.world.controllers.power(0, False)
    scene.world.controllers.power(0, True)


@makes("leftovers")
def leftovers(scene: Scene) -> Iterator[None]:
    """A run is killed. The test of `doctor` is a run, which removes what is left: for the fix it is left once more."""

    def leave() -> None:
        started = scene.beaconry.run(scene.beaconry.profile(plain(3)), "--ephemeral")
        started.wait("ready")
        started.process.kill()
        started.process.wait()

    leave()
    scene.before_fix = leave
    yield


@makes("instances-full")
def instances_full(scene: Scene) -> Iterator[None]:
    for number in range(scene.world.management.advertising_features(0).max_instances):
        scene.world.management.add_advertising(0, number + 1)
    yield


@makes("instances-shared", is_note=True)
def instances_shared(scene: Scene) -> Iterator[None]:
    scene.world.management.add_advertising(0, 1)
    yield


@makes("scan", kind="legacy")
def scan(scene: Scene) -> Iterator[None]:
    assert dbus_call("/org/bluez/hci0", "org.bluez.Adapter1.StartDiscovery") is not None
    eventually("it scans", lambda: adapter_property(0, "Discovering"))
    yield


KEYBOARD = "C0:11:22:33:44:55"
INFORMATION = """[General]
Name=Keyboard
AddressType=static
SupportedTechnologies=LE;
Trusted=true
Blocked=false
Services=00001800-0000-1000-8000-00805f9b34fb;{service}-0000-1000-8000-00805f9b34fb;

[LongTermKey]
Key=00112233445566778899AABBCCDDEEFF
Authenticated=0
EncSize=16
EDiv=0
Rand=0
"""


def bond(scene: Scene, service: str) -> str:
    """Starts bluetoothd with a paired device that is away; returns its path."""
    folder = Path("/var/lib/bluetooth") / ADDRESSES[0] / KEYBOARD
    scene.world.bluetoothd.stop()
    folder.mkdir(parents=True)
    (folder / "info").write_text(INFORMATION.format(service=service))
    scene.world.bluetoothd.start()
    path = f"/org/bluez/hci0/dev_{KEYBOARD.replace(':', '_')}"
    eventually("the keyboard is known", lambda: path in devices("hci0"))
    return path


def is_awaited() -> bool:
    return KEYBOARD.lower() in Path("/sys/kernel/debug/bluetooth/hci0/device_list").read_text()


def forget(path: str) -> None:
    dbus_call("/org/bluez/hci0", "org.bluez.Adapter1.RemoveDevice", "o", path)


@makes("background-scan", kind="legacy")
def background_scan(scene: Scene) -> Iterator[None]:
    """A keyboard, to which bluetoothd connects as soon as it appears."""
    path = bond(scene, "00001812")
    eventually("the kernel waits for it", is_awaited)
    yield
    forget(path)


@makes("background-scan", kind="legacy")
def pending_connection(scene: Scene) -> Iterator[None]:
    """A device to which a program has bluetoothd connect."""
    path = bond(scene, "0000180f")
    call = subprocess.Popen(
        ["busctl", "call", "--timeout=100", "org.bluez", path, "org.bluez.Device1", "Connect"],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    eventually("the kernel waits for it", is_awaited)
    yield
    call.kill()
    call.wait()
    forget(path)


@makes("connection", bluez="5.82")
def connection(scene: Scene) -> Iterator[None]:
    """A controller that does not advertise while a phone is connected. Not with Linux 6.1, which fails when a phone leaves."""
    place = scene.air("legacy-5.0+states")
    profile = "profile: shop\nbeacons:\n  - { id: shop, device: iot-design-shop }\n"
    shop = scene.beaconry.run(scene.beaconry.profile(profile, "shop.yaml"), "--control", "none", "--ephemeral", radio=place.radio)
    address = shop.wait("advertising-started")["address"]
    phone = place.visitor()
    phone.connect_to(address)
    shop.wait("connected")
    scene.options = ["--radio", place.radio]
    yield
    shop.end()
    phone.close()


@makes("discoverable")
def discoverable(scene: Scene) -> Iterator[None]:
    set_adapter_property(0, "Discoverable", "b", True)
    yield


@makes("connectable")
def connectable(scene: Scene) -> Iterator[None]:
    scene.world.management.command(0x0007, 0, b"\x01")
    yield
    scene.world.management.command(0x0007, 0, b"\x00")


@makes("duplicate-address", bluez="5.82")
def duplicate_address(scene: Scene) -> Iterator[None]:
    place = scene.air("same-address", "same-address", starts=False)
    present = scene.world.management.controllers
    eventually("the kernel has both", lambda: set(place.indexes) <= {each.index for each in present()})
    managed = eventually("bluetoothd has one", lambda: [each for each in place.indexes if adapter_property(each, "Powered")])
    # Which of them bluetoothd powers on, and whether both, depends on the order in which it gets to know them.
    for each in present():
        if each.index in place.indexes and not each.powered:
            scene.world.management.power(each.index, True)
    scene.options = ["--radio", f"bluez:hci{managed[0]}"]
    yield


@makes("sends-rarely", bluez="5.82")
def sends_rarely(scene: Scene) -> Iterator[None]:
    place = scene.air("air-interval:5")
    scene.options = ["--radio", place.radio, "--via", f"tcp-client:127.0.0.1:{place.port}"]
    scene.duration = "8s"
    yield


# Rights -----------------------------------------------------------------------------------------------------------


def program_of_a_user(scene: Scene, folder: Path, *options: str) -> Path:
    """A copy of the program for an ordinary user, on a file system of its own."""
    folder.mkdir(exist_ok=True)
    run("mount", "-t", "tmpfs", "-o", ",".join(["size=200m", "mode=755", *options]), "tmpfs", str(folder))
    scene.cleanup.append(lambda: run("umount", str(folder)))
    shutil.copy(BINARY, folder / "beaconry")
    scene.user = True
    scene.path = [folder, TOOLS]
    return folder / "beaconry"


def grant(program: Path) -> None:
    run("setcap", "cap_net_admin,cap_net_raw+p", str(program))


@makes("no-net-admin", is_note=True)
def no_net_admin(scene: Scene) -> Iterator[None]:
    program_of_a_user(scene, USER_TOOLS)
    yield


@makes("no-net-raw", is_note=True)
def no_net_raw(scene: Scene) -> Iterator[None]:
    run("setcap", "cap_net_admin+p", str(program_of_a_user(scene, USER_TOOLS)))
    yield


@makes("intervals-ignored", is_note=True, bluez="5.66")
def intervals_ignored(scene: Scene) -> Iterator[None]:
    program_of_a_user(scene, USER_TOOLS)
    yield


@makes("capabilities-nosuid", is_note=True)
def capabilities_nosuid(scene: Scene) -> Iterator[None]:
    grant(program_of_a_user(scene, USER_TOOLS, "nosuid"))
    installed = Path("/usr/local/bin")
    # The user's search path, in which the shell finds the installed program only after its own.
    yield lambda: setattr(scene, "path", [installed, USER_TOOLS, TOOLS])
    (installed / "beaconry").unlink(missing_ok=True)


@makes("no-new-privileges", is_note=True)
def no_new_privileges(scene: Scene) -> Iterator[Callable[[], None]]:
    grant(program_of_a_user(scene, USER_TOOLS))
    scene.prefix = ["setpriv", "--no-new-privs"]
    yield lambda: setattr(scene, "prefix", [])


# The tests --------------------------------------------------------------------------------------------------------

SAID_BY_RUNS = {
    "no-kernel-bluetooth", "no-bus", "daemon-forbidden", "daemon-off", "daemon-hangs", "no-adapter", "rfkill", "adapter-off",
    "adapter-in-use", "not-started", "low-energy-off", "own-advertising", "instances-full", "scan", "background-scan",
    "discoverable", "connectable",
}  # fmt: skip
"""The faults that a run meets, too, and for which it says what to do in the words of `doctor`. Of the others a run removes what is
left by itself (leftovers), or knows nothing (rights of files, what a receiver misses)."""


@pytest.fixture(scope="module")
def tools() -> None:
    """The commands that the guest lacks."""
    as_ordinary_user([])  # makes the user
    TOOLS.mkdir(exist_ok=True)
    for name, text in (("sudo", '#!/bin/bash\nexec "$@"\n'), ("systemctl", SYSTEMCTL)):
        (TOOLS / name).write_text(text)
        (TOOLS / name).chmod(0o755)
    (TOOLS / "beaconry").unlink(missing_ok=True)
    (TOOLS / "beaconry").symlink_to(BINARY)


pytestmark = [pytest.mark.depends_on("own machine"), pytest.mark.timeout(1200)]
PLACES = {("5.66", "legacy"), ("5.82", "extended")}
"""The versions of BlueZ and the controllers of the machines that run these tests."""
CASES = [pytest.param(fault, row, id=f"{fault}-{row.make.__name__}") for fault, found in MAKERS.items() for row in found]
HERE = (BLUEZ, CONTROLLERS.rpartition("-")[2] or "legacy")


def suits(row: Row, place: tuple[str, str]) -> bool:
    """Whether a machine can have the fault."""
    return all(wanted in (None, given) for wanted, given in zip((row.bluez, row.kind), place, strict=True))


def test_rows_and_makers_are_the_same() -> None:
    tried = rows()
    assert len(tried) >= 25
    assert {fault for fault, cell in tried.items() if cell == "yes"} == set(MAKERS)
    reasons = [cell for cell in tried.values() if cell != "yes"]
    assert all(re.fullmatch(r"no: needs \w.+", cell) for cell in reasons), reasons
    assert all(any(suits(row, place) for place in PLACES) for found in MAKERS.values() for row in found)


@contextmanager
def made(row: Row, scene: Scene) -> Iterator[Callable[[], None] | None]:
    """The machine with the fault of a row. What the maker does at its end is done after a failure, too: the next row begins with a
    machine without this fault."""
    making = row.make(scene)
    hand = next(making)
    try:
        yield hand
    finally:
        next(making, None)


@pytest.mark.parametrize(("fault", "row"), [case for case in CASES if suits(case.values[1], HERE)])
def test_fix_of_doctor_fixes_the_fault(
    world: World, beaconry: Beaconry, air: AirStarter, tools: None, kind: str, fault: str, row: Row
) -> None:
    scene = Scene(world, beaconry, air, kind)
    try:
        with made(row, scene) as hand:
            before = scene.diagnose()
            found = before.of(fault)
            assert found, before.text
            print(fault, json.dumps(found))
            assert found["meaning"] and found["action"]
            if row.is_note:
                assert (before.code, found["result"]) == (0, "note"), before.text
            else:
                assert (before.code, found["result"]) == (1, "problem"), before.text
                assert before.first is found, before.text
            if fault in SAID_BY_RUNS:
                # Which device is awaited, and which process has the adapter, is not known to a run.
                is_known = fault not in ("adapter-in-use", "background-scan")
                expected = (found["action"], found.get("command", "") if is_known else "")
                said = scene.output_of_a_run(expected)
                assert all(text in said for text in expected), said
            scene.before_fix()
            command = found.get("command")
            assert command or hand, f"the fix of {fault} is {found['action']}, and there is no hand"
            if command and command.startswith("beaconry doctor --radio "):
                scene.options = command.split()[2:]
            elif command:
                scene.fix(command)
            if hand:
                hand()
            last: list[Diagnosis] = []

            def is_content() -> bool:
                last[:] = [scene.diagnose()]
                return last[0].code == 0 and last[0].of(fault) is None

            try:
                eventually("doctor is content", is_content, timeout=300, interval=1)
            except Exception as error:
                raise AssertionError(f"after {command or found['action']}\n{last[0].code}\n{last[0].text}") from error
    finally:
        for clean in reversed(scene.cleanup):
            clean()


def test_old_messages_explain_nothing(world: World, beaconry: Beaconry, air: AirStarter, tools: None, kind: str) -> None:
    """A healthy machine with a history: the kernel's messages of failures before the test are notes at the end."""
    with open("/dev/kmsg", "w") as log:
        log.write("Bluetooth: hci0: Opcode 0x0c03 failed: -110\n")
    time.sleep(1)
    scene = Scene(world, beaconry, air, kind)
    found = scene.diagnose()
    old = [each for each in found.findings if each["check"] == "kernel-log"]
    assert found.code == 0, found.text
    assert old[0]["result"] == "note" and re.match(r"\d+ (s|min|h) ago the kernel reported", old[0]["finding"]), found.text
