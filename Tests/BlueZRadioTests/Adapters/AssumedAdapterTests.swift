// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BlueZRadio
import BluetoothCore
import Radio
import Testing

@Suite struct AssumedAdapterTests {
    private static func beacons(_ count: Int, connectable: Bool = false, power: Int8? = nil) -> [HostedBeacon] {
        (0..<count).map { number in
            HostedBeacon(
                identifier: BeaconIdentifier("beacon-\(number)"), services: [],
                advertisement: Advertisement(
                    pdu: connectable ? .connectableScannable : .nonConnectable, advertisingData: [.flags(.beacon)],
                    interval: AdvertisingInterval(160), transmitPower: power.map { TransmitPower($0) }),
                advertisesWhileConnected: false)
        }
    }

    private static func codes(_ forecast: RadioForecast) -> [String] {
        forecast.warnings.values.flatMap { $0 }.map(\.code)
    }

    @Test(arguments: KnownAdapter.names)
    func carriesItsNumberOfAdvertisements(_ name: String) throws {
        let assumed = try #require(AssumedAdapter(name))
        #expect(assumed.forecast([]).capabilities.name == name)
        guard let instances = assumed.adapter.instances else {
            let forecast = assumed.forecast(Self.beacons(30))
            #expect(forecast.fitting == 30 && forecast.obstacle == nil)
            #expect(Self.codes(forecast) == Array(repeating: "sets-unknown", count: 30))
            #expect(Self.codes(assumed.forecast(Self.beacons(1))).isEmpty)
            return
        }
        let full = assumed.forecast(Self.beacons(instances))
        #expect(full.fitting == instances && full.obstacle == nil)
        let more = assumed.forecast(Self.beacons(instances + 1))
        #expect(more.fitting == instances)
        #expect(more.obstacle?.code == .cannotCarry)
        #expect(more.obstacle?.message.hasPrefix("\(instances) of \(instances + 1) beacons fit on \(name)") == true)
    }

    @Test(arguments: KnownAdapter.all.filter { $0.instances ?? 0 > 1 })
    func legacyControllersTakeTurns(_ adapter: KnownAdapter) {
        let warnings = Self.codes(AssumedAdapter(adapter).forecast(Self.beacons(2, connectable: true)))
        #expect(warnings == (adapter.isExtended ? [] : ["time-shared", "time-shared"]))
        #expect(Self.codes(AssumedAdapter(adapter).forecast(Self.beacons(1, connectable: true))).isEmpty)
    }

    @Test(arguments: [(-34, nil), (7, nil), (-35, "-34 dBm instead"), (8, "7 dBm instead")] as [(Int8, String?)])
    func powerIsComparedWithTheRange(_ power: Int8, nearest: String?) throws {
        let forecast = try #require(AssumedAdapter("ax200")).forecast(Self.beacons(1, power: power))
        let warnings = forecast.warnings.values.flatMap { $0 }
        #expect(warnings.map(\.code) == (nearest == nil ? [] : ["tx-power-changed"]))
        if let nearest { #expect(warnings.first?.message.hasSuffix(nearest) == true) }
    }

    @Test func powerIsIgnoredOnLegacyControllers() throws {
        let forecast = try #require(AssumedAdapter("raspberry-pi-4")).forecast(
            Self.beacons(1, connectable: true, power: 0))
        #expect(Self.codes(forecast) == ["tx-power-ignored"])
    }

    @Test func otherNamesAreNoAdapters() {
        #expect(AssumedAdapter("raspberry-pi-6") == nil)
        #expect(AssumedAdapter("bluetooth-4")?.adapter == AssumedAdapter("legacy")?.adapter)
    }
}
