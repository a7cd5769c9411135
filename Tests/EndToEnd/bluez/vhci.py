# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The world inside Scripts/bluez-vm: its daemons, its two virtual controllers, and the recorded traffic on their air.

Nothing here uses Beaconry, so that the tests observe and act independently of it.
"""

from __future__ import annotations

import asyncio
import ctypes
import fcntl
import os
import queue
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

BLUEZ = os.environ.get("BEACONRY_VM_BLUEZ", "")
CONTROLLERS = os.environ.get("BEACONRY_VM_CONTROLLERS", "")
"""The controllers that the machine was started with."""
MAKER = CONTROLLERS.rpartition("-")[0]
"""Whose controllers they are: `rootcanal` and `beaconry` keep to the specification, where btvirt, which has no name here, accepts
nearly everything; and they have a further controller on their air, for the fixture `receiver`."""
ADDRESSES = ("00:AA:01:00:00:00", "00:AA:01:01:00:01")
"""The public addresses of the two controllers, which are hci0 and hci1 until a test replugs them elsewhere."""
RECEIVERS = 17002
"""The port of the controllers of rootcanal and Beaconry at which each connection is one more controller on their air."""

_CHECKOUT = Path(__file__).resolve().parents[3]
_LAUNCHERS = _CHECKOUT / "Scripts" / "vm"
_CACHE = _CHECKOUT / ".build" / "vm"
_T = TypeVar("_T")


class RigError(Exception):
    """The rig failed to do what a test needs; the program under test is not to blame."""


def eventually(what: str, probe: Callable[[], _T], timeout: float = 120, interval: float = 0.1) -> _T:
    """Calls `probe` until it returns a true value, and returns that; raises a RigError after `timeout` seconds."""
    deadline = time.monotonic() + timeout
    while not (result := probe()):
        if time.monotonic() > deadline:
            raise RigError(f"{what}: not within {timeout:g} s")
        time.sleep(interval)
    return result


def address_text(raw: bytes) -> str:
    """An address as text, from its bytes in wire order."""
    return raw[::-1].hex(":").upper()


# Management socket -----------------------------------------------------------------------------------------------


_NO_INDEX = 0xFFFF
_CHANNEL_MONITOR = 2
_CHANNEL_CONTROL = 3
_SO_TIMESTAMP = 29  # Python's socket module does not define these two
_SO_RCVBUFFORCE = 33
_HCIDEVRESET = 0x4004_48CB


class _SocketAddress(ctypes.Structure):
    _fields_ = [("family", ctypes.c_ushort), ("device", ctypes.c_ushort), ("channel", ctypes.c_ushort)]


def _hci_socket(channel: int) -> socket.socket:
    """A socket bound to a channel of the kernel's Bluetooth, which Python's own bind does not support."""
    opened = socket.socket(socket.AF_BLUETOOTH, socket.SOCK_RAW, socket.BTPROTO_HCI)
    name = _SocketAddress(socket.AF_BLUETOOTH, _NO_INDEX, channel)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.bind(opened.fileno(), ctypes.byref(name), ctypes.sizeof(name)) != 0:
        number = ctypes.get_errno()
        opened.close()
        raise OSError(number, os.strerror(number))
    return opened


class ManagementError(Exception):
    """The kernel answered a management command with a status other than success."""

    def __init__(self, opcode: int, status: int) -> None:
        super().__init__(f"management command 0x{opcode:04X} failed with status 0x{status:02X}")
        self.opcode = opcode
        self.status = status


@dataclass(frozen=True)
class Controller:
    """The kernel's description of a controller."""

    index: int
    address: str
    powered: bool


@dataclass(frozen=True)
class AdvertisingFeatures:
    """The answer to Read Advertising Features."""

    supported_flags: int
    max_data_length: int
    max_scan_response_length: int
    max_instances: int
    instances: tuple[int, ...]


