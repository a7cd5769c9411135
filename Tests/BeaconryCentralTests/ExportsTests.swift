// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconryCentral
import Receiving
import Testing

@Suite struct ExportsTests {
    @Test func vocabularyIsExported() throws {
        let uuid = UUID128("2173E519-9155-4862-AB64-7953AB146156")
        let beacon = IBeacon(uuid: uuid, major: 1, minor: 2, measuredPower: MeasuredPower(-59))
        #expect(BeaconRegion(identifier: "a", uuid: uuid).contains(beacon))
    }
}
