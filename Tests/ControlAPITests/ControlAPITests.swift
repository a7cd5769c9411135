// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ControlAPI

@Suite struct ControlAPITests {
    @Test(
        arguments: [
            ("127.0.0.1:8080", ControlAddress.tcp(host: "127.0.0.1", port: 8080)),
            ("[::1]:0", .tcp(host: "::1", port: 0)), ("unix:/tmp/a:1", .unix(path: "/tmp/a:1")),
            ("::1:80", nil), ("8080", nil), (":80", nil), ("host:65536", nil), ("unix:", nil),
        ])
    func addressIsParsed(_ text: String, _ address: ControlAddress?) { #expect(ControlAddress(text) == address) }

    @Test func onlyAddressesOfThisMachineNeedNoToken() {
        #expect(ControlAddress("localhost:1")?.isLocal == true)
        #expect(ControlAddress("127.9.9.9:1")?.isLocal == true)
        #expect(ControlAddress("0.0.0.0:1")?.isLocal == false)
        #expect(ControlAddress("[::]:1")?.isLocal == false)
    }
}