class Management:
    """A client of the kernel's Bluetooth management socket (BlueZ, doc/mgmt-api.txt)."""

    def __init__(self) -> None:
        self._socket = _hci_socket(_CHANNEL_CONTROL)
        self._socket.settimeout(30)

    def close(self) -> None:
        self._socket.close()

    def command(self, opcode: int, index: int | None = None, parameters: bytes = b"") -> bytes:
        """Sends a command and returns the parameters of the answer; raises a ManagementError for a bad status."""
        target = _NO_INDEX if index is None else index
        # The events of a long test would leave no room for the answer (ENOMEM).
        while select.select([self._socket], [], [], 0)[0]:
            self._socket.recv(2048)
        self._socket.send(struct.pack("<HHH", opcode, target, len(parameters)) + parameters)
        while True:
            packet = self._socket.recv(2048)
            code, source, _ = struct.unpack_from("<HHH", packet)
            if code in (1, 2) and source == target and struct.unpack_from("<H", packet, 6)[0] == opcode:
                if packet[8] != 0:
                    raise ManagementError(opcode, packet[8])
                return packet[9:]

    def controllers(self) -> list[Controller]:
        """The controllers that are set up, by index."""
        listed = self.command(0x0003)
        found = []
        for index in sorted(struct.unpack_from(f"<{struct.unpack_from('<H', listed)[0]}H", listed, 2)):
            try:
                answer = self.command(0x0004, index)
            except ManagementError:
                continue  # it was removed in between
            settings = struct.unpack_from("<I", answer, 13)[0]
            found.append(Controller(index, address_text(answer[:6]), bool(settings & 1)))
        return found

    def index_of(self, address: str) -> int:
        """The current index of the controller with this address."""
        for controller in self.controllers():
            if controller.address == address:
                return controller.index
        raise RigError(f"no controller has the address {address}")

    def power(self, index: int, on: bool) -> None:
        """Powers a controller on or off, and waits until it is."""

        def done() -> bool:
            try:
                self.command(0x0005, index, bytes([on]))
            except ManagementError as error:
                # Busy, perhaps because bluetoothd requests the same; or failed, as long as the controller is being set up.
                if error.status not in (0x0A, 0x03):
                    raise
            return any(each.index == index and each.powered == on for each in self.controllers())

        eventually(f"hci{index} powered {'on' if on else 'off'}", done)

    def set_advertising(self, index: int, on: bool) -> bool:
        """Switches the adapter's own advertising on or off, as `btmgmt advertising on` does (Set Advertising).

        Returns whether it is so then. Linux 6.12 reports success and leaves it off if it believes that set 0 is enabled, which the
        controller does not have any more: it disables it first.
        """
        settings = struct.unpack_from("<I", self.command(0x0029, index, bytes([on])))[0]
        return bool(settings & 1 << 10) == on

    def advertising_features(self, index: int) -> AdvertisingFeatures:
        """The kernel's advertising features, and the existing instances of all programs."""
        answer = self.command(0x003D, index)
        flags, data, response, most, count = struct.unpack_from("<IBBBB", answer)
        return AdvertisingFeatures(flags, data, response, most, tuple(answer[8 : 8 + count]))

    def add_advertising(
        self, index: int, instance: int, flags: int = 0, data: bytes = b"", scan_response: bytes = b""
    ) -> None:
        """Adds an instance as another program would (Add Advertising), with the kernel's default interval."""
        head = struct.pack("<BIHHBB", instance, flags, 0, 0, len(data), len(scan_response))
        self.command(0x003E, index, head + data + scan_response)

    def add_extended_advertising(
        self,
        index: int,
        instance: int,
        flags: int,
        ticks: int,
        data: bytes,
        scan_response: bytes = b"",
        tx_power: int | None = None,
    ) -> int:
        """Adds an instance with an interval (Add Extended Advertising Parameters and Data).

        Returns the TX power that the kernel selected, in dBm.
        """
        flags |= 1 << 14 if tx_power is None else 1 << 14 | 1 << 15
        head = struct.pack("<BIHHIIb", instance, flags, 0, 0, ticks, ticks, tx_power or 0)
        answer = self.command(0x0054, index, head)
        self.command(0x0055, index, struct.pack("<BBB", instance, len(data), len(scan_response)) + data + scan_response)
        return struct.unpack_from("<b", answer, 1)[0]

    def remove_advertising(self, index: int, instance: int = 0) -> None:
        """Removes an instance of any program; 0 removes all."""
        self.command(0x003F, index, bytes([instance]))


# Daemons and controllers -----------------------------------------------------------------------------------------


class _Daemon:
    """A program that a launcher of Scripts/vm executes. It is a child of the guest's first process, not of this one."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._pid_file = Path(f"/run/{name}.pid")

    @property
    def pid(self) -> int | None:
        """The process number; None if it does not run."""
        try:
            pid = int(self._pid_file.read_text())
            return pid if Path(f"/proc/{pid}").exists() else None
        except (FileNotFoundError, ValueError):
            return None

    def _launch(self, arguments: Sequence[str], environment: Mapping[str, str] = {}) -> None:
        self._pid_file.unlink(missing_ok=True)
        with open(f"/run/{self.name}.log", "ab") as log:
            command = ["setsid", "--fork", str(_LAUNCHERS / self.name), *arguments]
            subprocess.run(
                command, env={**os.environ, **environment}, stdin=subprocess.DEVNULL, stdout=log, stderr=log, check=True
            )
        eventually(f"{self.name} started", lambda: self.pid)

    def _end(self, how: signal.Signals) -> None:
        if pid := self.pid:
            os.kill(pid, how)
            eventually(f"{self.name} ended", lambda: self.pid is None)


class _SystemBus:
    """A connection to the system bus that stays open, on a separate thread: a process for each call takes more than half a
    second in the emulated machine."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._bus: Any = None
        threading.Thread(target=self._loop.run_forever, daemon=True).start()

    def call(self, destination: str, path: str, method: str, signature: str, body: Sequence[Any]) -> list[Any] | None:
        """The body of the reply; None for an error, and if there is no reply within 25 s."""
        call = self._call(destination, path, method, signature, body)
        return asyncio.run_coroutine_threadsafe(call, self._loop).result()

    async def _call(
        self, destination: str, path: str, method: str, signature: str, body: Sequence[Any]
    ) -> list[Any] | None:
        # An ordinary user without the virtual environment imports this module, too.
        from dbus_fast import BusType, Message, MessageFlag, MessageType
        from dbus_fast.aio import MessageBus

        if self._bus is None:
            self._bus = await MessageBus(bus_type=BusType.SYSTEM).connect()
        interface, _, member = method.rpartition(".")
        message = Message(
            destination, path, interface, member, flags=MessageFlag.NO_AUTOSTART, signature=signature, body=list(body)
        )
        try:
            reply = await asyncio.wait_for(self._bus.call(message), 25)
        except TimeoutError:
            return None
        return reply.body if reply.message_type is MessageType.METHOD_RETURN else None


