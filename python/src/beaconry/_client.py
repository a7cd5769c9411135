# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The operations of a run as methods; written by Scripts/api."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ._connection import Connection, part


class Client:
    """The operations of a run (docs/http.md).

    A method takes the values of its operation by their names, with underscores, and returns what the answer contains. It raises
    `RequestError` if the run refuses the operation, and `ProgramError` if the run does not answer.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def metrics(self) -> str:
        """The metrics of the run in the text format of Prometheus."""
        return str(self._connection.perform("GET", "/metrics"))

    def show_air(self) -> Any:
        """The model of the virtual air, with its walls, its floor plan and levels."""
        return self._connection.perform("GET", "/v1/air")

    def show_map(self) -> bytes:
        """The picture of the floor plan: PNG, JPEG or WebP."""
        return bytes(self._connection.perform("GET", "/v1/air/map") or b"")

    def change_physics(self, text: str) -> Any:
        """Replaces the physics of the virtual air from now on; its walls stay."""
        return self._connection.perform("PUT", "/v1/air/physics", text=text)

    def disconnect(self, name: str, *, peer: str | None = None, reason: str | None = None) -> Any:
        """Ends the connections of a beacon or a host, all or those with one peer."""
        return self._connection.perform("POST", f"/v1/air/{part(name)}/disconnect", body={"peer": peer, "reason": reason})

    def move(self, name: str, position: Sequence[float]) -> Any:
        """Moves something on the virtual air, and ends its movement."""
        return self._connection.perform("PUT", f"/v1/air/{part(name)}/position", body={"position": position})

    def walk(self, name: str, over: str, path: Sequence[Sequence[float]]) -> Any:
        """Moves something on the virtual air along a path at constant speed; returns when the movement starts."""
        return self._connection.perform("POST", f"/v1/air/{part(name)}/walk", body={"over": over, "path": path})

    def remove_beacons(self, match: str, *, profile: str | None = None) -> Any:
        """Removes all beacons whose ids match a pattern, until the next reload."""
        return self._connection.perform("DELETE", "/v1/beacons", query={"match": match, "profile": profile})

    def list_beacons(self, *, match: str | None = None, profile: str | None = None) -> Any:
        """All beacons, or only the beacons of a profile or with ids that match a pattern, in the order of the profiles."""
        return self._connection.perform("GET", "/v1/beacons", query={"match": match, "profile": profile})

    def change_beacons(
        self, match: str, *, profile: str | None = None, battery: str | None = None, enabled: bool | None = None,
        muted: bool | str | None = None, position: Sequence[float] | None = None, settings: Mapping[str, Any] | None = None
    ) -> Any:
        """Makes the same change to all beacons whose ids match a pattern, or to none if one refuses it."""
        return self._connection.perform(
            "PATCH", "/v1/beacons", query={"match": match, "profile": profile}, body={"battery": battery, "enabled": enabled,
            "muted": muted, "position": position, "settings": settings}, kind="application/merge-patch+json"
        )

    def remove_beacon(self, beacon: str) -> Any:
        """Removes a beacon, until the next reload."""
        return self._connection.perform("DELETE", f"/v1/beacons/{part(beacon)}")

    def show_beacon(self, beacon: str) -> Any:
        """One beacon with its settings."""
        return self._connection.perform("GET", f"/v1/beacons/{part(beacon)}")

    def change_beacon(
        self, beacon: str, *, battery: str | None = None, enabled: bool | None = None, muted: bool | str | None = None,
        position: Sequence[float] | None = None, settings: Mapping[str, Any] | None = None
    ) -> Any:
        """Changes a beacon, or nothing if one of the changes is refused; in this order: settings, position, muting, battery, enabled."""
        return self._connection.perform(
            "PATCH", f"/v1/beacons/{part(beacon)}", body={"battery": battery, "enabled": enabled, "muted": muted,
            "position": position, "settings": settings}, kind="application/merge-patch+json"
        )

    def put_beacon(self, beacon: str, text: str) -> Any:
        """Adds a beacon, or replaces one, until the next reload."""
        return self._connection.perform("PUT", f"/v1/beacons/{part(beacon)}", text=text)

    def perform_command(self, beacon: str, command: str, values: Mapping[str, Any]) -> Any:
        """Performs a command of a device, such as to press its button."""
        return self._connection.perform("POST", f"/v1/beacons/{part(beacon)}/commands/{part(command)}", body=values)

    def show_connection_fault(self, beacon: str) -> Any:
        """The number of connections to a beacon that will still fail."""
        return self._connection.perform("GET", f"/v1/beacons/{part(beacon)}/connection-fault")

    def fail_connections(self, beacon: str, count: int, *, phase: str | None = None, reason: str | None = None) -> Any:
        """Lets the next connections to a beacon fail, which advertises meanwhile, instead of those that were set to fail before."""
        return self._connection.perform(
            "PUT", f"/v1/beacons/{part(beacon)}/connection-fault", body={"count": count, "phase": phase, "reason": reason}
        )

    def request_pairing(self, beacon: str) -> None:
        """Asks the connected centrals of a beacon to pair."""
        self._connection.perform("POST", f"/v1/beacons/{part(beacon)}/pair")

    def answer_pairing(self, beacon: str, answer: str) -> None:
        """Answers the question of a pairing."""
        self._connection.perform("POST", f"/v1/beacons/{part(beacon)}/pair/answer", body={"answer": answer})

    def reset_beacon(self, beacon: str) -> Any:
        """Removes the saved settings of a beacon, which starts again with those of its profile; bonds stay."""
        return self._connection.perform("DELETE", f"/v1/beacons/{part(beacon)}/settings")

    def show_bench(self) -> Any:
        """The walk on the bench: what the receiver gets of each beacon, and the measured power that stands in for it on the radio."""
        return self._connection.perform("GET", "/v1/bench")

    def forget_bonds(self, beacon: str, *, peer: str | None = None) -> Any:
        """Removes the bonds of a beacon, or the one with a peer."""
        return self._connection.perform("DELETE", "/v1/bonds", query={"beacon": beacon, "peer": peer})

    def list_bonds(self, *, beacon: str | None = None) -> Any:
        """The bonds of all beacons, or of one."""
        return self._connection.perform("GET", "/v1/bonds", query={"beacon": beacon})

    def list_captures(self) -> Any:
        """The captures in memory, oldest first."""
        return self._connection.perform("GET", "/v1/captures")

    def start_capture(self, *, limit: int | None = None) -> Any:
        """Begins a capture in memory."""
        return self._connection.perform("POST", "/v1/captures", body={"limit": limit})

    def remove_capture(self, capture: int) -> Any:
        """Ends and removes a capture, and returns its last state."""
        return self._connection.perform("DELETE", f"/v1/captures/{part(capture)}")

    def show_capture(self, capture: int) -> Any:
        """A capture."""
        return self._connection.perform("GET", f"/v1/captures/{part(capture)}")

    def read_capture(self, capture: int) -> bytes:
        """The packets of a capture so far, as a btsnoop file."""
        return bytes(self._connection.perform("GET", f"/v1/captures/{part(capture)}/packets") or b"")

    def stop_capture(self, capture: int) -> Any:
        """Ends a capture; its packets stay."""
        return self._connection.perform("POST", f"/v1/captures/{part(capture)}/stop")

    def show_clock(self) -> Any:
        """The clock of the run."""
        return self._connection.perform("GET", "/v1/clock")

    def set_rate(self, rate: str | float) -> Any:
        """Changes the rate of a clock in virtual time."""
        return self._connection.perform("PUT", "/v1/clock", body={"rate": rate})

    def advance_clock(self, by: str) -> Any:
        """Advances a paused clock, and returns when the run has reached that time."""
        return self._connection.perform("POST", "/v1/clock/advance", body={"by": by})

    def events(
        self, *, types: str | None = None, device: str | None = None, after: int | None = None, last_event_id: int | None = None,
        text: bool | None = None
    ) -> Iterator[Any]:
        """Events from now on, or from an earlier one, as server-sent events."""
        return self._connection.events(
            "/v1/events", query={"types": types, "device": device, "after": after, "text": text},
            fields={"Last-Event-ID": last_event_id}
        )

    def health(self) -> Any:
        """Whether everything that should be on the air is on the air."""
        return self._connection.perform("GET", "/v1/health")

    def clear_journal(self, *, through: int | None = None) -> None:
        """Removes the events that the run keeps."""
        self._connection.perform("DELETE", "/v1/journal", query={"through": through})

    def journal(self, *, types: str | None = None, device: str | None = None, since: int | str | None = None) -> Any:
        """The events that the run keeps, oldest first."""
        return self._connection.perform("GET", "/v1/journal", query={"types": types, "device": device, "since": since})

    def wait(self, conditions: Sequence[Any], *, since: int | str | None = None, within: str | None = None) -> Any:
        """Compares the journal with conditions, until all are met, one cannot be met any more, or a time is over."""
        return self._connection.perform(
            "POST", "/v1/journal/wait", body={"conditions": conditions, "since": since, "within": within}
        )

    def list_links(self) -> Any:
        """The radio links from each advertiser to each host that scans: distance, RSSI, loss."""
        return self._connection.perform("GET", "/v1/links")

    def show_link_history(self, *, name: str | None = None, after: float | None = None) -> Any:
        """The RSSI on the paths in the last two minutes of the run."""
        return self._connection.perform("GET", "/v1/links/history", query={"name": name, "after": after})

    def reset_link(self, from_: str, to: str) -> None:
        """Removes the override of a path."""
        self._connection.perform("DELETE", f"/v1/links/{part(from_)}/{part(to)}")

    def override_link(
        self, from_: str, to: str, *, blocked: str | float | bool | None = None, for_: str | float | bool | None = None,
        loss: str | float | bool | None = None, packet_loss: str | float | bool | None = None,
        rssi: str | float | bool | None = None
    ) -> Any:
        """Overrides the model on a path of the virtual air."""
        return self._connection.perform(
            "PUT", f"/v1/links/{part(from_)}/{part(to)}", body={"blocked": blocked, "for": for_, "loss": loss,
            "packet-loss": packet_loss, "rssi": rssi}
        )

    def description(self) -> Any:
        """This description (OpenAPI 3.1)."""
        return self._connection.perform("GET", "/v1/openapi.json")

    def list_presets(self) -> Any:
        """What can be chosen by its name: phones, physics, and the scenarios whose timelines fit the beacons of the run."""
        return self._connection.perform("GET", "/v1/presets")

    def show_preset_scenario(self, file: str) -> str:
        """The text of one of these scenarios, which PUT /v1/scenario takes."""
        return str(self._connection.perform("GET", f"/v1/presets/scenarios/{part(file)}"))

    def show_profile(self, *, profile: str | None = None) -> str:
        """A profile in use, in YAML with all short forms written out."""
        return str(self._connection.perform("GET", "/v1/profile", query={"profile": profile}))

    def replace_profile(self, text: str, *, profile: str | None = None, if_match: str | None = None) -> Any:
        """Replaces a profile in use; beacons whose definition is the same keep their state."""
        return self._connection.perform(
            "PUT", "/v1/profile", query={"profile": profile}, fields={"If-Match": if_match}, text=text
        )

    def set_radio(self, power: str) -> Any:
        """Switches the radio on or off."""
        return self._connection.perform("PUT", "/v1/radio", body={"power": power})

    def list_receivers(self) -> Any:
        """The receivers: those that scan within the run, the hosts that have joined the virtual air, and the servers with a name that hosts may join."""
        return self._connection.perform("GET", "/v1/receivers")

    def add_receiver(
        self, name: str, *, antenna: str | None = None, carried: str | None = None, fast: float | None = None,
        heading: float | None = None, label: str | None = None, position: Sequence[float] | None = None,
        rssi_offset: float | None = None, sensitivity: float | None = None
    ) -> Any:
        """Adds a receiver with a server of its own to the virtual air."""
        return self._connection.perform(
            "POST", "/v1/receivers", body={"antenna": antenna, "carried": carried, "fast": fast, "heading": heading,
            "label": label, "name": name, "position": position, "rssiOffset": rssi_offset, "sensitivity": sensitivity}
        )

    def remove_receiver(self, receiver: str) -> Any:
        """Removes a receiver that was added, and its hosts; returns it as it was before."""
        return self._connection.perform("DELETE", f"/v1/receivers/{part(receiver)}")

    def show_receiver(self, receiver: str) -> Any:
        """One receiver."""
        return self._connection.perform("GET", f"/v1/receivers/{part(receiver)}")

    def change_receiver(
        self, receiver: str, *, antenna: str | None = None, bluetooth: str | None = None, carried: str | None = None,
        estimator: str | None = None, fast: float | None = None, heading: float | None = None, label: str | None = None,
        listening: bool | None = None, permission: str | None = None, phone: str | Mapping[str, Any] | None = None,
        position: Sequence[float] | None = None, rssi_offset: float | None = None, scan: Any | None = None,
        screen: str | None = None, sensitivity: float | None = None
    ) -> Any:
        """Changes a receiver that scans within the run, or the label and the hardware of another one."""
        return self._connection.perform(
            "PATCH", f"/v1/receivers/{part(receiver)}", body={"antenna": antenna, "bluetooth": bluetooth, "carried": carried,
            "estimator": estimator, "fast": fast, "heading": heading, "label": label, "listening": listening,
            "permission": permission, "phone": phone, "position": position, "rssiOffset": rssi_offset, "scan": scan,
            "screen": screen, "sensitivity": sensitivity}, kind="application/merge-patch+json"
        )

    def put_receiver(
        self, receiver: str, *, if_none_match: str | None = None, antenna: str | None = None, bluetooth: str | None = None,
        carried: str | None = None, estimator: str | None = None, fast: float | None = None, heading: float | None = None,
        label: str | None = None, listening: bool | None = None, permission: str | None = None, phone: str | Mapping[str,
        Any] | None = None, position: Sequence[float] | None = None, rssi_offset: float | None = None, scan: Any | None = None,
        screen: str | None = None, sensitivity: float | None = None
    ) -> Any:
        """Adds a receiver that scans within the run, or gives one these settings; its regions stay."""
        return self._connection.perform(
            "PUT", f"/v1/receivers/{part(receiver)}", fields={"If-None-Match": if_none_match}, body={"antenna": antenna,
            "bluetooth": bluetooth, "carried": carried, "estimator": estimator, "fast": fast, "heading": heading, "label": label,
            "listening": listening, "permission": permission, "phone": phone, "position": position, "rssiOffset": rssi_offset,
            "scan": scan, "screen": screen, "sensitivity": sensitivity}
        )

    def advertisements(
        self, receiver: str, *, uuid: str | None = None, major: int | None = None, minor: int | None = None,
        format: str | None = None
    ) -> Iterator[Any]:
        """The packets that a listening receiver gets, from now on, as server-sent events."""
        return self._connection.events(
            f"/v1/receivers/{part(receiver)}/advertisements", query={"uuid": uuid, "major": major, "minor": minor,
            "format": format}
        )

    def list_advertisers(
        self, receiver: str, *, uuid: str | None = None, major: int | None = None, minor: int | None = None,
        format: str | None = None
    ) -> Any:
        """The devices that a listening receiver has received in the last five seconds, each with its last packet."""
        return self._connection.perform(
            "GET", f"/v1/receivers/{part(receiver)}/advertisers", query={"uuid": uuid, "major": major, "minor": minor,
            "format": format}
        )

    def show_ranging(self, receiver: str) -> Any:
        """The last ranging report of a listening receiver."""
        return self._connection.perform("GET", f"/v1/receivers/{part(receiver)}/beacons")

    def list_connections(self, receiver: str) -> Any:
        """The devices that a listening receiver is connected to."""
        return self._connection.perform("GET", f"/v1/receivers/{part(receiver)}/connections")

    def disconnect_device(self, receiver: str, device: str) -> None:
        """Ends the connection of a listening receiver to a device, or the attempt to connect to it."""
        self._connection.perform("DELETE", f"/v1/receivers/{part(receiver)}/connections/{part(device)}")

    def connect_device(
        self, receiver: str, device: str, *, address_type: str | None = None, pair: bool | None = None, timeout: str | None = None
    ) -> Any:
        """Connects a listening receiver to a device, unless it is connected to it."""
        return self._connection.perform(
            "PUT", f"/v1/receivers/{part(receiver)}/connections/{part(device)}", body={"addressType": address_type, "pair": pair,
            "timeout": timeout}
        )

    def read_characteristic(self, receiver: str, device: str, characteristic: str) -> Any:
        """Reads the value of a characteristic of a connected device."""
        return self._connection.perform(
            "GET", f"/v1/receivers/{part(receiver)}/connections/{part(device)}/characteristics/{part(characteristic)}"
        )

    def write_characteristic(
        self, receiver: str, device: str, characteristic: str, value: str, *, response: bool | None = None
    ) -> None:
        """Writes the value of a characteristic of a connected device."""
        self._connection.perform(
            "PUT", f"/v1/receivers/{part(receiver)}/connections/{part(device)}/characteristics/{part(characteristic)}",
            body={"response": response, "value": value}
        )

    def unsubscribe(self, receiver: str, device: str, characteristic: str) -> None:
        """Ends the subscription to a characteristic of a connected device, and the streams of the clients that follow it."""
        self._connection.perform(
            "DELETE", f"/v1/receivers/{part(receiver)}/connections/{part(device)}/notifications",
            query={"characteristic": characteristic}
        )

    def notifications(self, receiver: str, device: str, *, characteristic: str | None = None) -> Iterator[Any]:
        """The values that a connected device notifies or indicates, from now on, as server-sent events."""
        return self._connection.events(
            f"/v1/receivers/{part(receiver)}/connections/{part(device)}/notifications", query={"characteristic": characteristic}
        )

    def list_services(self, receiver: str, device: str) -> Any:
        """The services of a connected device with their characteristics and descriptors."""
        return self._connection.perform("GET", f"/v1/receivers/{part(receiver)}/connections/{part(device)}/services")

    def monitoring(self, receiver: str) -> Iterator[Any]:
        """The regions of a listening receiver as server-sent events: first the state of each, then each change."""
        return self._connection.events(f"/v1/receivers/{part(receiver)}/monitoring")

    def ranging(
        self, receiver: str, *, uuid: str | None = None, major: int | None = None, minor: int | None = None
    ) -> Iterator[Any]:
        """The ranging reports of a listening receiver, from now on, as server-sent events: the distance of each beacon."""
        return self._connection.events(
            f"/v1/receivers/{part(receiver)}/ranging", query={"uuid": uuid, "major": major, "minor": minor}
        )

    def list_regions(self, receiver: str) -> Any:
        """The regions of a listening receiver with their states, in the order in which they were added."""
        return self._connection.perform("GET", f"/v1/receivers/{part(receiver)}/regions")

    def remove_region(self, receiver: str, region: str) -> None:
        """Ends the monitoring of a region, without an event."""
        self._connection.perform("DELETE", f"/v1/receivers/{part(receiver)}/regions/{part(region)}")

    def put_region(
        self, receiver: str, region: str, *, exit_after: str | None = None, instance: str | None = None, major: int | None = None,
        minor: int | None = None, namespace: str | None = None, notify_on_display: bool | None = None, uuid: str | None = None
    ) -> Any:
        """Has a listening receiver monitor a region, instead of one of the same name, until it is removed."""
        return self._connection.perform(
            "PUT", f"/v1/receivers/{part(receiver)}/regions/{part(region)}", body={"exit-after": exit_after, "instance": instance,
            "major": major, "minor": minor, "namespace": namespace, "notify-on-display": notify_on_display, "uuid": uuid}
        )

    def show_truth(self, receiver: str) -> Any:
        """Where a receiver really is on the virtual air, and how far from each beacon."""
        return self._connection.perform("GET", f"/v1/receivers/{part(receiver)}/truth")

    def reload(self) -> Any:
        """Reads the profiles again; beacons whose definition is the same keep their state."""
        return self._connection.perform("POST", "/v1/reload")

    def reset(self) -> Any:
        """Reads the profiles again, and starts all over, without saved settings, bonds and connections."""
        return self._connection.perform("POST", "/v1/reset")

    def stop_scenario(self) -> Any:
        """Ends the scenario; what it has changed stays."""
        return self._connection.perform("DELETE", "/v1/scenario")

    def show_scenario(self) -> Any:
        """The scenario of the run, or the last one."""
        return self._connection.perform("GET", "/v1/scenario")

    def start_scenario(self, text: str, *, file: str | None = None) -> Any:
        """Performs the timeline of a scenario from now on, instead of a former one."""
        return self._connection.perform("PUT", "/v1/scenario", query={"file": file}, text=text)

    def reset_beacons(self, match: str, *, profile: str | None = None) -> Any:
        """Removes the saved settings of all beacons whose ids match a pattern, which start again with those of their profiles; bonds stay."""
        return self._connection.perform("DELETE", "/v1/settings", query={"match": match, "profile": profile})

    def stop(self) -> Any:
        """Ends the run; the answer comes when its outputs and captures are complete."""
        return self._connection.perform("POST", "/v1/stop")

    def version(self) -> Any:
        """The versions of the program, of the HTTP API, and of the profiles in use."""
        return self._connection.perform("GET", "/v1/version")
