// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BeaconryCentral
import Bluetooth
import Emulator
import Persistence
package import Receiving

/// `calibrate`: measures the RSSI of a beacon at 1 m.
package enum CalibrateTool {
    /// Measures, reports and, where a profile is given, writes the measured power into it.
    /// - Throws: `Failure` with exit code 1 when there is no result.
    package static func run(
        _ calibration: Calibration, on listening: Listening, writing profile: String?, as format: OutputFormat
    ) async throws {
        let result: CalibrationResult
        switch try await outcome(of: calibration, on: listening, as: format) {
        case .success(let found): result = found
        case .failure(let error):
            if format == .json { Output.report(CalibrationFailure(error), as: format) }
            throw Failure(exitCode: 1, message: format == .json ? "" : "\(error)")
        }
        let ids = try profile.map { try ProfileFiles.setMeasuredPower(result.measuredPower, of: result.beacon, in: $0) }
        Output.report(CalibrationOutput(result, profile: profile, ids: ids), as: format)
    }

    private static func outcome(
        of calibration: Calibration, on listening: Listening, as format: OutputFormat
    ) async throws -> Calibration.Outcome {
        let (ending, value) = try await listening.result { radio, _ -> Calibration.Outcome? in
            var calibration = calibration
            var bar = ProgressBar(isShown: format == .text)
            defer { bar.finish() }
            try calibration.start(at: .zero)
            for await reception in try await radio.receptions(every: .milliseconds(50)) {
                if let end = calibration.take(reception) { return end }
                bar.show(calibration.progress(at: reception.time))
            }
            return calibration.cancel()
        }
        let outcome = (value ?? nil) ?? .failure(.cancelled)
        // The radio's error says more than that the calibration was cancelled.
        if case .failure(.cancelled) = outcome { try ending.check() }
        return outcome
    }
}

/// The result of a calibration.
struct CalibrationOutput: Encodable, Report {
    private let event = "calibrated"
    private let time = Timestamp.now
    private let uuid: String
    private let major: UInt16
    private let minor: UInt16
    /// The result, in dBm.
    private let measuredPower: Int8
    /// The measured power that the beacon advertises, in dBm.
    private let claimedPower: Int8
    /// The number of RSSI values.
    private let samples: Int
    /// The number of values left out at each end.
    private let trimmed: Int
    /// The profile that was changed; absent if none was given.
    private let profile: String?
    /// The ids of the changed beacons in it.
    private let ids: [String]?

    init(_ result: CalibrationResult, profile: String?, ids: [String]?) {
        uuid = result.beacon.uuid.description
        major = result.beacon.major
        minor = result.beacon.minor
        measuredPower = result.measuredPower.decibelMilliwatts
        claimedPower = result.beacon.measuredPower.decibelMilliwatts
        samples = result.samples
        trimmed = result.trimmed
        self.profile = profile
        self.ids = ids
    }

    var lines: [String] {
        let measured =
            "measured power \(measuredPower) dBm, from \(samples) RSSI values without \(trimmed) at each end; "
            + "\(uuid) major \(major) minor \(minor) claims \(claimedPower) dBm"
        guard let profile, let ids else { return [measured] }
        let names = ids.map { "\"\($0)\"" }.joined(separator: ", ")
        return [measured, "wrote measured-power \(measuredPower) for \(names) to \(profile)"]
    }
}

/// Why a calibration has no result.
struct CalibrationFailure: Encodable, Report {
    private let event = "calibration-failed"
    private let time = Timestamp.now
    private let code: String
    private let message: String

    init(_ error: CalibrationError) {
        code =
            switch error {
            case .moreThanOneBeacon: "more-than-one-beacon"
            case .cancelled: "cancelled"
            case .noneFound: "none-found"
            case .alreadyRunning: "already-running"
            }
        message = "\(error)"
    }

    var lines: [String] { [message] }
}
