// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import HCI

/// A connection with all its channels.
struct HostConnection: Sendable {
    /// The controller's number for it.
    let handle: ConnectionHandle
    /// What its owner knows of it.
    var link: LEConnection
    /// The owner does not want it any more, and was told so: nothing of it is told.
    var isUnwanted = false
    var reassembler = L2CAPReassembler()
    var signalling: SignallingChannel
    var securityManager = SecurityManagerChannel()
    var bearer: ATTBearer
    var outgoing = FragmentQueue()
    /// The packets of it that the controller holds.
    var packetsInController = 0
    /// The end was asked for.
    var isEnding = false
    /// A change of its parameters is on its way; the latest that was asked for meanwhile is next.
    var isUpdating = false
    var nextUpdate: ConnectionParameters?

    init(handle: ConnectionHandle, link: LEConnection, database: AttributeDatabase?, mtu: UInt16) {
        self.handle = handle
        self.link = link
        signalling = SignallingChannel(role: link.role == .central ? .central : .peripheral)
        let server = database.map { ATTServer(database: $0, limits: ATTServer.Limits(mtu: mtu)) }
        bearer = ATTBearer(server: server, client: GATTClient(maximumMTU: mtu))
    }
}
