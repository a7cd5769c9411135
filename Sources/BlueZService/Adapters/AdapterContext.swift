// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import DBus

/// What the objects of an adapter share: constants of the adapter, and what belongs to the service.
///
/// It refers to nothing that refers to it, so each object owns a copy. What an object needs of its adapter besides is a weak
/// reference: tasks may outlast a device that is removed, and an adapter whose service stops.
@ServiceActor
struct AdapterContext {
    /// The object of the adapter.
    let path: ObjectPath
    /// The public address, of both roles.
    let address: BluetoothAddress
    /// The radio.
    let radio: AdapterRadio
    /// The bus.
    let bus: ServiceBus
    /// The agents of programs.
    let agents: AgentRegistry
    /// The settings of the service.
    let options: BlueZServiceOptions
}
