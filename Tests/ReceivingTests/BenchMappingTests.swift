// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Testing

@testable import Receiving

@Suite struct BenchMappingTests {
    struct Place: Sendable, CustomTestStringConvertible {
        /// The RSSI of the walk, for a measured power of -59 dBm and an exponent of 2.
        let rssi: Double
        let bench: Int8
        let logDistance: Int8
        let altBeacon: Int8

        var testDescription: String { "\(rssi) dBm, bench \(bench) dBm" }
    }

    private static let measured = MeasuredPower(-59)

    /// Computed independently, for 0.5, 1, 2, 5, 8, 12, 20 and 30 m.
    @Test(arguments: [
        Place(rssi: -52.98, bench: -65, logDistance: -71, altBeacon: -72),
        Place(rssi: -59, bench: -65, logDistance: -65, altBeacon: -65),
        Place(rssi: -65.02, bench: -65, logDistance: -59, altBeacon: -59),
        Place(rssi: -72.98, bench: -65, logDistance: -51, altBeacon: -53),
        Place(rssi: -77.06, bench: -65, logDistance: -47, altBeacon: -50),
        Place(rssi: -80.58, bench: -65, logDistance: -43, altBeacon: -48),
        Place(rssi: -85.02, bench: -65, logDistance: -39, altBeacon: -45),
        Place(rssi: -88.54, bench: -65, logDistance: -35, altBeacon: -43),
        Place(rssi: -52.98, bench: -35, logDistance: -41, altBeacon: -39),
        Place(rssi: -88.54, bench: -35, logDistance: -5, altBeacon: -23),
        Place(rssi: -77.06, bench: -50, logDistance: -32, altBeacon: -38),
        Place(rssi: -85.02, bench: -75, logDistance: -49, altBeacon: -52),
    ])
    func measuredPowerStandsInForTheRSSI(_ place: Place) {
        for (app, expected) in [(BenchApp.logDistance, place.logDistance), (.altBeacon, place.altBeacon)] {
            let mapping = BenchMapping(app, benchRSSI: RSSI(place.bench))
            let result = mapping.power(of: Self.measured, receivedWith: place.rssi)
            #expect(result?.power == MeasuredPower(expected) && result?.isClamped == false)
        }
    }

    /// Before it is rounded, the distance that the app computes is that of the walk.
    @Test(arguments: BenchApp.allCases)
    func distanceIsThatOfTheWalk(_ app: BenchApp) throws {
        let model: DistanceModel = app == .altBeacon ? .altBeacon : .freeSpace
        for bench in stride(from: Int8(-90), through: -30, by: 5) {
            let mapping = BenchMapping(app, benchRSSI: RSSI(bench))
            for rssi in stride(from: -95.0, through: -40, by: 0.5) {
                let walk = try #require(model.distance(rssi: rssi, measuredPower: Self.measured))
                guard let result = mapping.power(of: Self.measured, receivedWith: rssi), !result.isClamped else {
                    continue
                }
                // The shown distance is between those of the neighbouring powers.
                let power = result.power.decibelMilliwatts
                let bounds = [power - 1, power + 1].compactMap {
                    model.distance(rssi: Double(bench), measuredPower: MeasuredPower($0))
                }
                #expect(bounds.count < 2 || bounds[0]...bounds[1] ~= walk, "\(bench) \(rssi)")
            }
        }
    }

    @Test
    func powerBeyondTheRangeIsClamped() {
        let weak = BenchMapping(.logDistance, benchRSSI: RSSI(-30)).power(of: Self.measured, receivedWith: -95)
        #expect(weak?.power == MeasuredPower(-1) && weak?.isClamped == true)
        let strong = BenchMapping(.altBeacon, benchRSSI: RSSI(-90)).power(of: Self.measured, receivedWith: -20)
        #expect(strong?.power == MeasuredPower(-127) && strong?.isClamped == true)
    }

    /// The curves of a ratio need powers below 0.
    @Test
    func ratioOfAPowerThatIsNotNegativeIsNotMapped() {
        let mapping = BenchMapping(.altBeacon, benchRSSI: RSSI(-68))
        #expect(mapping.power(of: MeasuredPower(0), receivedWith: -70) == nil)
        #expect(mapping.power(of: MeasuredPower(4), receivedWith: -70) == nil)
        #expect(mapping.power(of: Self.measured, receivedWith: 0) == nil)
        #expect(BenchMapping(.logDistance, benchRSSI: RSSI(-68)).power(of: MeasuredPower(4), receivedWith: -50) != nil)
    }
}
