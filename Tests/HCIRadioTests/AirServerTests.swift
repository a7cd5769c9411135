// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing

@testable import HCIRadio

struct AirServerTests {
    @Test(arguments: [("127.0.0.1", "tcp:127.0.0.1:18099"), ("::1", "tcp:[::1]:18099")])
    func nameIsWhatTheOptionTakes(_ address: String, _ name: String) throws {
        #expect(AirServer.name(of: try SocketAddress(ipAddress: address, port: 18099)) == name)
    }
}
