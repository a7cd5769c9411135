# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The operations of a run as coroutines; written by Scripts/api."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from .._client import Client as _Client
from ._call import call, follow


class Client:
    """The operations of a run as coroutines (see `beaconry.Air.client`)."""

    def __init__(self, client: _Client) -> None:
        self._client = client

    async def metrics(self) -> str:
        """The metrics of the run in the text format of Prometheus."""
        return await call(self._client.metrics)

    async def show_air(self) -> Any:
        """The model of the virtual air, with its walls, its floor plan and levels."""
        return await call(self._client.show_air)

    async def show_map(self) -> bytes:
        """The picture of the floor plan: PNG, JPEG or WebP."""
        return await call(self._client.show_map)

    async def change_physics(self, text: str) -> Any:
        """Replaces the physics of the virtual air from now on; its walls stay."""
        return await call(self._client.change_physics, text)

    async def disconnect(self, name: str, *, peer: str | None = None, reason: str | None = None) -> Any:
        """Ends the connections of a beacon or a host, all or those with one peer."""
        return await call(self._client.disconnect, name, peer=peer, reason=reason)

    async def move(self, name: str, position: Sequence[float]) -> Any:
        """Moves something on the virtual air, and ends its movement."""
        return await call(self._client.move, name, position)

    async def walk(self, name: str, over: str, path: Sequence[Sequence[float]]) -> Any:
        """Moves something on the virtual air along a path at constant speed; returns when the movement starts."""
        return await call(self._client.walk, name, over, path)

    async def remove_beacons(self, match: str, *, profile: str | None = None) -> Any:
        """Removes all beacons whose ids match a pattern, until the next reload."""
        return await call(self._client.remove_beacons, match, profile=profile)

    async def list_beacons(self, *, match: str | None = None, profile: str | None = None) -> Any:
        """All beacons, or only the beacons of a profile or with ids that match a pattern, in the order of the profiles."""
        return await call(self._client.list_beacons, match=match, profile=profile)

    async def change_beacons(
        self, match: str, *, profile: str | None = None, battery: str | None = None, enabled: bool | None = None,
        muted: bool | str | None = None, position: Sequence[float] | None = None, settings: Mapping[str, Any] | None = None
    ) -> Any:
        """Makes the same change to all beacons whose ids match a pattern, or to none if one refuses it."""
        return await call(
            self._client.change_beacons, match, profile=profile, battery=battery, enabled=enabled, muted=muted, position=position,
            settings=settings
        )

    async def remove_beacon(self, beacon: str) -> Any:
        """Removes a beacon, until the next reload."""
        return await call(self._client.remove_beacon, beacon)

    async def show_beacon(self, beacon: str) -> Any:
        """One beacon with its settings."""
        return await call(self._client.show_beacon, beacon)

    async def change_beacon(
        self, beacon: str, *, battery: str | None = None, enabled: bool | None = None, muted: bool | str | None = None,
        position: Sequence[float] | None = None, settings: Mapping[str, Any] | None = None
    ) -> Any:
        """Changes a beacon, or nothing if one of the changes is refused; in this order: settings, position, muting, battery, enabled."""
        return await call(
            self._client.change_beacon, beacon, battery=battery, enabled=enabled, muted=muted, position=position,
            settings=settings
        )

    async def put_beacon(self, beacon: str, text: str) -> Any:
        """Adds a beacon, or replaces one, until the next reload."""
        return await call(self._client.put_beacon, beacon, text)

    async def perform_command(self, beacon: str, command: str, values: Mapping[str, Any]) -> Any:
        """Performs a command of a device, such as to press its button."""
        return await call(self._client.perform_command, beacon, command, values)

    async def show_connection_fault(self, beacon: str) -> Any:
        """The number of connections to a beacon that will still fail."""
        return await call(self._client.show_connection_fault, beacon)

    async def fail_connections(self, beacon: str, count: int, *, phase: str | None = None, reason: str | None = None) -> Any:
        """Lets the next connections to a beacon fail, which advertises meanwhile, instead of those that were set to fail before."""
        return await call(self._client.fail_connections, beacon, count, phase=phase, reason=reason)

    async def request_pairing(self, beacon: str) -> None:
        """Asks the connected centrals of a beacon to pair."""
        await call(self._client.request_pairing, beacon)

    async def answer_pairing(self, beacon: str, answer: str) -> None:
        """Answers the question of a pairing."""
        await call(self._client.answer_pairing, beacon, answer)

    async def reset_beacon(self, beacon: str) -> Any:
        """Removes the saved settings of a beacon, which starts again with those of its profile; bonds stay."""
        return await call(self._client.reset_beacon, beacon)

    async def show_bench(self) -> Any:
        """The walk on the bench: what the receiver gets of each beacon, and the measured power that stands in for it on the radio."""
        return await call(self._client.show_bench)

    async def forget_bonds(self, beacon: str, *, peer: str | None = None) -> Any:
        """Removes the bonds of a beacon, or the one with a peer."""
        return await call(self._client.forget_bonds, beacon, peer=peer)

    async def list_bonds(self, *, beacon: str | None = None) -> Any:
        """The bonds of all beacons, or of one."""
        return await call(self._client.list_bonds, beacon=beacon)

    async def list_captures(self) -> Any:
        """The captures in memory, oldest first."""
        return await call(self._client.list_captures)

    async def start_capture(self, *, limit: int | None = None) -> Any:
        """Begins a capture in memory."""
        return await call(self._client.start_capture, limit=limit)

    async def remove_capture(self, capture: int) -> Any:
        """Ends and removes a capture, and returns its last state."""
        return await call(self._client.remove_capture, capture)

    async def show_capture(self, capture: int) -> Any:
        """A capture."""
        return await call(self._client.show_capture, capture)

    async def read_capture(self, capture: int) -> bytes:
        """The packets of a capture so far, as a btsnoop file."""
        return await call(self._client.read_capture, capture)

    async def stop_capture(self, capture: int) -> Any:
        """Ends a capture; its packets stay."""
        return await call(self._client.stop_capture, capture)

    async def show_clock(self) -> Any:
        """The clock of the run."""
        return await call(self._client.show_clock)

    async def set_rate(self, rate: str | float) -> Any:
        """Changes the rate of a clock in virtual time."""
        return await call(self._client.set_rate, rate)

    async def advance_clock(self, by: str) -> Any:
        """Advances a paused clock, and returns when the run has reached that time."""
        return await call(self._client.advance_clock, by)

    async def events(
        self, *, types: str | None = None, device: str | None = None, after: int | None = None, last_event_id: int | None = None,
        text: bool | None = None
    ) -> AsyncIterator[Any]:
        """Events from now on, or from an earlier one, as server-sent events."""
        return await follow(self._client.events, types=types, device=device, after=after, last_event_id=last_event_id, text=text)

    async def health(self) -> Any:
        """Whether everything that should be on the air is on the air."""
        return await call(self._client.health)

    async def clear_journal(self, *, through: int | None = None) -> None:
        """Removes the events that the run keeps."""
        await call(self._client.clear_journal, through=through)

    async def journal(self, *, types: str | None = None, device: str | None = None, since: int | str | None = None) -> Any:
        """The events that the run keeps, oldest first."""
        return await call(self._client.journal, types=types, device=device, since=since)

    async def wait(self, conditions: Sequence[Any], *, since: int | str | None = None, within: str | None = None) -> Any:
        """Compares the journal with conditions, until all are met, one cannot be met any more, or a time is over."""
        return await call(self._client.wait, conditions, since=since, within=within)

    async def list_links(self) -> Any:
        """The radio links from each advertiser to each host that scans: distance, RSSI, loss."""
        return await call(self._client.list_links)

    async def show_link_history(self, *, name: str | None = None, after: float | None = None) -> Any:
        """The RSSI on the paths in the last two minutes of the run."""
        return await call(self._client.show_link_history, name=name, after=after)

    async def reset_link(self, from_: str, to: str) -> None:
        """Removes the override of a path."""
        await call(self._client.reset_link, from_, to)

    async def override_link(
        self, from_: str, to: str, *, blocked: str | float | bool | None = None, for_: str | float | bool | None = None,
        loss: str | float | bool | None = None, packet_loss: str | float | bool | None = None,
        rssi: str | float | bool | None = None
    ) -> Any:
        """Overrides the model on a path of the virtual air."""
        return await call(
            self._client.override_link, from_, to, blocked=blocked, for_=for_, loss=loss, packet_loss=packet_loss, rssi=rssi
        )

    async def description(self) -> Any:
        """This description (OpenAPI 3.1)."""
        return await call(self._client.description)

    async def list_presets(self) -> Any:
        """What can be chosen by its name: phones, physics, and the scenarios whose timelines fit the beacons of the run."""
        return await call(self._client.list_presets)

    async def show_preset_scenario(self, file: str) -> str:
        """The text of one of these scenarios, which PUT /v1/scenario takes."""
        return await call(self._client.show_preset_scenario, file)

    async def show_profile(self, *, profile: str | None = None) -> str:
        """A profile in use, in YAML with all short forms written out."""
        return await call(self._client.show_profile, profile=profile)

    async def replace_profile(self, text: str, *, profile: str | None = None, if_match: str | None = None) -> Any:
        """Replaces a profile in use; beacons whose definition is the same keep their state."""
        return await call(self._client.replace_profile, text, profile=profile, if_match=if_match)

    async def set_radio(self, power: str) -> Any:
        """Switches the radio on or off."""
        return await call(self._client.set_radio, power)

    async def list_receivers(self) -> Any:
        """The receivers: those that scan within the run, the hosts that have joined the virtual air, and the servers with a name that hosts may join."""
        return await call(self._client.list_receivers)

    async def add_receiver(
        self, name: str, *, antenna: str | None = None, carried: str | None = None, fast: float | None = None,
        heading: float | None = None, label: str | None = None, position: Sequence[float] | None = None,
        rssi_offset: float | None = None, sensitivity: float | None = None
    ) -> Any:
        """Adds a receiver with a server of its own to the virtual air."""
        return await call(
            self._client.add_receiver, name, antenna=antenna, carried=carried, fast=fast, heading=heading, label=label,
            position=position, rssi_offset=rssi_offset, sensitivity=sensitivity
        )

    async def remove_receiver(self, receiver: str) -> Any:
        """Removes a receiver that was added, and its hosts; returns it as it was before."""
        return await call(self._client.remove_receiver, receiver)

    async def show_receiver(self, receiver: str) -> Any:
        """One receiver."""
        return await call(self._client.show_receiver, receiver)

    async def change_receiver(
        self, receiver: str, *, antenna: str | None = None, bluetooth: str | None = None, carried: str | None = None,
        estimator: str | None = None, fast: float | None = None, heading: float | None = None, label: str | None = None,
        listening: bool | None = None, permission: str | None = None, phone: str | Mapping[str, Any] | None = None,
        position: Sequence[float] | None = None, rssi_offset: float | None = None, scan: Any | None = None,
        screen: str | None = None, sensitivity: float | None = None
    ) -> Any:
        """Changes a receiver that scans within the run, or the label and the hardware of another one."""
        return await call(
            self._client.change_receiver, receiver, antenna=antenna, bluetooth=bluetooth, carried=carried, estimator=estimator,
            fast=fast, heading=heading, label=label, listening=listening, permission=permission, phone=phone, position=position,
            rssi_offset=rssi_offset, scan=scan, screen=screen, sensitivity=sensitivity
        )

    async def put_receiver(
        self, receiver: str, *, if_none_match: str | None = None, antenna: str | None = None, bluetooth: str | None = None,
        carried: str | None = None, estimator: str | None = None, fast: float | None = None, heading: float | None = None,
        label: str | None = None, listening: bool | None = None, permission: str | None = None, phone: str | Mapping[str,
        Any] | None = None, position: Sequence[float] | None = None, rssi_offset: float | None = None, scan: Any | None = None,
        screen: str | None = None, sensitivity: float | None = None
    ) -> Any:
        """Adds a receiver that scans within the run, or gives one these settings; its regions stay."""
        return await call(
            self._client.put_receiver, receiver, if_none_match=if_none_match, antenna=antenna, bluetooth=bluetooth,
            carried=carried, estimator=estimator, fast=fast, heading=heading, label=label, listening=listening,
            permission=permission, phone=phone, position=position, rssi_offset=rssi_offset, scan=scan, screen=screen,
            sensitivity=sensitivity
        )

    async def advertisements(
        self, receiver: str, *, uuid: str | None = None, major: int | None = None, minor: int | None = None,
        format: str | None = None
    ) -> AsyncIterator[Any]:
        """The packets that a listening receiver gets, from now on, as server-sent events."""
        return await follow(self._client.advertisements, receiver, uuid=uuid, major=major, minor=minor, format=format)

    async def list_advertisers(
        self, receiver: str, *, uuid: str | None = None, major: int | None = None, minor: int | None = None,
        format: str | None = None
    ) -> Any:
        """The devices that a listening receiver has received in the last five seconds, each with its last packet."""
        return await call(self._client.list_advertisers, receiver, uuid=uuid, major=major, minor=minor, format=format)

    async def show_ranging(self, receiver: str) -> Any:
        """The last ranging report of a listening receiver."""
        return await call(self._client.show_ranging, receiver)

    async def list_connections(self, receiver: str) -> Any:
        """The devices that a listening receiver is connected to."""
        return await call(self._client.list_connections, receiver)

    async def disconnect_device(self, receiver: str, device: str) -> None:
        """Ends the connection of a listening receiver to a device, or the attempt to connect to it."""
        await call(self._client.disconnect_device, receiver, device)

    async def connect_device(
        self, receiver: str, device: str, *, address_type: str | None = None, pair: bool | None = None, timeout: str | None = None
    ) -> Any:
        """Connects a listening receiver to a device, unless it is connected to it."""
        return await call(self._client.connect_device, receiver, device, address_type=address_type, pair=pair, timeout=timeout)

    async def read_characteristic(self, receiver: str, device: str, characteristic: str) -> Any:
        """Reads the value of a characteristic of a connected device."""
        return await call(self._client.read_characteristic, receiver, device, characteristic)

    async def write_characteristic(
        self, receiver: str, device: str, characteristic: str, value: str, *, response: bool | None = None
    ) -> None:
        """Writes the value of a characteristic of a connected device."""
        await call(self._client.write_characteristic, receiver, device, characteristic, value, response=response)

    async def unsubscribe(self, receiver: str, device: str, characteristic: str) -> None:
        """Ends the subscription to a characteristic of a connected device, and the streams of the clients that follow it."""
        await call(self._client.unsubscribe, receiver, device, characteristic)

    async def notifications(self, receiver: str, device: str, *, characteristic: str | None = None) -> AsyncIterator[Any]:
        """The values that a connected device notifies or indicates, from now on, as server-sent events."""
        return await follow(self._client.notifications, receiver, device, characteristic=characteristic)

    async def list_services(self, receiver: str, device: str) -> Any:
        """The services of a connected device with their characteristics and descriptors."""
        return await call(self._client.list_services, receiver, device)

    async def monitoring(self, receiver: str) -> AsyncIterator[Any]:
        """The regions of a listening receiver as server-sent events: first the state of each, then each change."""
        return await follow(self._client.monitoring, receiver)

    async def ranging(
        self, receiver: str, *, uuid: str | None = None, major: int | None = None, minor: int | None = None
    ) -> AsyncIterator[Any]:
        """The ranging reports of a listening receiver, from now on, as server-sent events: the distance of each beacon."""
        return await follow(self._client.ranging, receiver, uuid=uuid, major=major, minor=minor)

    async def list_regions(self, receiver: str) -> Any:
        """The regions of a listening receiver with their states, in the order in which they were added."""
        return await call(self._client.list_regions, receiver)

    async def remove_region(self, receiver: str, region: str) -> None:
        """Ends the monitoring of a region, without an event."""
        await call(self._client.remove_region, receiver, region)

    async def put_region(
        self, receiver: str, region: str, *, exit_after: str | None = None, instance: str | None = None, major: int | None = None,
        minor: int | None = None, namespace: str | None = None, notify_on_display: bool | None = None, uuid: str | None = None
    ) -> Any:
        """Has a listening receiver monitor a region, instead of one of the same name, until it is removed."""
        return await call(
            self._client.put_region, receiver, region, exit_after=exit_after, instance=instance, major=major, minor=minor,
            namespace=namespace, notify_on_display=notify_on_display, uuid=uuid
        )

    async def show_truth(self, receiver: str) -> Any:
        """Where a receiver really is on the virtual air, and how far from each beacon."""
        return await call(self._client.show_truth, receiver)

    async def reload(self) -> Any:
        """Reads the profiles again; beacons whose definition is the same keep their state."""
        return await call(self._client.reload)

    async def reset(self) -> Any:
        """Reads the profiles again, and starts all over, without saved settings, bonds and connections."""
        return await call(self._client.reset)

    async def stop_scenario(self) -> Any:
        """Ends the scenario; what it has changed stays."""
        return await call(self._client.stop_scenario)

    async def show_scenario(self) -> Any:
        """The scenario of the run, or the last one."""
        return await call(self._client.show_scenario)

    async def start_scenario(self, text: str, *, file: str | None = None) -> Any:
        """Performs the timeline of a scenario from now on, instead of a former one."""
        return await call(self._client.start_scenario, text, file=file)

    async def reset_beacons(self, match: str, *, profile: str | None = None) -> Any:
        """Removes the saved settings of all beacons whose ids match a pattern, which start again with those of their profiles; bonds stay."""
        return await call(self._client.reset_beacons, match, profile=profile)

    async def stop(self) -> Any:
        """Ends the run; the answer comes when its outputs and captures are complete."""
        return await call(self._client.stop)

    async def version(self) -> Any:
        """The versions of the program, of the HTTP API, and of the profiles in use."""
        return await call(self._client.version)
