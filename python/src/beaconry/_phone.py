# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Phones of a run: receivers within it, whose ranging, regions and connections are what is tested (docs/phones.md)."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Any, Union

from ._clock import ARRIVAL, steps_of
from ._connection import part
from ._errors import BeaconryError, ProgramError, UnmetExpectation
from ._journal import Named, name_of
from ._spelling import hint
from ._stream import EventStream
from ._values import Duration, Position, duration_text, seconds
from ._waits import Kind

if TYPE_CHECKING:
    from ._run import Run

Octets = Union[bytes, bytearray, str]
"""Bytes, or their hexadecimal digits."""

ITERATION = 60.0
"""The real time of a single wait of an iterator, in seconds; it waits again."""
LAST = 0.5
"""The real time in which a value arrives that the run has sent, after the last step of a wait in virtual time, in seconds."""


@dataclass(frozen=True)
class Ranged:
    """A beacon that the app of a phone ranges."""

    format: str
    """The format of its frame, such as `ibeacon`."""
    uuid: str
    """The proximity UUID, in upper case; `id1` of an AltBeacon. Empty for a format without one."""
    major: int
    """The major number; `id2` of an AltBeacon. 0 for a format without one."""
    minor: int
    """The minor number; `id3` of an AltBeacon. 0 for a format without one."""
    namespace: str | None
    """The namespace of an Eddystone-UID, in hexadecimal digits; None for another format."""
    instance: str | None
    """The instance of an Eddystone-UID, in hexadecimal digits; None for another format."""
    identity: str | None
    """The address of an Eddystone-URL, or the digits of an Eddystone-EID; None for another format."""
    rssi: int
    """The mean RSSI since the last report in dBm; 0 without packets."""
    packets: int
    """The number of packets since the last report."""
    accuracy: float
    """The estimated distance in metres; -1 if unknown."""
    proximity: str
    """`immediate`, `near`, `far` or `unknown`."""


