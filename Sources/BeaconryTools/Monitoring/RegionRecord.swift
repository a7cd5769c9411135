// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BluetoothCore
import Emulator
import Receiving

/// A region's state, or a change of it.
struct RegionRecord: Encodable, Report {
    /// entered, exited, or state for a state without a change.
    let event: String
    let time: String
    /// The region's identifier.
    let region: String
    /// unknown, inside or outside.
    let state: String
    let uuid: String
    /// The number of the received beacon, else the region's; absent for any.
    let major: UInt16?
    /// As for `major`.
    let minor: UInt16?
    /// The message of the region; absent if it has none.
    let message: String?
    /// Whether the message and the command are held back because the previous ones were too recent.
    let heldBack: Bool?

    /// The current state of a region.
    init(_ status: RegionStatus) {
        event = "state"
        time = Timestamp.now
        region = status.region.identifier
        state = status.state.rawValue
        uuid = status.region.uuid.description
        major = status.region.major
        minor = status.region.minor
        message = nil
        heldBack = nil
    }

    /// A change of a region's state.
    init(_ change: RegionEvent, message: String?, isHeldBack: Bool) {
        event = change.kind == .determined ? "state" : change.kind.rawValue
        time = Timestamp.now
        region = change.region.identifier
        state = change.state.rawValue
        uuid = change.region.uuid.description
        major = change.beacon?.major ?? change.region.major
        minor = change.beacon?.minor ?? change.region.minor
        self.message = message
        heldBack = isHeldBack
    }

    var lines: [String] {
        let words =
            switch event {
            case "entered": "You're inside the region"
            case "exited": "You're outside the region"
            default: state
            }
        let saying = message.map { ": \($0)" } ?? ""
        return ["\(region): \(words)" + saying + (heldBack == true ? " (said a short time ago)" : "")]
    }

    /// The environment variables of `--exec`.
    var environment: [String: String] {
        let values: [String: String?] = [
            "BEACONRY_EVENT": event, "BEACONRY_TIME": time, "BEACONRY_REGION": region, "BEACONRY_REGION_STATE": state,
            "BEACONRY_UUID": uuid, "BEACONRY_MAJOR": major.map { "\($0)" }, "BEACONRY_MINOR": minor.map { "\($0)" },
            "BEACONRY_MESSAGE": message,
        ]
        return values.mapValues { $0 ?? "" }
    }
}