_system_bus: _SystemBus | None = None


def dbus_call(
    path: str, method: str, signature: str = "", *body: Any, destination: str = "org.bluez"
) -> list[Any] | None:
    """Calls a method of an object of bluetoothd; returns the body of the reply, None for an error."""
    global _system_bus
    _system_bus = _system_bus or _SystemBus()
    return _system_bus.call(destination, path, method, signature, body)


def bluez_property(path: str, interface: str, name: str) -> Any:
    """A property of an object of bluetoothd; None if there is none."""
    body = dbus_call(path, "org.freedesktop.DBus.Properties.Get", "ss", f"org.bluez.{interface}", name)
    return body[0].value if body else None


def set_adapter_property(index: int, name: str, signature: str, value: Any) -> None:
    """Sets a property of org.bluez.Adapter1, as bluetoothctl does. While bluetoothd is busy with the kernel it refuses that."""
    from dbus_fast import Variant

    body = ["org.bluez.Adapter1", name, Variant(signature, value)]
    path, method = f"/org/bluez/hci{index}", "org.freedesktop.DBus.Properties.Set"
    eventually(f"bluetoothd sets {name} of hci{index}", lambda: dbus_call(path, method, "ssv", *body) is not None)
    eventually(f"{name} of hci{index} is {value}", lambda: adapter_property(index, name) == value)


def adapter_property(index: int, name: str) -> Any:
    """A property of org.bluez.Adapter1, as bluez_property gives it."""
    return bluez_property(f"/org/bluez/hci{index}", "Adapter1", name)


def devices(adapter: str) -> list[str]:
    """The paths of the devices that bluetoothd knows on an adapter."""
    path = f"/org/bluez/{adapter}"
    body = dbus_call(path, "org.freedesktop.DBus.Introspectable.Introspect") or [""]
    return [f"{path}/{name}" for name in re.findall(r'<node name="(dev_[0-9A-F_]+)"', body[0])]


class Bluetoothd(_Daemon):
    """The bluetoothd of the version that the machine was started with."""

    def __init__(self, management: Management) -> None:
        super().__init__("bluetoothd")
        self._management = management
        self.is_as_usual = True
        """Whether it was started without anything further."""

    def start(
        self, *arguments: str, settings: Mapping[str, Mapping[str, object]] = {}, has_the_fault_of_2026: bool = False
    ) -> None:
        """Starts bluetoothd, and waits until all its adapters answer and are powered.

        It may get further arguments (`-E`), other settings by the sections of main.conf, and what the kernels of mid-2026 do to
        it: they refuse its Add Extended Advertising Data with Invalid Parameters.
        """
        environment = {}
        # Both files are below /run, which the tree of bluetoothd 5.82 shares.
        lines = [f"[{section}]\n" + "".join(f"{key}={value}\n" for key, value in values.items())
                 for section, values in settings.items()]  # fmt: skip
        Path("/run/bluetoothd.conf").write_text("".join(lines))
        if has_the_fault_of_2026:
            environment["LD_PRELOAD"] = shutil.copy(_CACHE / "bluetoothd-preload.so", "/run")
        self._launch(arguments, environment)
        self.is_as_usual = not (arguments or settings or environment)
        self.wait()

    def stop(self, crash: bool = False) -> None:
        """Ends bluetoothd: by SIGTERM, which powers the controllers off, or with `crash` by SIGKILL, which does not."""
        self._end(signal.SIGKILL if crash else signal.SIGTERM)

    def restart(self, *arguments: str, crash: bool = False, **changes: Any) -> None:
        """Stops and starts bluetoothd, which removes all advertising instances when it starts."""
        self.stop(crash)
        self.start(*arguments, **changes)

    def wait(self) -> None:
        """Waits until bluetoothd answers on the bus for every controller, and powers them on."""
        for controller in self._management.controllers():
            eventually(f"org.bluez at hci{controller.index}", lambda: adapter_property(controller.index, "Powered") is not None)
            self._management.power(controller.index, True)
            eventually(
                f"hci{controller.index} powered for org.bluez",
                lambda: adapter_property(controller.index, "Powered"),
            )


