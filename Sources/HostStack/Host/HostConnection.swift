// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI

/// A connection with all its channels.
struct HostConnection: Sendable {
    /// The controller's number for it.
    let handle: ConnectionHandle
    /// The address that it was made with at this end.
    let ownAddress: PeerAddress
    /// What its owner knows of it.
    var link: LEConnection
    /// The owner does not want it any more, and was told so: nothing of it is told.
    var isUnwanted = false
    var reassembler = L2CAPReassembler()
    var signalling: SignallingChannel
    var securityManager = SecurityManager()
    /// The key that the link is being encrypted with, or was last.
    var keyInUse: LinkKey?
    /// The controller was told to encrypt, and has not said what came of it.
    var isEncrypting = false
    /// The owner was asked whether the peripheral's wish for security is to be granted.
    var isConsentWanted = false
    var bearer: ATTBearer
    var outgoing = FragmentQueue()
    /// The packets of it that the controller holds.
    var packetsInController = 0
    /// The end was asked for.
    var isEnding = false
    /// A change of its parameters is on its way; the latest that was asked for meanwhile is next.
    var isUpdating = false
    var nextUpdate: ConnectionParameters?
    /// When one of its channels has something to do, as far as it was noted: it is asked for all the time.
    private(set) var nextDeadline: Duration?

    init(
        handle: ConnectionHandle, ownAddress: PeerAddress, link: LEConnection, database: AttributeDatabase?, mtu: UInt16
    ) {
        self.handle = handle
        self.ownAddress = ownAddress
        self.link = link
        signalling = SignallingChannel(role: link.role == .central ? .central : .peripheral)
        let server = database.map { ATTServer(database: $0, limits: ATTServer.Limits(mtu: mtu)) }
        bearer = ATTBearer(server: server, client: GATTClient(maximumMTU: mtu))
    }

    /// Takes down when one of its channels has something to do.
    mutating func noteDeadline() {
        nextDeadline = bearer.nextDeadline.orEarlier(signalling.nextDeadline).orEarlier(securityManager.nextDeadline)
    }
}

/// Where a link's key comes from.
enum LinkKey: Hashable, Sendable {
    /// From the pairing that is under way.
    case pairing
    /// From the bond with this peer.
    case bond(PeerAddress)
}