class Phone:
    """A phone on the air of a run. In virtual time, methods that wait for a device advance the clock (see `Air.run`).

    All methods raise `RequestError` for what the run refuses.
    """

    def __init__(self, run: Run, name: str) -> None:
        self._run = run
        self.name = name
        """Its name on the air."""

    def __repr__(self) -> str:
        return f"<Phone {self.name}>"

    @property
    def status(self) -> dict[str, Any]:
        """Its settings, its position and its scan (docs/virtual-air.md, "Receivers")."""
        return dict(self._run.client.show_receiver(self.name))

    def ranged(self) -> list[Ranged]:
        """The last ranging report, the nearest first; empty before the first one, after a second of the run."""
        return [
            Ranged(
                each["format"], each.get("uuid", ""), each.get("major", 0), each.get("minor", 0), each.get("namespace"),
                each.get("instance"), each.get("identity"), each["rssi"], each["packets"], each["accuracy"], each["proximity"],
            )
            for each in self._run.client.show_ranging(self.name)["beacons"]
        ]  # fmt: skip

    # Regions --------------------------------------------------------------------------------------------------------

    def monitor(
        self, region: str, *, uuid: str | None = None, major: int | None = None, minor: int | None = None,
        namespace: str | None = None, instance: str | None = None, exit_after: Duration | None = None,
        notify_on_display: bool = False,
    ) -> None:  # fmt: skip
        """Monitors a region from now on, instead of one of the same name. An app has at most 20.

        A region has the iBeacons and AltBeacons with a `uuid`, and the `major` and `minor` numbers if they are given; or the
        Eddystone-UIDs with a `namespace` (20 hexadecimal digits), and the `instance` (12) if it is given, which the apps of an iPhone do
        not have. It is left `exit_after` the last packet; without that, after the time of the phone. With `notify_on_display`, the
        state is reported again each time that the screen is switched on inside it.
        """
        self._run.client.put_region(
            self.name, region, uuid=uuid, major=major, minor=minor, namespace=namespace, instance=instance,
            exit_after=None if exit_after is None else duration_text(exit_after), notify_on_display=notify_on_display or None,
        )  # fmt: skip

    def unmonitor(self, region: str) -> None:
        """Ends the monitoring of a region, without an event."""
        self._run.client.remove_region(self.name, region)

    @property
    def regions(self) -> dict[str, str]:
        """The states of its regions by their names, in the order in which they were added."""
        return {each["identifier"]: each["state"] for each in self._run.client.list_regions(self.name)["regions"]}

    def state(self, of: str) -> str:
        """The state of a region: `inside`, `outside`, or `unknown` before it is determined. Raises `ValueError` if there is none."""
        regions = self.regions
        if of not in regions:
            raise ValueError(f'the phone {self.name} has no region "{of}"; {hint(of, "regions", list(regions))}')
        return regions[of]

    # Settings -------------------------------------------------------------------------------------------------------

    def set_listening(self, is_listening: bool) -> None:
        """Has its app scan, or not."""
        self._run.client.change_receiver(self.name, listening=is_listening)

    def set_bluetooth(self, is_on: bool) -> None:
        """Switches its Bluetooth on or off."""
        self._run.client.change_receiver(self.name, bluetooth="on" if is_on else "off")

    def set_permission(self, is_granted: bool) -> None:
        """Grants its app the permission to find beacons, or denies it."""
        self._run.client.change_receiver(self.name, permission="granted" if is_granted else "denied")

    def set_hardware(
        self, *, rssi_offset: float | None = None, sensitivity: float | None = None, fast: float | None = None,
        antenna: str | None = None, carried: str | None = None, heading: float | None = None,
    ) -> None:  # fmt: skip
        """Changes its hardware, and how a person carries it (`carried="none"` puts it down); what is None stays (see `Air.phone`)."""
        self._run.client.change_receiver(
            self.name, rssi_offset=rssi_offset, sensitivity=sensitivity, fast=fast, antenna=antenna, carried=carried, heading=heading,
        )  # fmt: skip

    def set_screen(self, is_on: bool) -> None:
        """Switches its screen on or off: Android 13 and later scan less while it is off."""
        self._run.client.change_receiver(self.name, screen="on" if is_on else "off")

    def set_model(self, model: str, handset: str | None = None) -> None:
        """Has it receive like another preset of docs/phones.md, such as `iphone-locked` for an iPhone that was locked; `handset` as of
        `Air.phone`."""
        self._run.client.change_receiver(self.name, phone=model if handset is None else {"preset": model, "handset": handset})

    def move(self, at: Position) -> None:
        """Moves it to a position in metres, and ends its walk."""
        self._run.move(self, at)

    def remove(self) -> None:
        """Removes it from the air."""
        self._run.client.remove_receiver(self.name)

    # Connections ----------------------------------------------------------------------------------------------------

    def connect(
        self, device: str | Named, *, timeout: Duration = "10s", pair: bool = False, address_type: str | None = None
    ) -> PhoneConnection:
        """Connects to a beacon of the run or to an address, unless it is connected to it. At most 8 at a time.

        `timeout` is in the time of the run, at most 60 s. With `pair`, a read that needs encryption pairs, as a write does.
        `address_type` is `random` or `public`; without it, that of the last packet from the address.
        """
        name = name_of(device)
        record = self._run._wait_for(
            lambda: self._run.client.connect_device(
                self.name, name, address_type=address_type, pair=pair or None, timeout=duration_text(timeout)
            )
        )
        return PhoneConnection(self._run, self.name, name, record)

    @property
    def connections(self) -> list[dict[str, Any]]:
        """The devices to which it is connected: `address`, `addressType`, `device`, `mtu`, `since`."""
        return list(self._run.client.list_connections(self.name)["connections"])


class PhoneConnection:
    """A connection of a phone, which ends with `disconnect()`, the end of `with`, or when the device ends it.

    Characteristics are named by their UUID, or by the handle of their value. All methods raise `RequestError` for what the run or
    the device refuses; its `att_error` is the device's error.
    """

    def __init__(self, run: Run, phone: str, device: str, record: dict[str, Any]) -> None:
        self._run = run
        self._phone = phone
        self._device = device
        self.address = str(record["address"])
        """The address of the device."""
        self.mtu = int(record["mtu"])
        """The ATT_MTU at its beginning, in bytes."""

    def __repr__(self) -> str:
        return f"<PhoneConnection {self._phone} to {self._device}>"

    def services(self) -> list[dict[str, Any]]:
        """The services of the device with their characteristics and descriptors, as docs/phones.md describes them."""
        return list(self._run._wait_for(lambda: self._run.client.list_services(self._phone, self._device))["services"])

    def read(self, characteristic: str) -> bytes:
        """The value of a characteristic."""
        answer = self._run._wait_for(lambda: self._run.client.read_characteristic(self._phone, self._device, characteristic))
        return bytes.fromhex(answer["value"])

    def write(self, characteristic: str, value: Octets, *, response: bool = True) -> None:
        """Writes the value of a characteristic: bytes or hexadecimal digits, at most 512 bytes.

        Without `response`, the device does not acknowledge it, and it has to fit into one packet.
        """
        text = value if isinstance(value, str) else value.hex()
        self._run._wait_for(
            lambda: self._run.client.write_characteristic(self._phone, self._device, characteristic, text, response=response)
        )

    def subscribe(self, characteristic: str) -> Subscription:
        """Subscribes to the notifications or indications of a characteristic: no value after the return is missed."""
        path = f"/v1/receivers/{part(self._phone)}/connections/{part(self._device)}/notifications"
        query = {"characteristic": characteristic}
        _ = self._run.client
        stream = self._run._wait_for(lambda: self._run._connection.stream(path, query=query))
        return Subscription(self._run, self._phone, self._device, characteristic, stream)

    def disconnect(self) -> None:
        """Ends the connection, or the attempt to connect."""
        self._run._wait_for(lambda: self._run.client.disconnect_device(self._phone, self._device))

    def __enter__(self) -> PhoneConnection:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        # The device may have ended it.
        if any(each["address"] == self.address for each in self._run.client.list_connections(self._phone)["connections"]):
            self.disconnect()