class Controllers(_Daemon):
    """The two virtual controllers, which can be unplugged, replugged elsewhere, powered and blocked."""

    def __init__(self, management: Management) -> None:
        super().__init__("controllers")
        self._management = management
        self.kind = CONTROLLERS
        """The kind of the controllers, also of those that replug() adds, as `Scripts/bluez-vm --controllers` names it."""
        self._placeholder: int | None = None

    def indexes(self) -> dict[str, int]:
        """The current index of each address."""
        return {each.address: each.index for each in self._management.controllers()}

    def power(self, index: int, on: bool) -> None:
        """Powers a controller on or off without bluetoothd, as btmgmt does."""
        self._management.power(index, on)
        if on:
            self._clear_scan_response(index)

    def _clear_scan_response(self, index: int) -> None:
        """Clears the scan response of a legacy controller, as a reset does. btvirt's controllers preserve it over a reset, and
        the kernel does not set an empty one after a reset: the next advertisement would have the scan response of an earlier
        test, whose name bluetoothd takes for the device's."""
        if self.kind != "legacy":
            return
        with socket.socket(socket.AF_BLUETOOTH, socket.SOCK_RAW, socket.BTPROTO_HCI) as raw:
            raw.bind((index,))
            raw.send(struct.pack("<BHB", 0x01, 0x2009, 32) + bytes(32))

    def block(self, index: int) -> None:
        """Blocks a controller, as flight mode does (rfkill), and waits until it is down."""
        self._rfkill(index, True)
        eventually(f"hci{index} blocked", lambda: not self._is_powered(index))

    def unblock(self, index: int) -> None:
        """Unblocks a controller; it stays powered off."""
        self._rfkill(index, False)

    def reset(self, index: int) -> None:
        """Resets a controller as `hciconfig hciN reset` does (the ioctl HCIDEVRESET)."""
        with socket.socket(socket.AF_BLUETOOTH, socket.SOCK_RAW, socket.BTPROTO_HCI) as raw:
            fcntl.ioctl(raw, _HCIDEVRESET, index)

    def unplug(self) -> None:
        """Unplugs both controllers."""
        self._end(signal.SIGTERM)
        eventually("the controllers are gone", lambda: not self.indexes())

    def replug(self, shifted: bool = False) -> dict[str, int]:
        """Replugs the controllers, with the same addresses, and waits until the kernel has set them up.

        With `shifted` another device takes hci0 meanwhile, so that they return as hci1 and hci2. Returns their indexes;
        bluetoothd.wait() then waits until it has noticed them, too.
        """
        if shifted:
            self.plug_placeholder()
        self.plug()
        eventually("the controllers are back", lambda: set(self.indexes()) == set(ADDRESSES))
        return self.indexes()

    def plug(self) -> None:
        """Plugs the controllers in."""
        self._launch([self.kind])

    def plug_placeholder(self) -> None:
        """Adds a raw device (0x80) as hci0, which the kernel neither sets up nor reports on the management socket."""
        if self._placeholder is None:
            self._placeholder = os.open("/dev/vhci", os.O_RDWR | os.O_CLOEXEC)
            os.write(self._placeholder, b"\xff\x80")
            eventually("the placeholder", Path("/sys/class/bluetooth/hci0").exists)

    def release_placeholder(self) -> None:
        """Removes the device that took the place of hci0."""
        if self._placeholder is not None:
            os.close(self._placeholder)
            self._placeholder = None
            eventually("the placeholder is gone", lambda: not Path("/sys/class/bluetooth/hci0").exists())

    def _is_powered(self, index: int) -> bool:
        return any(each.index == index and each.powered for each in self._management.controllers())

    def _rfkill(self, index: int, blocked: bool) -> None:
        place = next(Path(f"/sys/class/bluetooth/hci{index}").glob("rfkill*"))
        with open("/dev/rfkill", "wb", buffering=0) as switch:
            # struct rfkill_event: index, type bluetooth, operation change, soft, hard
            switch.write(struct.pack("=IBBBB", int((place / "index").read_text()), 2, 2, blocked, 0))


