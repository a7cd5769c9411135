// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Bluetooth

struct HostAndPortTests {
    @Test(arguments: [
        ("127.0.0.1:80", true), ("127.255.255.254:80", true), ("127.1:80", true), ("[::1]:80", true),
        ("0.0.0.0:80", false), ("[::]:80", false), ("128.0.0.1:80", false), ("127:80", false),
        // Names, which may be of any machine.
        ("127.example.com:80", false), ("127.0.0.1.example.com:80", false), ("127.0.0.:80", false),
        ("localhost:80", false),
    ])
    func loopbackAddressesAreOfThisMachine(_ text: String, isLoopback: Bool) throws {
        let place = try #require(HostAndPort(text))
        #expect(place.isLoopback == isLoopback)
        #expect("\(place)" == text)
    }
}
