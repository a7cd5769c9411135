// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BeaconryCentral
import BluetoothCore
import Emulator
package import Receiving

/// `expect`: waits until a condition is met, or until it cannot be met any more.
package enum ExpectTool {
    /// Waits, and reports the verdict.
    /// - Throws: `Failure.unmetExpectation` when the condition was not met.
    package static func run(
        _ condition: BeaconExpectation.Condition, on listening: Listening, as format: OutputFormat
    ) async throws {
        let (ending, verdict) = try await listening.result { radio, _ -> BeaconExpectation.Verdict? in
            var expectation = BeaconExpectation(condition, at: .zero)
            for await reception in try await radio.receptions(every: .milliseconds(20)) {
                if let verdict = expectation.take(reception) { return verdict }
            }
            return nil
        }
        guard let verdict = verdict ?? nil else {
            try ending.check()
            throw Failure(exitCode: 1, message: "stopped before the time limit")
        }
        Output.report(VerdictRecord(verdict), as: format)
        if !verdict.isFulfilled { throw Failure.unmetExpectation }
    }
}

/// The verdict of `expect`.
struct VerdictRecord: Encodable, Report {
    private let event = "verdict"
    private let time = Timestamp.now
    private let fulfilled: Bool
    private let message: String
    /// The number of advertisements that matched; with --beacons, of beacons.
    private let count: Int
    /// In seconds.
    private let elapsed: Double
    /// The mean RSSI of the nearest beacon, in dBm; absent when the radio does not know.
    private let rssi: Int?
    /// The distance of the nearest beacon, in metres; absent when it cannot be estimated.
    private let distance: Double?
    /// The nearest beacon; absent when no iBeacon was received.
    private let nearest: Numbers?

    private struct Numbers: Encodable {
        let uuid: String
        let major: UInt16
        let minor: UInt16
    }

    init(_ verdict: BeaconExpectation.Verdict) {
        fulfilled = verdict.isFulfilled
        message = verdict.sentence
        count = verdict.count
        elapsed = (verdict.elapsed / .milliseconds(1)).rounded() / 1000
        rssi = verdict.nearest?.meanRSSI.map { Int($0.rounded()) }
        distance = verdict.nearest?.distance
        nearest = verdict.nearest.map {
            Numbers(uuid: $0.beacon.uuid.description, major: $0.beacon.major, minor: $0.beacon.minor)
        }
    }

    var lines: [String] { [message] }
}