class World:
    """All of the above together, and the restoration of the initial state."""

    def __init__(self) -> None:
        self.management = Management()
        self.bluetoothd = Bluetoothd(self.management)
        self.controllers = Controllers(self.management)

    def use(self, kind: str) -> None:
        """Exchanges the controllers for controllers of this kind, if they are of the other."""
        if self.controllers.kind != kind:
            self.controllers.unplug()
            self.controllers.kind = kind
            self.restore()

    def restore(self) -> None:
        """Restores two powered controllers at hci0 and hci1 without advertisements, and bluetoothd as it was first started."""
        normal = dict(zip(ADDRESSES, (0, 1)))
        if self.controllers.pid is None or self.controllers.indexes() != normal:
            self.controllers.unplug()
            self.controllers.release_placeholder()
            if self.controllers.replug() != normal:
                raise RigError(f"the controllers came back as {self.controllers.indexes()}")
        for index in normal.values():
            self.controllers.unblock(index)
        if self.bluetoothd.pid is None or not self.bluetoothd.is_as_usual:
            self.bluetoothd.restart()
        self.bluetoothd.wait()
        for index in normal.values():
            if adapter_property(index, "Discoverable"):
                set_adapter_property(index, "Discoverable", "b", False)
            # The kernel's list omits instances with high numbers; if there is none, the command is refused.
            with suppress(ManagementError):
                self.management.remove_advertising(index)

    def close(self) -> None:
        self.management.close()


def as_ordinary_user(command: Iterable[str]) -> list[str]:
    """The command that runs `command` as a user without any capability."""
    user = "visitor"
    if subprocess.run(["id", user], capture_output=True, check=False).returncode != 0:
        subprocess.run(["/usr/sbin/useradd", "--create-home", user], check=True)
    drop = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--no-new-privs"]
    drop += ["--inh-caps=-all", "--bounding-set=-all", "--reset-env"]
    return [*drop, "env", f"PATH={os.environ['PATH']}", "LANG=C.UTF-8", *command]


# What is on the air ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Record:
    """A packet between the kernel and a controller. Time is seconds since 1970."""

    time: float
    index: int
    kind: str
    """`command`, `event`, `acl-out`, `acl-in`, `new-index`, `deleted-index`, `closed-index`, or `other`."""
    data: bytes


@dataclass(frozen=True)
class AdvertisingSet:
    """The parameters of one advertisement that a controller received. Legacy advertising is a set with handle 0.

    Intervals are in ticks of 0.625 ms. None is a parameter that was not set.
    """

    handle: int = 0
    legacy_type: int | None = None
    """Advertising_Type of LE Set Advertising Parameters; None if the extended commands were used."""
    properties: int | None = None
    """Advertising_Event_Properties of LE Set Extended Advertising Parameters."""
    min_ticks: int | None = None
    max_ticks: int | None = None
    channel_map: int | None = None
    own_address_type: int | None = None
    """0 public, 1 random."""
    random_address: str | None = None
    tx_power: int | None = None
    """The requested power in dBm; 127 is no preference."""
    selected_tx_power: int | None = None
    """The power that an extended controller selected."""
    advertising_data: bytes = b""
    scan_response: bytes = b""

    @property
    def pdu(self) -> str:
        """The PDU type of these parameters: ADV_IND, …"""
        if self.legacy_type is not None:
            return ("ADV_IND", "ADV_DIRECT_IND", "ADV_SCAN_IND", "ADV_NONCONN_IND", "ADV_DIRECT_IND")[self.legacy_type]
        names = {0x13: "ADV_IND", 0x12: "ADV_SCAN_IND", 0x10: "ADV_NONCONN_IND", 0x15: "ADV_DIRECT_IND"}
        return names.get((self.properties or 0) & 0x1F, "ADV_EXT_IND")


@dataclass
class Airing:
    """A period in which a set was enabled and did not change."""

    set: AdvertisingSet
    began: float
    ended: float | None = None


@dataclass
class Air:
    """The present and former advertisements of one controller."""

    sets: dict[int, AdvertisingSet] = field(default_factory=dict)
    airings: list[Airing] = field(default_factory=list)

    @property
    def on_air(self) -> list[AdvertisingSet]:
        """The sets that are enabled now. On a legacy controller the kernel enables its instances in turn."""
        return [airing.set for airing in self.airings if airing.ended is None]

    def since(self, moment: float) -> list[AdvertisingSet]:
        """The sets that were on the air at some time after `moment`, in order."""
        return [each.set for each in self.airings if each.ended is None or each.ended > moment]


@dataclass(frozen=True)
class Report:
    """An advertising report of a scanning controller."""

    time: float
    pdu: str
    address: str
    address_type: int
    data: bytes
    rssi: int


