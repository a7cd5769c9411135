# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""A run of the program."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import threading
import time as real_time
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Literal, TypeVar, Union

from . import _program
from ._client import Client
from ._clock import LIMIT, Clock, Steps
from ._connection import Connection, part
from ._errors import BeaconryError, ProgramError, RequestError
from ._folder import Folder
from ._journal import Event, Journal, Named, name_of
from ._members import Beacon, Receiver
from ._phone import Phone
from ._record import Record, Session
from ._truth import Truth
from ._values import Duration, IBeacon, Position, definition, duration_text, metres, metres_of_path, setting

Time = Literal["wall", "virtual"]
ProfileSource = Union[str, "os.PathLike[str]", Mapping[str, Any]]
"""The path of a profile, or its content."""
Value = TypeVar("Value")
Self = TypeVar("Self", bound="Run")

START = 60.0
"""Time limit for the start of the program, in seconds of real time."""
END = 20.0
"""Time limit for the end of the program, in seconds of real time."""
STANDS_STILL = "its clock stands still: make the request in run(...), or advance the clock in another thread"
RECEIVER = 'write time="wall", or use phone(...), which receives within the run'
MOST_NAMES = 4096
"""The number of beacons of a profile up to which the names are read at the end of a run."""
UNKNOWN = 64
"""The exit code for a name that nothing has."""


