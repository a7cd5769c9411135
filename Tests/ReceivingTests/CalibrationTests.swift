// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Receiving
import Testing

@Suite struct CalibrationTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        var region = BeaconRegion.museum()
        let trace: Trace
        let outcome: Calibration.Outcome

        var testDescription: String { name }

        static func found(_ power: Int8, samples: Int, trimmed: Int, claimed: Int8 = -59) -> Calibration.Outcome {
            .success(
                CalibrationResult(
                    beacon: .sample(power: claimed), measuredPower: MeasuredPower(power), samples: samples,
                    trimmed: trimmed))
        }
    }

    @Test(arguments: [
        Row(
            name: "a steady beacon", trace: .steady(-61, of: .sample(power: -70), to: .seconds(30)),
            outcome: Row.found(-61, samples: 200, trimmed: 20, claimed: -70)),
        Row(name: "one RSSI value is enough", trace: .recorded("-61"), outcome: Row.found(-61, samples: 1, trimmed: 0)),
        Row(
            name: "of nine values none is left out", trace: .recorded("-20 -60 -60 -60 -60 -60 -60 -60 -61"),
            outcome: Row.found(-55, samples: 9, trimmed: 0)),
        Row(
            name: "of ten values one is left out at each end",
            trace: .recorded("-60 -20 -60 -60 -60 -60 -60 -60 -60 -99"),
            outcome: Row.found(-60, samples: 10, trimmed: 1)),
        Row(
            name: "of nineteen values one is left out at each end",
            trace: .recorded("-20 -20 -60 -60 -60 -60 -60 -60 -60 -60 -60 -60 -60 -60 -60 -60 -60 -60 -99"),
            outcome: Row.found(-57, samples: 19, trimmed: 1)),
        Row(
            name: "the integer part, not the nearest integer", trace: .recorded("-60 -60 -59"),
            outcome: Row.found(-59, samples: 3, trimmed: 0)),
        Row(
            name: "the integer part of a negative mean is the greater integer",
            trace: .recorded("-60 -60 -60 -61 -61 -61"),
            outcome: Row.found(-60, samples: 6, trimmed: 0)),
        Row(
            name: "the order does not matter", trace: .recorded("-99 -62 -58 -60 -61 -59 -60 -20 -63 -57"),
            outcome: Row.found(-60, samples: 10, trimmed: 1)),
        Row(
            name: "unknown RSSI values do not count", trace: .recorded("127 ? -60 -64"),
            outcome: Row.found(-62, samples: 2, trimmed: 0)),
        Row(
            name: "advertisements at the end or later do not count",
            trace: .recorded("-60 -60 -40", every: .milliseconds(10_000)),
            outcome: Row.found(-60, samples: 2, trimmed: 0)),
        Row(name: "nothing received", trace: .nothing, outcome: .failure(.noneFound(withoutRSSI: 0))),
        Row(
            name: "beacons of other regions", trace: .recorded("-59 -59", of: .sample(uuid: .shop)),
            outcome: .failure(.noneFound(withoutRSSI: 0))),
        Row(
            name: "received without RSSI", trace: .recorded("127 ? ?"),
            outcome: .failure(.noneFound(withoutRSSI: 3))),
        Row(
            name: "a second beacon",
            trace: .recorded("-59 -59", of: .sample(1, 1)) + .recorded(". . ?", of: .sample(1, 2)),
            outcome: .failure(
                .moreThanOneBeacon(BeaconIdentity(.sample(1, 1)), BeaconIdentity(.sample(1, 2))))),
        Row(
            name: "a second beacon outside of the region", region: .museum("lamp", 1, 1),
            trace: .recorded("-59 -59", of: .sample(1, 1)) + .recorded(". . -59", of: .sample(1, 2)),
            outcome: Row.found(-59, samples: 2, trimmed: 0)),
    ])
    func tracesGiveTheirOutcome(_ row: Row) throws {
        var calibration = Calibration(row.region)
        try calibration.start(at: .zero)
        var outcomes = row.trace.samples.compactMap { calibration.receive($0.beacon, rssi: $0.rssi, at: $0.time) }
        if let outcome = calibration.advance(to: .seconds(20)) { outcomes.append(outcome) }
        #expect(outcomes == [row.outcome])
        #expect(!calibration.isRunning)
        #expect(calibration.advance(to: .seconds(100)) == nil)
        #expect(calibration.receive(.sample(), rssi: RSSI(-59), at: .seconds(100)) == nil)
    }

    @Test func progressGoesFromNothingToAll() throws {
        var calibration = Calibration(.museum())
        #expect(calibration.progress(at: .seconds(3)) == 0)
        #expect(calibration.nextDeadline == nil)
        try calibration.start(at: .seconds(5))
        #expect(calibration.nextDeadline == .seconds(25))
        #expect(
            [0, 5, 10, 15, 20, 25, 30].map { calibration.progress(at: .seconds($0)) } == [0, 0, 0.25, 0.5, 0.75, 1, 1])
        #expect(calibration.advance(to: .seconds(25) - .nanoseconds(1)) == nil)
        #expect(calibration.isRunning)
        #expect(calibration.advance(to: .seconds(25)) == .failure(.noneFound(withoutRSSI: 0)))
    }

    @Test func calibrationCannotBeStartedTwice() throws {
        var calibration = Calibration(.museum(), duration: .seconds(2))
        #expect(calibration.cancel() == nil)
        try calibration.start(at: .zero)
        _ = calibration.receive(.sample(), rssi: RSSI(-40), at: .seconds(1))
        #expect(throws: CalibrationError.alreadyRunning) { try calibration.start(at: .seconds(1)) }
        #expect(calibration.isRunning)
        #expect(calibration.cancel() == .failure(.cancelled))
        #expect(!calibration.isRunning)
        // The new calibration starts without the values of the old one.
        try calibration.start(at: .seconds(10))
        _ = calibration.receive(.sample(), rssi: RSSI(-60), at: .seconds(11))
        #expect(calibration.advance(to: .seconds(12)) == Row.found(-60, samples: 1, trimmed: 0))
    }

    @Test(arguments: [
        (
            CalibrationError.moreThanOneBeacon(BeaconIdentity(.sample(1, 1)), BeaconIdentity(.sample(1, 2))),
            "more than one"
        ),
        (.cancelled, "the calibration was cancelled"), (.alreadyRunning, "a calibration is running already"),
        (.noneFound(withoutRSSI: 0), "no beacon of this kind was received"),
        (.noneFound(withoutRSSI: 1), "the beacon was received 1 time, but"),
        (.noneFound(withoutRSSI: 3), "the beacon was received 3 times, but"),
    ])
    func errorsAreSentences(_ error: CalibrationError, _ start: String) {
        #expect(error.description.hasPrefix(start))
        #expect(!error.description.hasSuffix("."))
    }
}