class _AirReader:
    """Follows the commands to one controller; a command counts when the controller has accepted it."""

    _OGF_LE = 0x2000

    def __init__(self) -> None:
        self.air = Air()
        self._pending: tuple[int, bytes] | None = None
        self._random_address: str | None = None

    def read(self, record: Record) -> None:
        data = record.data
        if record.kind == "command":
            self._pending = (struct.unpack_from("<H", data)[0], data[3:])
        elif record.kind in ("deleted-index", "closed-index"):
            self._forget(record.time)
        elif record.kind == "event" and data[0] == 0x0E and len(data) >= 6 and self._pending:
            opcode, parameters = self._pending
            if struct.unpack_from("<H", data, 3)[0] == opcode:
                self._pending = None
                if data[5] == 0:
                    self._accepted(opcode, parameters, data[6:], record.time)
        elif record.kind == "event" and data[0] == 0x3E:
            self._le_event(data[2], data[3:], record.time)

    def _accepted(self, opcode: int, parameters: bytes, answer: bytes, now: float) -> None:
        if opcode == 0x0C03:
            self._forget(now)
        elif opcode == 0x2005:
            self._random_address = address_text(parameters[:6])
        elif opcode == 0x2006:
            low, high, kind, own = struct.unpack_from("<HHBB", parameters)
            random = self._random_address if own & 1 else None
            self._change(
                0, now, legacy_type=kind, min_ticks=low, max_ticks=high, own_address_type=own, channel_map=parameters[13],
                random_address=random,
            )  # fmt: skip
        elif opcode == 0x2008:
            self._change(0, now, advertising_data=parameters[1 : 1 + parameters[0]])
        elif opcode == 0x2009:
            self._change(0, now, scan_response=parameters[1 : 1 + parameters[0]])
        elif opcode == 0x200A:
            self._enable(0, bool(parameters[0]), now)
        elif opcode == 0x2035:
            self._change(parameters[0], now, random_address=address_text(parameters[1:7]))
        elif opcode == 0x2036:
            self._change(
                parameters[0], now, properties=struct.unpack_from("<H", parameters, 1)[0],
                min_ticks=int.from_bytes(parameters[3:6], "little"), max_ticks=int.from_bytes(parameters[6:9], "little"),
                channel_map=parameters[9], own_address_type=parameters[10], tx_power=struct.unpack_from("<b", parameters, 19)[0],
                selected_tx_power=struct.unpack_from("<b", answer)[0] if answer else None,
            )  # fmt: skip
        elif opcode in (0x2037, 0x2038):
            self._extended_data("advertising_data" if opcode == 0x2037 else "scan_response", parameters, now)
        elif opcode == 0x2039:
            handles = [parameters[2 + 4 * n] for n in range(parameters[1])] or list(self.air.sets)
            for handle in handles:
                self._enable(handle, bool(parameters[0]), now)
        elif opcode in (0x203C, 0x203D):
            for handle in [parameters[0]] if opcode == 0x203C else list(self.air.sets):
                self._enable(handle, False, now)
                self.air.sets.pop(handle, None)

    def _extended_data(self, name: str, parameters: bytes, now: float) -> None:
        handle, operation = parameters[0], parameters[1]
        if operation == 4:  # unchanged
            return
        before = getattr(self.air.sets.get(handle, AdvertisingSet()), name) if operation in (0, 2) else b""
        self._change(handle, now, **{name: before + parameters[4 : 4 + parameters[3]]})

    def _le_event(self, subevent: int, parameters: bytes, now: float) -> None:
        if subevent in (0x01, 0x0A) and parameters[0] == 0 and parameters[3] == 1:  # connected, as the peripheral
            for handle, each in self.air.sets.items():
                if each.legacy_type is not None:
                    self._enable(handle, False, now)
        elif subevent == 0x12:  # advertising set terminated
            self._enable(parameters[1], False, now)

    def _change(self, handle: int, now: float, **values: Any) -> None:
        before = self.air.sets.get(handle, AdvertisingSet(handle))
        self.air.sets[handle] = replace(before, **values)
        if self.air.sets[handle] != before and any(each.handle == handle for each in self.air.on_air):
            self._enable(handle, True, now)

    def _enable(self, handle: int, enabled: bool, now: float) -> None:
        for airing in self.air.airings:
            if airing.ended is None and airing.set.handle == handle:
                airing.ended = now
        if enabled:
            self.air.airings.append(Airing(self.air.sets.get(handle, AdvertisingSet(handle)), now))

    def _forget(self, now: float) -> None:
        for handle in list(self.air.sets):
            self._enable(handle, False, now)
        self.air.sets.clear()
        self._pending = None


