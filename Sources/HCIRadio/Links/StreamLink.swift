// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import HCI
import NIOCore

/// A controller behind a stream of octets.
final class StreamLink: ControllerLink {
    private let handler: H4StreamHandler

    /// Puts H4 on a channel that is open already; to be called on its event loop.
    init(_ channel: any Channel, user: any ControllerLinkUser) throws {
        handler = H4StreamHandler(user: user)
        try channel.pipeline.syncOperations.addHandler(handler)
    }

    func send(_ packet: HCIPacket) {
        handler.write(packet)
        handler.flush()
    }

    func close() {
        handler.close()
    }
}
