// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BlueZRadio
import BluetoothCore
import Radio
import Testing

@Suite struct AssumedAdapterTests {
    private static func beacons(_ count: Int, connectable: Bool = false) -> [HostedBeacon] {
        (0..<count).map { number in
            HostedBeacon(
                identifier: BeaconIdentifier("beacon-\(number)"), services: [],
                advertisement: Advertisement(
                    pdu: connectable ? .connectableScannable : .nonConnectable, advertisingData: [.flags(.beacon)],
                    interval: AdvertisingInterval(160)), advertisesWhileConnected: false)
        }
    }

    @Test(arguments: AssumedAdapter.allCases)
    func carriesItsNumberOfAdvertisements(_ adapter: AssumedAdapter) {
        let full = adapter.forecast(Self.beacons(adapter.instances))
        #expect(full.fitting == adapter.instances && full.obstacle == nil)
        let more = adapter.forecast(Self.beacons(adapter.instances + 1))
        #expect(more.fitting == adapter.instances)
        #expect(more.obstacle?.code == .cannotCarry)
        #expect(
            more.obstacle?.message.hasPrefix("\(adapter.instances) of \(adapter.instances + 1) beacons fit") == true)
    }

    @Test(arguments: AssumedAdapter.allCases)
    func legacyControllersTakeTurns(_ adapter: AssumedAdapter) {
        let warnings = adapter.forecast(Self.beacons(2, connectable: true)).warnings.values.flatMap { $0 }.map(\.code)
        #expect(warnings == (adapter.isExtended ? [] : ["time-shared", "time-shared"]))
        let alone = adapter.forecast(Self.beacons(1, connectable: true)).warnings.values.flatMap { $0 }
        #expect(alone.isEmpty)
    }
}
