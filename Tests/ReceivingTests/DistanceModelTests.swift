// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Receiving
import Testing

@Suite struct DistanceModelTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let model: String
        let rssi: Double
        var power: Int8 = -59
        let metres: Double?

        var testDescription: String { "\(model) \(rssi) of \(power)" }
    }

    /// The values of the formulas, computed independently.
    @Test(arguments: [
        Vector(model: "android", rssi: -59, metres: 1.01076),
        Vector(model: "android", rssi: -58, metres: 0.842868491626227),
        Vector(model: "android", rssi: -41, metres: 0.026261434835529902),
        Vector(model: "android", rssi: -30, metres: 0.0011552937683744259),
        Vector(model: "android", rssi: -59.5, metres: 1.0712440961083167),
        Vector(model: "android", rssi: -60, metres: 1.1352362990362899),
        Vector(model: "android", rssi: -65, metres: 2.0094476303970144),
        Vector(model: "android", rssi: -70, metres: 3.472448313889541),
        Vector(model: "android", rssi: -79, metres: 8.651811928849053),
        Vector(model: "android", rssi: -90, metres: 23.44427636162588),
        Vector(model: "android", rssi: -100, metres: 52.68161992835257),
        Vector(model: "android", rssi: -65, power: -77, metres: 0.1837495629159977),
        Vector(model: "android", rssi: -127, power: -1, metres: 1.4907385037386012e+16),
        Vector(model: "nexus5", rssi: -59, metres: 0.97085),
        Vector(model: "nexus5", rssi: -58, metres: 0.842868491626227),
        Vector(model: "nexus5", rssi: -60, metres: 1.0229863645671935),
        Vector(model: "nexus5", rssi: -70, metres: 1.9304364502555003),
        Vector(model: "nexus5", rssi: -79, metres: 3.7487592979369264),
        Vector(model: "nexus5", rssi: -100, metres: 17.00266790213622),
        Vector(model: "0.42093,6.9476,0.54992", rssi: -70, metres: 1.9304364502555003),
        Vector(model: "0.42093, 6.9476, 0.54992", rssi: -70, metres: 1.9304364502555003),
        Vector(model: "log-distance", rssi: -59, metres: 1),
        Vector(model: "log-distance", rssi: -79, metres: 10),
        Vector(model: "log-distance", rssi: -39, metres: 0.1),
        Vector(model: "log-distance", rssi: -84, metres: 17.78279410038923),
        Vector(model: "log-distance:2.5", rssi: -79, metres: 6.309573444801933),
        Vector(model: "log-distance:2.5", rssi: -84, metres: 10),
        Vector(model: "log-distance:4", rssi: -84, metres: 4.216965034285822),
        Vector(model: "log-distance", rssi: 1, power: 21, metres: 10),
        // Unknown: no RSSI, no measured power, or a meaningless ratio.
        Vector(model: "android", rssi: 0, metres: nil),
        Vector(model: "android", rssi: 127, metres: nil),
        Vector(model: "android", rssi: -128, metres: nil),
        Vector(model: "android", rssi: .nan, metres: nil),
        Vector(model: "android", rssi: -59, power: 0, metres: nil),
        Vector(model: "android", rssi: 5, metres: nil),
        Vector(model: "android", rssi: -59, power: 116, metres: nil),
        Vector(model: "log-distance", rssi: 0, metres: nil),
        Vector(model: "log-distance", rssi: 127, metres: nil),
        Vector(model: "log-distance", rssi: -59, power: 0, metres: nil),
        Vector(model: "log-distance:0.001", rssi: -127, metres: nil),
        Vector(model: "1,1,-9", rssi: -60, metres: nil),
        Vector(model: "1,1e300,0", rssi: -60, metres: nil),
    ])
    func distanceMatchesTheFormula(_ vector: Vector) throws {
        let model = try DistanceModel(vector.model)
        let distance = model.distance(rssi: vector.rssi, measuredPower: MeasuredPower(vector.power))
        guard let distance, let metres = vector.metres else {
            #expect(distance == vector.metres)
            return
        }
        #expect(abs(distance - metres) <= metres * 1e-12)
    }

    @Test func unknownRSSIHasNoDistance() {
        let power = MeasuredPower(-59)
        #expect(DistanceModel.android.distance(rssi: nil, measuredPower: power) == nil)
        #expect(DistanceModel.android.distance(rssi: .unavailable, measuredPower: power) == nil)
        #expect(DistanceModel.android.distance(rssi: RSSI(-59), measuredPower: power) == 1.01076)
    }

    @Test(arguments: [
        ("android", DistanceModel.android), ("altbeacon", .altBeacon), ("log-distance", .logDistance(exponent: 2)),
        ("log-distance:2.5", .logDistance(exponent: 2.5)), ("1.0,2.0,-0.5", .powerRatio(a: 1, b: 2, c: -0.5)),
    ])
    func namesAreReadAndReported(_ name: String, _ model: DistanceModel) throws {
        #expect(try DistanceModel(name) == model)
        #expect(model.description == name)
    }

    @Test func curveHasTheNameOfItsPhoneToo() throws { #expect(try DistanceModel("nexus5") == .altBeacon) }

    @Test(arguments: [
        "", "Android", "iphone", "log-distance:", "log-distance:0", "log-distance:-2", "log-distance:nan",
        "log-distance:inf", "log-distance:2,5", "1,2", "1,2,", "1,2,3,4", "0,2,3", "1,-2,3", "1,2,nan", "a,b,c",
    ])
    func otherNamesAreRefused(_ name: String) throws {
        let error = #expect(throws: DistanceModel.UnknownName.self) { _ = try DistanceModel(name) }
        let sentence = try #require(error).description
        #expect(sentence.hasPrefix("\"\(name)\" is not a distance model; write altbeacon, android, log-distance"))
    }

    @Test(
        arguments: [
            (nil, .unknown), (-1, .unknown), (.nan, .unknown), (0, .immediate), (0.499, .immediate), (0.5, .near),
            (4, .near), (4.001, .far), (.infinity, .far),
        ] as [(Double?, Proximity)])
    func proximityFollowsTheDefaultThresholds(_ distance: Double?, _ proximity: Proximity) {
        #expect(ProximityThresholds.standard.proximity(at: distance) == proximity)
    }

    @Test func thresholdsAreSettable() throws {
        let thresholds = try #require(ProximityThresholds(immediate: 1, near: 10))
        #expect([0.9, 1, 10, 10.1].map { thresholds.proximity(at: $0) } == [.immediate, .near, .near, .far])
        #expect(try #require(ProximityThresholds(immediate: 2, near: 2)).proximity(at: 2) == .near)
        for (immediate, near) in [(2, 1), (-1, 1), (Double.nan, 1), (0, .infinity)] {
            #expect(ProximityThresholds(immediate: immediate, near: near) == nil)
        }
    }
}
