// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import HCI
import NIOCore

/// The way to one controller: whole HCI packets to it and from it.
///
/// It lives on one event loop, and is used on it only.
protocol ControllerLink: AnyObject {
    /// Sends a packet to the controller; after the end it is dropped.
    func send(_ packet: HCIPacket)
    /// Gives the controller back. Nothing arrives afterwards.
    func close()
}

/// Who takes what arrives on a link; called on the link's event loop.
protocol ControllerLinkUser: AnyObject {
    /// A packet of the controller.
    func linkReceived(_ packet: HCIPacket)
    /// The link is gone; the reason is a clause for people.
    func linkEnded(_ reason: String)
    /// The link is closed, because what came is not HCI; the reason is a clause for people.
    func linkRefused(_ reason: String)
}

extension ControllerLinkUser {
    /// One end is as good as another.
    func linkRefused(_ reason: String) { linkEnded(reason) }
}