class Witness:
    """Records all packets between the kernel and the controllers, as btmon does, and can be queried meanwhile.

    It reads the kernel's monitor socket itself, because btmon 5.66 decodes the packets and crashes on some GATT traffic.
    The recording is a btsnoop file, which btmon and Wireshark read.

        with Witness(path) as witness:
            …
            witness.wait_for(lambda air: any(each.min_ticks == 160 for each in air.on_air))
    """

    _KINDS = {
        0: "new-index", 1: "deleted-index", 2: "command", 3: "event", 4: "acl-out", 5: "acl-in", 9: "closed-index",
    }  # fmt: skip
    _MONITOR_FORMAT = 2001
    _EPOCH = 62_168_256_000_000_000
    """1970 in btsnoop's microseconds since the year 0."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.records: list[Record] = []
        self._arrived: queue.SimpleQueue[Record] = queue.SimpleQueue()
        self._readers: dict[int, _AirReader] = {}
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._draining = threading.Lock()
        self._drain: Callable[[], None] = lambda: None

    def start(self) -> None:
        """Starts the recording; every later packet is recorded."""
        monitor = _hci_socket(_CHANNEL_MONITOR)
        monitor.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMP, 1)
        monitor.setsockopt(socket.SOL_SOCKET, _SO_RCVBUFFORCE, 4 << 20)
        monitor.setblocking(False)
        self._stopping.clear()
        self._thread = threading.Thread(target=self._record, args=(monitor,), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stops the recording, which can still be read."""
        if self._thread:
            self._stopping.set()
            self._thread.join()
            self._thread = None

    def __enter__(self) -> Witness:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _record(self, monitor: socket.socket) -> None:
        with monitor, open(self.path, "wb") as file:
            file.write(b"btsnoop\0" + struct.pack(">II", 1, self._MONITOR_FORMAT))
            self._drain = partial(self._take_all, monitor, file)
            while not self._stopping.is_set():
                if select.select([monitor], [], [], 0.2)[0]:
                    self._drain()
                else:
                    file.flush()
            with self._draining:
                self._drain = lambda: None

    def _take_all(self, monitor: socket.socket, file: BinaryIO) -> None:
        """Reads all packets that the kernel has queued."""
        with self._draining:
            while True:
                try:
                    packet, ancillary, _, _ = monitor.recvmsg(4096, 64)
                except BlockingIOError:
                    return
                opcode, index, length = struct.unpack_from("<HHH", packet)
                data = packet[6 : 6 + length]
                stamp = int(time.time() * 1e6)
                for _, kind, value in ancillary:
                    if kind == _SO_TIMESTAMP:
                        seconds, microseconds = struct.unpack("qq", value)
                        stamp = seconds * 1_000_000 + microseconds
                head = struct.pack(">IIIIQ", length, length, index << 16 | opcode, 0, stamp + self._EPOCH)
                file.write(head + data)
                self._arrived.put(Record(stamp / 1e6, index, self._KINDS.get(opcode, "other"), data))

    def poll(self) -> list[Record]:
        """Returns all records so far, including the packets that the kernel has queued."""
        self._drain()
        while True:
            try:
                record = self._arrived.get_nowait()
            except queue.Empty:
                return self.records
            self.records.append(record)
            self._readers.setdefault(record.index, _AirReader()).read(record)

    def air(self, index: int = 0) -> Air:
        """The advertisements of the controller at `index` since the recording began."""
        self.poll()
        return self._readers.setdefault(index, _AirReader()).air

    def commands(self, index: int = 0) -> list[tuple[int, bytes]]:
        """The commands that the controller at `index` received, in order: opcode and parameters."""
        return [
            (struct.unpack_from("<H", each.data)[0], each.data[3:])
            for each in self.poll()
            if each.kind == "command" and each.index == index
        ]

    def wait_for(self, condition: Callable[[Air], Any], timeout: float = 120, index: int = 0) -> Air:
        """Waits until `condition` holds for the air of the controller at `index`; otherwise the test fails."""
        deadline = time.monotonic() + timeout
        while not condition(air := self.air(index)):
            if time.monotonic() > deadline:
                history = "\n".join(f"  {each}" for each in air.airings) or "  nothing"
                raise AssertionError(f"not within {timeout:g} s; on the air of hci{index} was\n{history}")
            time.sleep(0.1)
        return air

    def reports(self, index: int = 1, address: str | None = None) -> list[Report]:
        """The advertising reports of the scanner at `index`, byte by byte, including scan responses."""
        found: list[Report] = []
        for record in self.poll():
            if record.kind == "event" and record.index == index and record.data[0] == 0x3E:
                if record.data[2] == 0x02:
                    found += legacy_reports(record)
                elif record.data[2] == 0x0D:
                    found += extended_reports(record)
        return [each for each in found if address in (None, each.address)]

    def text(self, last: int = 60) -> str:
        """The last commands, events and data, without advertising reports, a line each: time, controller, kind and bytes."""
        kinds, reports = ("command", "event", "acl-out", "acl-in"), (b"\x3e\x02", b"\x3e\x0d")
        packets = [each for each in self.poll() if each.kind in kinds and each.data[:3:2] not in reports]
        return "\n".join(
            f"{each.time % 3600:11.6f} hci{each.index} {each.kind:8} {each.data[:40].hex()}" for each in packets[-last:]
        )

    def wait_for_report(self, condition: Callable[[Report], Any], timeout: float = 120, index: int = 1) -> Report:
        """Waits for a report that meets `condition`; a scan must be running."""
        return eventually("an advertising report", lambda: next(filter(condition, self.reports(index)), None), timeout)


