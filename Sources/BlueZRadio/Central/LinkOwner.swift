// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import DBus
import Radio

/// The radio that has a link of bluetoothd's.
protocol LinkOwner: Sendable {
    /// Ends the link to a device that is not connected any more, whoever noticed it first.
    func check(_ path: ObjectPath) async
    /// Forgets a link that this side ended.
    func drop(_ link: BlueZRemoteLink) async
    /// Has the peer of a link encrypt it.
    func secure(_ link: BlueZRemoteLink) async -> Result<Void, RemoteError>
}
