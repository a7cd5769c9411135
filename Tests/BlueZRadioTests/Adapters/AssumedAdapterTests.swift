// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BlueZRadio
import Bluetooth
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

    private static func beacon(_ data: AdvertisingData) -> [HostedBeacon] {
        let advertisement = Advertisement(
            pdu: .connectableScannable, advertisingData: data, interval: AdvertisingInterval(160),
            address: BluetoothAddress("C0:FF:EE:00:00:01"))
        return [HostedBeacon(identifier: BeaconIdentifier("beacon"), services: [], advertisement: advertisement)]
    }

    /// The kernel adds flags on adapters without BR/EDR, and refuses data without room for them.
    @Test(arguments: ["nrf52-zephyr", "nrf52-zephyr-ext"])
    func adaptersForLowEnergyOnlyGetFlags(_ name: String) throws {
        let flagless = Self.beacon([.localName("Beacon", isComplete: true)])
        let assumed = try #require(AssumedAdapter(name))
        let forecast = assumed.forecast(flagless)
        #expect(Self.codes(forecast) == ["data-changed", "address-not-settable"] && forecast.obstacle == nil)
        let messages = forecast.warnings.values.flatMap { $0 }.map(\.message)
        #expect(messages.first?.contains("the kernel puts the flags 020104 in front") == true)
        // What the address is, only the adapter shows.
        #expect(messages.last?.hasSuffix("this one has the adapter's") == true)
        #expect(Self.codes(assumed.forecast(Self.beacon([.flags(.beacon)]))) == ["address-not-settable"])

        let long = Self.beacon([.localName(String(repeating: "n", count: 27), isComplete: true)])
        #expect(assumed.forecast(long).obstacle?.code == .cannotCarry)
        for other in ["legacy", "ax200"] {
            let forecast = try #require(AssumedAdapter(other)).forecast(long)
            #expect(Self.codes(forecast) == ["address-not-settable"] && forecast.obstacle == nil)
        }
    }

    @Test func otherNamesAreNoAdapters() {
        #expect(AssumedAdapter("raspberry-pi-6") == nil)
        #expect(AssumedAdapter("bluetooth-4")?.adapter == AssumedAdapter("legacy")?.adapter)
    }
}
