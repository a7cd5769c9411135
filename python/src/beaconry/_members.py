# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Beacons and receivers of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._errors import BeaconryError
from ._journal import Named, name_of
from ._values import Duration, Position, duration_text, setting

if TYPE_CHECKING:
    from ._run import Run


class Beacon:
    """A beacon of an air."""

    def __init__(self, run: Run, name: str) -> None:
        self._run = run
        self.name = name
        """Its id in the profile."""

    def __repr__(self) -> str:
        return f"<Beacon {self.name}>"

    @property
    def status(self) -> dict[str, Any]:
        """Its settings, and what is on the air (docs/events.md, "A beacon's status")."""
        return dict(self._run.client.show_beacon(self.name))

    @property
    def address(self) -> str:
        """The address with which it advertises."""
        return str(self.status["effective"]["address"])

    def set(self, /, **values: object) -> None:
        """Changes settings, all or none; underscores are hyphens in their names (`tx_power="-6dBm"`)."""
        texts = {key.replace("_", "-"): setting(value) for key, value in values.items()}
        self._run.client.change_beacon(self.name, settings=texts)

    def enable(self) -> None:
        """Switches it on."""
        self._run.client.change_beacon(self.name, enabled=True)

    def disable(self) -> None:
        """Switches it off, as if its battery were removed."""
        self._run.client.change_beacon(self.name, enabled=False)

    def mute(self, duration: Duration | None = None) -> None:
        """Nothing that it sends is received, for a duration or until `unmute`."""
        self._run.client.change_beacon(self.name, muted=True if duration is None else duration_text(duration))

    def unmute(self) -> None:
        """Ends the muting."""
        self._run.client.change_beacon(self.name, muted=False)

    def disconnect(self, peer: str | Named | None = None, reason: str | None = None) -> None:
        """Ends its connections, all or that with one peer, with a reason such as `supervision-timeout`."""
        self._run.client.disconnect(self.name, peer=None if peer is None else name_of(peer), reason=reason)

    def fail_connections(self, count: int, phase: str | None = None, reason: str | None = None) -> None:
        """Lets the next connections to it fail, 0 to 1000 of them, while it advertises: `phase="connected"` (default), `"request"` or
        `"establishment"`, with a reason as of `disconnect`. 0 ends that."""
        self._run.client.fail_connections(self.name, count, phase=phase, reason=reason)

    def move(self, at: Position) -> None:
        """Moves it to a position in metres."""
        self._run.move(self, at)


class Receiver:
    """A server on an air: a host that connects to it gets a controller there (HCI, H4 over TCP)."""

    def __init__(self, run: Run, name: str, port: int) -> None:
        self._run = run
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
        for record in self._run.client.list_receivers()["receivers"]:
            if record["name"] == self.name and "hosts" in record:
                return list(record["hosts"])
        raise BeaconryError(f"the receiver {self.name} was removed")

    def move(self, at: Position) -> None:
        """Moves it to a position in metres."""
        self._run.move(self, at)

    def remove(self) -> None:
        """Removes it, and its hosts from the air."""
        self._run.client.remove_receiver(self.name)
