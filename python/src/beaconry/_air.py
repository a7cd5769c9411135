# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""A run of the program, its beacons and its receivers."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import threading
import time as real_time
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Literal, Union

from . import _program
from ._client import Client
from ._connection import Connection, part
from ._errors import BeaconryError, ProgramError
from ._folder import Folder
from ._journal import Event, Journal, Named, Pause, name_of
from ._values import Duration, IBeacon, Position, definition, duration_text, metres, metres_of_path, seconds, setting

Time = Literal["wall", "virtual"]
ProfileSource = Union[str, "os.PathLike[str]", Mapping[str, Any]]
"""The path of a profile, or its content."""

START = 60.0
"""Time limit for the start of the program, in seconds of real time."""
END = 20.0
"""Time limit for the end of the program, in seconds of real time."""
DELIVERY = 60.0
"""Time limit for events of a run in virtual time to arrive, in seconds of real time."""
STEP = 0.1
"""The shortest step of an expectation in virtual time, in seconds."""


class Clock:
    """The clock of a run."""

    def __init__(self, client: Client, is_virtual: bool, rate: float) -> None:
        self._client = client
        self.is_virtual = is_virtual
        """Whether the clock stands still between calls of `advance`."""
        self.rate = rate
        """Seconds of the run in a second of real time; 1 in virtual time."""
        self._last = 0

    @property
    def elapsed(self) -> float:
        """Seconds of the run since its start."""
        return float(self._client.show_clock()["elapsed"])

    def advance(self, duration: Duration) -> None:
        """Lets time pass: in virtual time at once, else by waiting."""
        if self.is_virtual:
            self._client.advance_clock(duration_text(duration))
        else:
            real_time.sleep(seconds(duration) / self.rate)

    def steps(self, whole: float) -> Iterator[Pause]:
        """Lets time pass in steps; yields the wait for events that follows each."""
        if not self.is_virtual:
            yield Pause(whole / self.rate)
            return
        # Events that have arrived need no request: the run may have ended. Others may be on their way.
        yield Pause(0)
        yield self._delivery
        step, left = max(STEP, whole / 100), whole
        while left > 0:
            self.advance(min(step, left))
            left -= step
            yield self._delivery

    @property
    def _delivery(self) -> Pause:
        """Until all events of the run so far have arrived. The clock stands still, so their number does not change."""
        self._last = max(self._last, int(self._client.journal(since=self._last)["last"]))
        return Pause(DELIVERY, self._last)


class _Steps:
    """The steps in which expectations let time pass.

    The journal has these and not the air, which would live as long as the threads that add events.
    """

    def __init__(self) -> None:
        self.clock: Clock | None = None
        """It is there when the run is ready."""

    def __call__(self, whole: float) -> Iterator[Pause]:
        return self.clock.steps(whole) if self.clock else iter((Pause(whole),))


class Beacon:
    """A beacon of an air."""

    def __init__(self, air: Air, name: str) -> None:
        self._air = air
        self.name = name
        """Its id in the profile."""

    def __repr__(self) -> str:
        return f"<Beacon {self.name}>"

    @property
    def status(self) -> dict[str, Any]:
        """Its settings, and what is on the air (docs/events.md, "A beacon's status")."""
        return dict(self._air.client.show_beacon(self.name))

    @property
    def address(self) -> str:
        """The address with which it advertises."""
        return str(self.status["effective"]["address"])

    def set(self, **values: object) -> None:
        """Changes settings, all or none; underscores are hyphens in their names (`tx_power="-6dBm"`)."""
        texts = {key.replace("_", "-"): setting(value) for key, value in values.items()}
        self._air.client.change_beacon(self.name, settings=texts)

    def enable(self) -> None:
        """Switches it on."""
        self._air.client.change_beacon(self.name, enabled=True)

    def disable(self) -> None:
        """Switches it off, as if its battery were removed."""
        self._air.client.change_beacon(self.name, enabled=False)

    def mute(self, duration: Duration | None = None) -> None:
        """Nothing that it sends is received, for a duration or until `unmute`."""
        self._air.client.change_beacon(self.name, muted=True if duration is None else duration_text(duration))

    def unmute(self) -> None:
        """Ends the muting."""
        self._air.client.change_beacon(self.name, muted=False)

    def disconnect(self, peer: str | Named | None = None, reason: str | None = None) -> None:
        """Ends its connections, all or that with one peer, with a reason such as `supervision-timeout`."""
        self._air.client.disconnect(self.name, peer=None if peer is None else name_of(peer), reason=reason)

    def move(self, at: Position) -> None:
        """Moves it to a position in metres."""
        self._air.move(self, at)