class Run:
    """A run of the program in a process of its own, with beacons, receivers and phones, a clock and a journal.

    It ends with `close()`, at the latest with the last reference to it or with this process.
    """

    KIND = "run"
    """What it is, in messages."""
    COMMAND = "run"
    """The command of the program."""

    def __init__(
        self, profile: ProfileSource | None, *, time: Time, rate: float, seed: int | None, physics: str | None,
        program: str | os.PathLike[str] | None, options: Sequence[str],
    ) -> None:  # fmt: skip
        self._program = _program.find_program(program or Session.program)
        self._hints: dict[str, str] = {}
        # The path of a socket has at most 107 bytes, which other folders may exceed.
        self._temporary = Folder()
        self._folder = self._temporary.path
        self._definitions: dict[str, dict[str, Any]] = {}
        self._write_profile()
        self._lock = threading.Lock()
        settings = self._settings(rate, Session.seed if seed is None else seed, physics)
        command = [str(self._program), self.COMMAND, *self._profiles(profile), *settings, *options]
        environment = {key: value for key, value in os.environ.items() if not key.startswith("BEACONRY_")}
        environment.update(XDG_RUNTIME_DIR=str(self._folder), XDG_STATE_HOME=str(self._folder))
        self._connection = Connection(str(self._folder / "control.sock"))
        if time == "virtual":
            self._connection.hint = STANDS_STILL
        self._client: Client | None = None
        self._steps = Steps()
        self.journal = Journal(self._steps)
        """The events of the run."""
        self._errors: list[bytes] = []
        self._is_stopped = False
        self._process = _program.start(command, environment, self._folder)
        self._record = Record(self.KIND, self.journal, self._errors, self._folder, seed is not None)
        self._finalizer = weakref.finalize(self, _release, self._process, self._temporary, self._record)
        self._connection_finalizer = weakref.finalize(self, self._connection.close)
        _runs.add(self)
        self._threads: list[threading.Thread] = []
        self._read(self._process.stderr, self._errors.append)
        client = Client(self._connection)
        try:
            self._wait_until_ready()
        except BaseException:
            self._end_process()
            self._finalizer()
            raise
        self._client = client
        self._steps.clock = Clock(client, self._connection, time == "virtual", rate)
        self.journal.names.ask = lambda field, name: client.wait([{"match": {field: name}, "atLeast": 0}])
        if Session.started:
            Session.started(self._record)

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

    def _settings(self, rate: float, seed: int | None, physics: str | None) -> list[str]:
        """The options of the command."""
        options = ["--radio", "virtual", "--ephemeral", "--json", "--control", str(self._folder / "control.sock")]
        options += ["--capture", str(self._folder / "capture.btsnoop")]
        if rate != 1:
            options += ["--rate", f"{rate:g}"]
        if seed is not None:
            options += ["--seed", str(seed)]
        if physics is not None:
            options += ["--physics", physics]
        return options

    def _write_profile(self) -> None:
        profile = {"profile": "air", "beacons": list(self._definitions.values())}
        (self._folder / "air.yaml").write_text(json.dumps(profile, indent=2))

    def _read(self, stream: IO[bytes] | None, take: Callable[[bytes], None], end: Callable[[], None] = lambda: None) -> None:
        """Reads lines in a thread, whose functions have no reference to the run, which would keep it alive."""
        assert stream

        def read(stream: IO[bytes]) -> None:
            with stream:
                for line in stream:
                    take(line)
            end()

        self._threads.append(threading.Thread(target=read, args=(stream,), daemon=True))
        self._threads[-1].start()

    def _wait_until_ready(self) -> None:
        raise NotImplementedError

    @property
    def _last_error(self) -> str:
        if failures := self.journal.find("error"):
            return "; ".join(str(failure.get("message")) for failure in failures)
        return b"".join(self._errors).decode(errors="replace").strip() or f"exit code {self._process.poll()}"

    # Beacons, receivers and phones ----------------------------------------------------------------------------------

    @property
    def client(self) -> Client:
        """All operations of a run as methods (docs/http.md)."""
        if self._client is None or self._is_stopped:
            raise ProgramError(f"the {self.KIND} is closed")
        return self._client

    def request(self, method: str, path: str, body: Mapping[str, Any] | None = None, **query: Any) -> Any:
        """Sends a request of the HTTP API to the run (docs/http.md); returns what its answer contains.

        Raises `RequestError` if the run refuses it, `ProgramError` if the run has ended.
        """
        _ = self.client
        return self._connection.perform(method, path, query=query, body=body)

    def beacon(
        self, name: str, /, *, ibeacon: IBeacon | None = None, at: Position | None = None, device: str | None = None, **keys: Any,
    ) -> Beacon:  # fmt: skip
        """Adds a beacon, and waits until it is on the air, or waits for its owner. `name` is its id in the run.

        With `ibeacon`, its device is `ibeacon`, which only advertises, or `device="iot-design-shop"`, which apps configure.
        `keys` are those of the profile (docs/profiles.md), with underscores for hyphens: `interval="20ms"`, `name="Lock"`,
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
        arrived = "schedule" in keys or self.journal.arrival(
            ("advertising-started", "advertising-refused", "waiting"), beacon=beacon, since=mark, patience=START
        )
        if not arrived or (isinstance(arrived, dict) and arrived["event"] == "advertising-refused"):
            raise BeaconryError(f'the beacon "{name}" is not on the air; the last events are\n' + "\n".join(self.journal.lines(10)))
        return beacon

    def remove(self, beacon: Beacon) -> None:
        """Removes a beacon that was added with `beacon`."""
        with self._lock:
            if beacon.name not in self._definitions:
                raise ValueError(f'"{beacon.name}" is not a beacon that was added to this {self.KIND}')
            removed = self._definitions.pop(beacon.name)
            self._write_profile()
            try:
                self.client.reload()
            except BeaconryError:
                self._definitions[beacon.name] = removed
                self._write_profile()
                raise

    def receiver(
        self, name: str, *, at: Position | None = None,
        rssi_offset: float | None = None, sensitivity: float | None = None, fast: float | None = None,
        antenna: str | None = None, carried: str | None = None, heading: float | None = None,
    ) -> Receiver:  # fmt: skip
        """Adds a receiver with a free port, at a position in metres, or 1 m from every beacon; its hardware as of `phone`.

        Raises `RequestError` if something on the air has the name, and in virtual time.
        """
        position = None if at is None else metres(at)
        try:
            added = self.client.add_receiver(
                name, position=position, rssi_offset=rssi_offset, sensitivity=sensitivity, fast=fast, antenna=antenna, carried=carried,
                heading=heading,
            )  # fmt: skip
        except RequestError as error:
            if not self.clock.is_virtual:
                raise
            hint = self._hints.get("receiver", RECEIVER)
            raise RequestError(
                f"virtual time has no receivers, since hosts of other processes have clocks of their own; {hint}",
                error.exit_code, code=error.code,
            ) from None  # fmt: skip
        return Receiver(self, name, int(added["port"]))

    def phone(
        self, name: str, *, model: str = "exact", handset: str | None = None, at: Position | None = None,
        rssi_offset: float | None = None, sensitivity: float | None = None, fast: float | None = None,
        antenna: str | None = None, carried: str | None = None, heading: float | None = None,
    ) -> Phone:  # fmt: skip
        """Adds a phone, which scans and reports from now on, at a position in metres, or 1 m from every beacon.

        `model` is a preset of docs/phones.md, such as `iphone` or `android-13-low-power`; `exact` receives everything. `handset`, such
        as `pixel-4`, has the RSSI offset of that phone. The others are its hardware, and how a person carries it: `rssi_offset` in dB,
        `sensitivity` in dBm, `fast` in dB, `antenna` (`drawn`, `isotropic`), `carried` (`hand`, `pocket`) and `heading` in degrees
        clockwise from north. Raises `RequestError` for a name that is in use, a model that there is not, or a value out of range.
        """
        self.client.put_receiver(
            name, if_none_match="*", phone=model if handset is None else {"preset": model, "handset": handset},
            position=None if at is None else metres(at), rssi_offset=rssi_offset, sensitivity=sensitivity, fast=fast,
            antenna=antenna, carried=carried, heading=heading,
        )  # fmt: skip
        return Phone(self, name)

    def move(self, thing: str | Named, at: Position) -> None:
        """Moves a beacon, a receiver, a phone or a host to a position in metres, and ends its walk."""
        self.client.move(name_of(thing), metres(at))

    def walk(self, thing: str | Named, path: Iterable[Position], over: Duration) -> None:
        """Moves a beacon, a receiver, a phone or a host along a path, from now on, at one speed.

        Returns at once: `clock.advance(over)` lets the time pass.
        """
        self.client.walk(name_of(thing), path=metres_of_path(path), over=duration_text(over))

    def truth(self, receiver: str | Named) -> Truth:
        """Where a phone or a receiver really is: its position, its room, and its distance to each beacon.

        Raises `RequestError` for a name that no receiver has.
        """
        return Truth.of(self.client.show_truth(name_of(receiver)))

    def link(self, beacon: str | Named, receiver: str | Named, /, **values: object) -> None:
        """Overrides the path between a beacon and a phone, or a host that is connected: `rssi=-80`, `loss=20`, `packet_loss=30` (in
        per cent) or `blocked=True`, and `for_="10s"` until its end; without values, ends the override.

        Raises `RequestError` for a name that nothing on the air has, such as that of a receiver before its host has joined.
        """
        texts = {key.rstrip("_").replace("_", "-"): setting(value) for key, value in values.items()}
        names = [name_of(beacon), name_of(receiver)]
        try:
            self.request("PUT" if texts else "DELETE", f"/v1/links/{part(names[0])}/{part(names[1])}", texts or None)
        except RequestError as error:
            served = self.client.list_receivers()["receivers"] if error.exit_code == UNKNOWN else []
            for each in served:
                if each["name"] in names and not each["joined"] and f'"{each["name"]}"' in str(error):
                    raise RequestError(
                        f'no host has joined the receiver {each["name"]} (127.0.0.1:{each.get("port")}) yet, so there is no path to it; '
                        f'start its host, and wait for it: journal.expect("host-joined", host="{each["name"]}")', error.exit_code,
                    ) from None  # fmt: skip
            raise

    # Time -----------------------------------------------------------------------------------------------------------

    @property
    def clock(self) -> Clock:
        """The clock of the run."""
        if self._steps.clock is None:
            raise ProgramError(f"the {self.KIND} is closed")
        return self._steps.clock

    def run(self, function: Callable[..., Value], *arguments: Any, limit: Duration = LIMIT) -> Value:
        """Calls a function in a thread while time passes; returns what it returns, or raises what it raises.

        In virtual time, the clock advances while the function waits for the run, such as for a connection of a phone: a timeout
        of 30 s takes a fraction of a second. Whatever else the function does takes no time of the run, up to 250 ms; after that, the
        clock advances 0.1 s in each 50 ms of real time. Raises `CallTimeout` if it has not returned within `limit`, in real time.
        """
        return self.clock.run(function, *arguments, limit=limit)

    def _wait_for(self, function: Callable[[], Value]) -> Value:
        """Makes a request that needs time of the run."""
        return self.run(function) if self.clock.is_virtual else function()

    # What there is --------------------------------------------------------------------------------------------------

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

    # End ------------------------------------------------------------------------------------------------------------

    def stop(self) -> None:
        """Ends the run; the journal and `save` still work. Raises `ProgramError` if it has not ended well."""
        if self._is_stopped:
            return
        end = real_time.monotonic() + END
        if self._process.poll() is None:
            self._note_names(end)
            self._connection.is_ending = True
            with contextlib.suppress(BeaconryError):
                self._connection.perform("POST", "/v1/stop", patience=max(0.0, end - real_time.monotonic()))
        self._is_stopped = True
        self.journal.names.ask = None
        try:
            code = self._process.wait(max(0.0, end - real_time.monotonic()))
        except subprocess.TimeoutExpired:
            code = None
        self._end_process()
        if code is None:
            raise ProgramError(f"beaconry did not end within {END:g} s, and was killed")
        if code != 0:
            raise ProgramError(f"beaconry ended with exit code {code}: {self._last_error}")

    def _note_names(self, end: float) -> None:
        """Keeps the names of beacons and receivers without events, for expectations after the end."""
        names = self.journal.names
        names.is_complete = False
        if self.journal.find("ready")[0]["beacons"] > MOST_NAMES:
            return
        with contextlib.suppress(BeaconryError):
            for path, records, key, fields in (
                ("/v1/beacons", "beacons", "id", ["device"]), ("/v1/receivers", "receivers", "name", ["host", "receiver"]),
            ):  # fmt: skip
                answer = self._connection.perform("GET", path, patience=max(0.0, end - real_time.monotonic()))
                for field in fields:
                    names.known[field].update(str(each[key]) for each in answer[records])
            names.is_complete = True

    def _end_process(self) -> None:
        self._connection.close()
        _program.kill(self._process)
        for thread in self._threads:
            thread.join(10)

    def save(self, folder: str | os.PathLike[str]) -> Path:
        """Writes the events (`events.jsonl`), the HCI traffic (`capture.btsnoop`), the beacons (`air.yaml`) and the messages
        (`messages.txt`) into a folder, and returns it. The capture contains keys of pairings."""
        return self._record.save(folder)

    def close(self) -> None:
        """Ends the run, and removes its files. May be called again."""
        try:
            self.stop()
        finally:
            self._finalizer()

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


_runs: weakref.WeakSet[Run] = weakref.WeakSet()


def _release(process: subprocess.Popen[bytes], folder: Folder, record: Record) -> None:
    """Ends the program of a run, and removes its files."""
    _program.kill(process)
    record.leave()
    folder.remove()


def _leave() -> None:
    """Leaves the runs to the parent after a fork, so that they end with it."""
    for run in list(_runs):
        run._finalizer.detach()
        _program.leave(run._process)
        run._temporary.leave()


os.register_at_fork(after_in_child=_leave)