class Subscription(Iterator[bytes]):
    """The values that a device notifies or indicates. It ends with `cancel()`, the end of `with`, or the connection.

    As an iterator it yields each value as it comes, until the end. Not for several threads at once.
    """

    def __init__(self, run: Run, phone: str, device: str, characteristic: str, stream: EventStream) -> None:
        self._run = run
        self._phone = phone
        self._device = device
        self.characteristic = characteristic
        """The UUID or the handle, as it was given."""
        self._stream = stream
        self._pending: list[bytes] = []

    def __repr__(self) -> str:
        return f"<Subscription to {self.characteristic} of {self._device}>"

    def next(self, within: Duration = "10s") -> bytes:
        """The next value, which may have come already; else waits for it.

        `within` is in the time of the run: in virtual time, the clock.advances until the value or the time limit. Raises
        `UnmetExpectation` when the time is over, or the subscription has ended.
        """
        clock, whole = self._run.clock, seconds(within)
        try:
            if not self._take(0 if clock.is_virtual else whole / clock.rate) and clock.is_virtual:
                for step in steps_of(whole):
                    clock.advance(step)
                    # What the run sends before this answer arrives before it, or at once.
                    self._run._connection.perform("GET", "/v1/version", is_probe=True)
                    if self._take(ARRIVAL):
                        break
                else:
                    self._take(LAST)
        except EOFError:
            raise UnmetExpectation(f"no value of {self.characteristic}: the subscription has ended") from None
        if not self._pending:
            limit = within if isinstance(within, str) else f"{within} s"
            raise UnmetExpectation(f"{self._device} has sent no value of {self.characteristic} within {limit}")
        return self._pending.pop(0)

    def arrived(self) -> list[bytes]:
        """The values that have come and were not read yet, without waiting."""
        with contextlib.suppress(EOFError):
            self._take(0)
        found, self._pending = self._pending, []
        return found

    def __iter__(self) -> Subscription:
        return self

    def __next__(self) -> bytes:
        try:
            if not self._pending:
                self._run._wait_for(self._wait)
        except EOFError:
            raise StopIteration from None
        return self._pending.pop(0)

    def _wait(self) -> None:
        waits = self._run._connection.waits
        while not self._take(0):
            with waits.of(self._stream.what, self._stream.socket, Kind.STREAM):
                self._stream.wait(ITERATION)

    def _take(self, patience: float) -> bool:
        """Waits for values, for seconds of real time. Whether there are any. Raises `EOFError` behind the last one."""
        end = None
        while not self._pending:
            for event in self._stream.take():
                if "lost" in event:
                    raise ProgramError(f'{event["lost"]} values of {self.characteristic} were lost: they were read too slowly')
                self._pending.append(bytes.fromhex(event["value"]))
            if self._pending or patience <= 0:
                break
            # Comments of the stream may arrive, too.
            end = monotonic() + patience if end is None else end
            patience = end - monotonic()
            if patience > 0:
                self._stream.wait(patience)
        return bool(self._pending)

    def cancel(self) -> None:
        """Unsubscribes from the characteristic; returns when the device has it."""
        try:
            self._run._wait_for(lambda: self._run.client.unsubscribe(self._phone, self._device, self.characteristic))
        finally:
            self._stream.close()

    def __enter__(self) -> Subscription:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        # It may have ended with the connection.
        try:
            self._take(0)
            self.cancel()
        except (EOFError, BeaconryError):
            self._stream.close()
