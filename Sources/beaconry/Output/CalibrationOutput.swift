// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BluetoothCore
import Receiving

/// What a calibration found, as `calibrate` tells it.
struct CalibrationOutput: Encodable {
    let v = 1
    let event = "calibrated"
    let time: String
    let uuid: String
    let major: UInt16
    let minor: UInt16
    /// In dBm.
    let measuredPower: Int8
    /// What the beacon claims so far, in dBm.
    let claimedPower: Int8
    /// How many strengths were heard.
    let samples: Int
    /// How many of them were left out at each end.
    let trimmed: Int
    /// The profile that has it now; absent where none was to.
    let profile: String?
    /// Its beacons that do.
    let ids: [String]?

    init(_ result: CalibrationResult, profile: String?, ids: [String]?) {
        time = Timestamp.now
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

    /// In words.
    var lines: [String] {
        let who = "\(uuid) major \(major) minor \(minor)"
        let written = profile.map { "\($0): \((ids ?? []).joined(separator: ", ")) has it now" }
        return [
            "measured power \(measuredPower) dBm, of \(samples) strengths less \(trimmed) at each end; \(who) claims "
                + "\(claimedPower) dBm", written,
        ].compactMap(\.self)
    }
}

/// Why a calibration gave no measured power.
struct CalibrationFailure: Encodable {
    let v = 1
    let event = "calibration-failed"
    let time = Timestamp.now
    let code: String
    let message: String

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
}