def legacy_reports(record: Record) -> list[Report]:
    """The reports of an LE Advertising Report event."""
    names = ("ADV_IND", "ADV_DIRECT_IND", "ADV_SCAN_IND", "ADV_NONCONN_IND", "SCAN_RSP")
    found, offset = [], 4
    for _ in range(record.data[3]):
        kind, address_type, address, length = struct.unpack_from("<BB6sB", record.data, offset)
        offset += 9 + length
        data, rssi = record.data[offset - length : offset], struct.unpack_from("<b", record.data, offset)[0]
        offset += 1
        found.append(Report(record.time, names[kind], address_text(address), address_type, data, rssi))
    return found


def extended_reports(record: Record) -> list[Report]:
    """The reports of an LE Extended Advertising Report event."""
    names = {
        0x13: "ADV_IND", 0x15: "ADV_DIRECT_IND", 0x12: "ADV_SCAN_IND", 0x10: "ADV_NONCONN_IND", 0x1A: "SCAN_RSP",
        0x1B: "SCAN_RSP",
    }  # fmt: skip
    found, offset = [], 4
    for _ in range(record.data[3]):
        kind, address_type, address = struct.unpack_from("<HB6s", record.data, offset)
        rssi, length = struct.unpack_from("<b9xB", record.data, offset + 13)
        offset += 24 + length
        data = record.data[offset - length : offset]
        name = names.get(kind & 0x1F, "ADV_EXT_IND")
        found.append(Report(record.time, name, address_text(address), address_type, data, rssi))
    return found


# The other side --------------------------------------------------------------------------------------------------


class Phone:
    """A central on hci1: bleak over bluetoothd. Witness.reports() returns the exact bytes that it received."""

    def __init__(self, index: int = 1) -> None:
        self.index = index
        self.adapter = f"hci{index}"

    async def scan(self, seconds: float, service_uuids: Sequence[str] = ()) -> list[tuple[Any, Any]]:
        """Scans actively; returns every sighting in order, as bleak's BLEDevice and AdvertisementData."""
        seen: list[tuple[Any, Any]] = []
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            seen += await self._scan_once(min(left, self._ROUND), service_uuids)
        return seen

    async def find(
        self, match: Callable[[Any, Any], bool], timeout: float = 120, service_uuids: Sequence[str] = ()
    ) -> Any:
        """Scans until bleak's (BLEDevice, AdvertisementData) meet `match`; returns the BLEDevice."""
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            for device, advertisement in await self._scan_once(self._ROUND, service_uuids, match):
                if match(device, advertisement):
                    return device
        raise AssertionError(f"{self.adapter} did not find the device within {timeout:g} s")

    _ROUND = 1.5
    """btvirt reports an advertiser once in each scan, perhaps before the kernel passes reports on, so scans are repeated."""

    async def _scan_once(
        self, seconds: float, service_uuids: Sequence[str], until: Callable[[Any, Any], bool] | None = None
    ) -> list[tuple[Any, Any]]:
        from bleak import BleakScanner

        seen: list[tuple[Any, Any]] = []
        found = asyncio.Event()

        def saw(device: Any, advertisement: Any) -> None:
            seen.append((device, advertisement))
            if until and until(device, advertisement):
                found.set()

        async with BleakScanner(saw, list(service_uuids) or None, bluez={"adapter": self.adapter}):
            with suppress(TimeoutError):
                await asyncio.wait_for(found.wait(), seconds)
        return seen

    @asynccontextmanager
    async def connect(self, device: Any, timeout: float = 120) -> AsyncIterator[Any]:
        """A connection: bleak's BleakClient, with services discovered (`read_gatt_char`, `write_gatt_char`, …)."""
        from bleak import BleakClient
        from bleak.backends.bluezdbus.manager import get_global_bluez_manager

        path = device.details["path"]
        await asyncio.to_thread(self._connect_in_bluetoothd, path, timeout)
        # bluetoothd 5.66 does not always signal that Connected changed, so that bleak would see a lost connection.
        manager = await get_global_bluez_manager()
        manager._properties[path]["org.bluez.Device1"]["Connected"] = True
        async with BleakClient(device, timeout=timeout, bluez={"adapter": self.adapter}) as client:
            yield client

    def _connect_in_bluetoothd(self, path: str, timeout: float) -> None:
        dbus_call(path, "org.bluez.Device1.Connect")
        for name in ("Connected", "ServicesResolved"):
            eventually(f"{path} {name}", lambda: bluez_property(path, "Device1", name), timeout)

    def forget(self) -> None:
        """Makes bluetoothd forget every device of this adapter, and their GATT services."""
        path = f"/org/bluez/{self.adapter}"
        for device in devices(self.adapter):
            dbus_call(path, "org.bluez.Adapter1.RemoveDevice", "o", device)
        for cache in Path("/var/lib/bluetooth").glob("*/cache"):
            shutil.rmtree(cache, ignore_errors=True)
