// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import HCI
import NIOCore

/// A link to one controller, which carries whole HCI packets.
///
/// It lives on one event loop and is used only there.
protocol ControllerLink: AnyObject {
    /// Sends a packet to the controller; after the end it is dropped.
    func send(_ packet: HCIPacket)
    /// Releases the controller. Nothing arrives afterwards.
    func close()
    /// The kernel's name of the adapter, `hci1`, if it is not the one that was asked for.
    var newName: String? { get }
    /// After `close()`: gives the controller back to other programs as it was, if it was changed for this one.
    func restore() async
}

extension ControllerLink {
    var newName: String? { nil }

    func restore() async {}
}

/// The user of a link; called on the link's event loop.
protocol ControllerLinkUser: AnyObject {
    /// The controller sent a packet.
    func linkReceived(_ packet: HCIPacket)
    /// The link has ended; the reason is a clause for people.
    func linkEnded(_ reason: String)
    /// The link was closed, because the bytes received are not HCI; the reason is a clause for people.
    func linkRefused(_ reason: String)
}

extension ControllerLinkUser {
    /// Treats it as another end.
    func linkRefused(_ reason: String) { linkEnded(reason) }
}