class Receiver:
    """A server on an air: a host that connects to it gets a controller there (HCI, H4 over TCP)."""

    def __init__(self, air: Air, name: str, port: int) -> None:
        self._air = air
        self.name = name
        """The name of its host on the air."""
        self.port = port
        """The TCP port on 127.0.0.1."""

    def __repr__(self) -> str:
        return f"<Receiver {self.name} at {self.h4}>"

    @property
    def h4(self) -> str:
        """`127.0.0.1:PORT`."""
        return f"127.0.0.1:{self.port}"

    @property
    def transport(self) -> str:
        """Its name for Bumble and for `--radio` of `beaconry`: `tcp-client:127.0.0.1:PORT`."""
        return f"tcp-client:{self.h4}"

    @property
    def hosts(self) -> list[str]:
        """The names of the hosts that are connected."""
        for record in self._air.client.list_receivers()["receivers"]:
            if record["name"] == self.name and "hosts" in record:
                return list(record["hosts"])
        raise BeaconryError(f"the receiver {self.name} was removed")

    def move(self, at: Position) -> None:
        """Moves it to a position in metres."""
        self._air.move(self, at)

    def remove(self) -> None:
        """Removes it, and its hosts from the air."""
        self._air.client.remove_receiver(self.name)


class Air:
    """A virtual air: a run of `beaconry` in a process of its own, with free ports, which ends with `close()`, at the
    latest with the last reference to the air or with this process.

    `profile` is the path or the content of a profile whose beacons are there from the start. In `wall` time, `rate` is
    the number of seconds of the run in a second of real time. In `virtual` time the clock stands still, `clock.advance`
    and expectations let it run, and there are no receivers, because hosts have clocks of their own. The same `seed`
    repeats the random numbers of the air. `physics` is `free`, `hall`, `office`, `home` or `obstructed`. With
    `kernel_adapter`, the kernel has a controller of the air as `adapter`, which needs /dev/vhci and the rights to it.
    `options` are further options of `beaconry run`. Raises `ProgramError` if the program does not start.
    """

    def __init__(
        self, profile: ProfileSource | None = None, *, time: Time = "wall", rate: float = 1, seed: int | None = None,
        physics: str | None = None, kernel_adapter: bool = False, program: str | os.PathLike[str] | None = None,
        options: Sequence[str] = (),
    ) -> None:  # fmt: skip
        if time not in ("wall", "virtual"):
            raise ValueError(f'"{time}" is not a time; write wall or virtual')
        if time == "virtual" and (rate != 1 or kernel_adapter):
            raise ValueError("virtual time has no rate, and no controller for the kernel; use time=\"wall\"")
        self._program = _program.find_program(program)
        # The path of a socket has at most 107 bytes, which other folders may exceed.
        self._temporary = Folder()
        self._folder = self._temporary.path
        self._definitions: dict[str, dict[str, Any]] = {}
        self._write_profile()
        self._lock = threading.Lock()
        command = [str(self._program), "run", *self._profiles(profile), *self._options(time, rate, seed, physics, kernel_adapter), *options]
        environment = {key: value for key, value in os.environ.items() if not key.startswith("BEACONRY_")}
        environment.update(XDG_RUNTIME_DIR=str(self._folder), XDG_STATE_HOME=str(self._folder))
        self._connection: Connection | None = None
        self._client: Client | None = None
        self._steps = _Steps()
        self.journal = Journal(self._steps)
        """The events of the run."""
        self._errors: list[bytes] = []
        self._is_stopped = False
        self._process = _program.start(command, environment, self._folder)
        self._finalizer = weakref.finalize(self, _release, self._process, self._temporary)
        _airs.add(self)
        self._threads = self._start_readers(self._process, self.journal, self._errors)
        try:
            self._wait_until_ready()
            self._connection = Connection(str(self._folder / "control.sock"))
        except BaseException:
            self._end_process()
            self._finalizer()
            raise
        self._client = Client(self._connection)
        self._connection_finalizer = weakref.finalize(self, self._connection.close)
        self._steps.clock = Clock(self._client, time == "virtual", rate)

    # Start ----------------------------------------------------------------------------------------------------------

    def _profiles(self, profile: ProfileSource | None) -> list[str]:
        own = str(self._folder / "air.yaml")
        if profile is None:
            return [own]
        if isinstance(profile, Mapping):
            given = self._folder / "given.yaml"
            # JSON is YAML as well.
            given.write_text(json.dumps({"profile": "given", "beacons": [], **profile}))
            return [str(given), own]
        if not os.path.isfile(profile):
            raise BeaconryError(f"the profile {os.fspath(profile)} is not a file")
        return [os.path.abspath(profile), own]

    def _options(self, time: Time, rate: float, seed: int | None, physics: str | None, kernel_adapter: bool) -> list[str]:
        options = ["--radio", "virtual", "--ephemeral", "--json", "--control", str(self._folder / "control.sock")]
        options += ["--capture", str(self._folder / "capture.btsnoop")]
        if time == "virtual":
            options += ["--rate", "manual", "--hci-server", "none"]
        else:
            options += ["--hci-server", "tcp:127.0.0.1:0"]
            if rate != 1:
                options += ["--rate", f"{rate:g}"]
        if kernel_adapter:
            options += ["--hci-server", "vhci"]
        if seed is not None:
            options += ["--seed", str(seed)]
        if physics is not None:
            options += ["--physics", physics]
        return options

    def _write_profile(self) -> None:
        profile = {"profile": "air", "beacons": list(self._definitions.values())}
        (self._folder / "air.yaml").write_text(json.dumps(profile, indent=2))

    @staticmethod
    def _start_readers(process: subprocess.Popen[bytes], journal: Journal, errors: list[bytes]) -> list[threading.Thread]:
        # Without a reference to the air, which would keep it alive.
        assert process.stdout and process.stderr

        def read_events(stream: IO[bytes]) -> None:
            with stream:
                for line in stream:
                    with contextlib.suppress(ValueError):
                        journal.add(json.loads(line))
            journal.end()

        def read_errors(stream: IO[bytes]) -> None:
            with stream:
                for line in stream:
                    errors.append(line)

        threads = [
            threading.Thread(target=read_events, args=(process.stdout,), daemon=True),
            threading.Thread(target=read_errors, args=(process.stderr,), daemon=True),
        ]
        for thread in threads:
            thread.start()
        return threads

    def _wait_until_ready(self) -> None:
        try:
            self.journal.expect("ready", within=START)
        except AssertionError:
            self._end_process()
            raise ProgramError(f"beaconry did not start: {self._last_error}") from None

    @property
    def _last_error(self) -> str:
        if failures := self.journal.find("error"):
            return "; ".join(str(failure.get("message")) for failure in failures)
        return b"".join(self._errors).decode(errors="replace").strip() or f"exit code {self._process.poll()}"

    # Beacons and receivers ------------------------------------------------------------------------------------------

    @property
    def client(self) -> Client:
        """All operations of a run as methods (docs/http.md)."""
        if self._client is None or self._is_stopped:
            raise ProgramError("the air is closed")
        return self._client

    def request(self, method: str, path: str, body: Mapping[str, Any] | None = None, **query: Any) -> Any:
        """Sends a request of the HTTP API to the run (docs/http.md); returns what its answer contains.

        Raises `RequestError` if the run refuses it, `ProgramError` if the run has ended.
        """
        if self._connection is None or self._is_stopped:
            raise ProgramError("the air is closed")
        return self._connection.perform(method, path, query=query, body=body)

    def beacon(
        self, name: str, *, ibeacon: IBeacon | None = None, at: Position | None = None, device: str | None = None, **keys: Any,
    ) -> Beacon:  # fmt: skip
        """Adds a beacon, and waits until it is on the air.

        With `ibeacon`, its device is `ibeacon`, which only advertises, or `device="iot-design-shop"`, which apps configure.
        `keys` are those of the profile (docs/profiles.md), with underscores for hyphens: `interval="20ms"`,
        `format="eddystone-url", url="https://example.com"`. Raises `RequestError` for a value that is not valid.
        """
        with self._lock:
            if name in self._definitions:
                raise ValueError(f'there is a beacon "{name}" already')
            mark = self.journal.mark
            self._definitions[name] = definition(name, ibeacon, at, device, keys)
            self._write_profile()
            try:
                self.client.reload()
            except BeaconryError:
                del self._definitions[name]
                self._write_profile()
                raise
        beacon = Beacon(self, name)
        # A schedule may have it off.
        if "schedule" not in keys and not self.journal.arrival(
            "advertising-started", beacon=beacon, since=mark, patience=START
        ):
            raise BeaconryError(f'the beacon "{name}" is not on the air; the last events are\n' + "\n".join(self.journal.lines(10)))
        return beacon

    def remove(self, beacon: Beacon) -> None:
        """Removes a beacon that was added with `beacon`."""
        with self._lock:
            if beacon.name not in self._definitions:
                raise ValueError(f'"{beacon.name}" is not a beacon that was added to this air')
            removed = self._definitions.pop(beacon.name)
            self._write_profile()
            try:
                self.client.reload()
            except BeaconryError:
                self._definitions[beacon.name] = removed
                self._write_profile()
                raise

    def receiver(self, name: str, *, at: Position | None = None) -> Receiver:
        """Adds a receiver with a free port, at a position in metres, or 1 m from every beacon.

        Raises `RequestError` if something on the air has the name, and in virtual time.
        """
        position = None if at is None else metres(at)
        added = self.client.add_receiver(name, position=position)
        return Receiver(self, name, int(added["port"]))

    def move(self, thing: str | Named, at: Position) -> None:
        """Moves a beacon, a receiver or a host to a position in metres, and ends its walk."""
        self.client.move(name_of(thing), metres(at))

    def walk(self, thing: str | Named, path: Iterable[Position], over: Duration) -> None:
        """Moves a beacon, a receiver or a host along a path, from now on, at one speed.

        Returns at once: `clock.advance(over)` lets the time pass.
        """
        self.client.walk(name_of(thing), path=metres_of_path(path), over=duration_text(over))

    def link(self, beacon: str | Named, receiver: str | Named, **values: object) -> None:
        """Overrides the path between a beacon and a host that is connected: `rssi=-80`, `loss=20`, `packet_loss=30` (in per
        cent) or `blocked=True`; without values, ends the override."""
        texts = {key.replace("_", "-"): setting(value) for key, value in values.items()}
        path = f"/v1/links/{part(name_of(beacon))}/{part(name_of(receiver))}"
        self.request("PUT" if texts else "DELETE", path, texts or None)

    # What there is --------------------------------------------------------------------------------------------------

    @property
    def clock(self) -> Clock:
        """The clock of the run."""
        if self._steps.clock is None:
            raise ProgramError("the air is closed")
        return self._steps.clock

    @property
    def _ready(self) -> Event:
        return self.journal.find("radio-ready")[0]

    @property
    def program(self) -> Path:
        """The path of the program, for commands of tests such as `[air.program, "expect", …]`."""
        return self._program

    @property
    def seed(self) -> int:
        """The seed of the run, which repeats it."""
        return int(self._ready["seed"])

    @property
    def h4(self) -> str:
        """`127.0.0.1:PORT` of a server without a position: its hosts are 1 m from every beacon. In wall time only."""
        for server in self._ready.get("servers", []):
            if server.startswith("tcp:"):
                return str(server.removeprefix("tcp:"))
        raise BeaconryError("an air in virtual time has no server for hosts; use time=\"wall\"")

    @property
    def adapter(self) -> str:
        """The kernel's name of the controller of `kernel_adapter`, such as `hci1`."""
        for server in self._ready.get("servers", []):
            if server.startswith("vhci:"):
                return str(server.removeprefix("vhci:"))
        raise BeaconryError("this air has no controller for the kernel; use kernel_adapter=True")

    # End ------------------------------------------------------------------------------------------------------------

    def stop(self) -> None:
        """Ends the run; the journal and `save` still work. Raises `ProgramError` if it has not ended well."""
        if self._is_stopped:
            return
        deadline = real_time.monotonic() + END
        if self._connection is not None and self._process.poll() is None:
            with contextlib.suppress(BeaconryError):
                self._connection.perform("POST", "/v1/stop", patience=END)
        self._is_stopped = True
        try:
            code = self._process.wait(max(0.0, deadline - real_time.monotonic()))
        except subprocess.TimeoutExpired:
            code = None
        self._end_process()
        if code is None:
            raise ProgramError(f"beaconry did not end within {END:g} s, and was killed")
        if code != 0:
            raise ProgramError(f"beaconry ended with exit code {code}: {self._last_error}")

    def _end_process(self) -> None:
        if self._connection is not None:
            self._connection.close()
        _program.kill(self._process)
        for thread in self._threads:
            thread.join(10)

    def save(self, folder: str | os.PathLike[str]) -> Path:
        """Writes the events (`events.jsonl`), the HCI traffic (`capture.btsnoop`), the beacons (`air.yaml`) and the messages
        (`messages.txt`) into a folder, and returns it. The capture contains keys of pairings."""
        target = Path(folder)
        target.mkdir(parents=True, exist_ok=True)
        (target / "events.jsonl").write_text("".join(json.dumps(event) + "\n" for event in self.journal.events))
        (target / "messages.txt").write_bytes(b"".join(self._errors))
        for name in ("capture.btsnoop", "air.yaml", "given.yaml"):
            if (self._folder / name).exists():
                shutil.copyfile(self._folder / name, target / name)
        return target

    def close(self) -> None:
        """Ends the run, and removes its files. May be called again."""
        try:
            self.stop()
        finally:
            self._finalizer()

    def __enter__(self) -> Air:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


_airs: weakref.WeakSet[Air] = weakref.WeakSet()


def _release(process: subprocess.Popen[bytes], folder: Folder) -> None:
    """Ends the program of an air, and removes its files."""
    _program.kill(process)
    folder.remove()


def _leave() -> None:
    """Leaves the airs to the parent after a fork, so that they end with it."""
    for air in list(_airs):
        air._finalizer.detach()
        _program.leave(air._process)
        air._temporary.leave()


os.register_at_fork(after_in_child=_leave)
