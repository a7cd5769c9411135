// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import HCI
import NIOCore

/// A link to a controller over a stream of bytes.
final class StreamLink: ControllerLink {
    private let handler: H4StreamHandler

    /// Adds H4 to an open channel; to be called on its event loop.
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
