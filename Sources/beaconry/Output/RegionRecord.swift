// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BluetoothCore
import Receiving

/// A region's state, or a change of it, as `monitor` tells it.
struct RegionRecord: Encodable {
    let v = 1
    /// entered, exited, or state where nobody came or went.
    let event: String
    let time: String
    /// The region's identifier.
    let region: String
    /// unknown, inside or outside.
    let state: String
    let uuid: String
    /// The beacon's number where one was heard, else the region's; absent for any.
    let major: UInt16?
    /// The same.
    let minor: UInt16?
    /// What is to be said; absent for nothing.
    let message: String?
    /// Whether nothing is said or run, since the last time is too short ago.
    let heldBack: Bool?

    /// The state that a region has.
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

    /// In words.
    var line: String {
        let words =
            switch event {
            case "entered": "You're inside the region"
            case "exited": "You're outside the region"
            default: state
            }
        let saying = message.map { ": \(ScanRecord.printable($0))" } ?? ""
        return "\(region): \(words)" + saying + (heldBack == true ? " (said a short time ago)" : "")
    }

    /// What a command that is run gets in its environment.
    var environment: [String: String] {
        let values: [String: String?] = [
            "BEACONRY_EVENT": event, "BEACONRY_TIME": time, "BEACONRY_REGION": region, "BEACONRY_REGION_STATE": state,
            "BEACONRY_UUID": uuid, "BEACONRY_MAJOR": major.map { "\($0)" }, "BEACONRY_MINOR": minor.map { "\($0)" },
            "BEACONRY_MESSAGE": message,
        ]
        return values.mapValues { $0 ?? "" }
    }
}
