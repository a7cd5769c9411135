// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import DBus

/// A manager on an adapter: an interface of its object for what programs register.
@ServiceActor
protocol AdapterManager: AnyObject {
    /// The interface.
    var interface: ExportedInterface { get }
    /// Forgets what a caller registered, which has left the bus.
    func ownerVanished(_ owner: String)
    /// Called after the adapter was switched on or off.
    func powerChanged(_ isPowered: Bool)
    /// Ends everything, because the service ends.
    func stop() async
}
