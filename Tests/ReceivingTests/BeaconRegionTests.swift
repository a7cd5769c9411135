// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Receiving
import Testing

@Suite struct BeaconRegionTests {
    @Test(
        arguments: [
            (nil, nil, true), (2, nil, true), (2, 3, true), (nil, 3, true), (3, nil, false), (2, 4, false),
        ] as [(UInt16?, UInt16?, Bool)])
    func numbersNarrowIt(_ major: UInt16?, _ minor: UInt16?, _ contains: Bool) throws {
        let uuid = UUID128("2173E519-9155-4862-AB64-7953AB146156")
        let beacon = IBeacon(uuid: uuid, major: 2, minor: 3, measuredPower: MeasuredPower(-59))
        let region = BeaconRegion(identifier: "a", uuid: uuid, major: major, minor: minor)
        #expect(region.contains(beacon) == contains)
    }
}
