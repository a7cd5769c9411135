// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Emulator
import Receiving

/// A region's state, or a change of it.
struct RegionRecord: Encodable, Report {
    private enum CodingKeys: CodingKey {
        case event, time, region, state, message, heldBack
    }

    /// `entered` or `exited`; `state` for a current state, and for a change from unknown to outside.
    let event: String
    let time: String
    /// The region's identifier.
    let region: String
    /// unknown, inside or outside.
    let state: String
    /// The identifiers of the beacon that entered the region, else the region's; a number is absent if the region includes any.
    let identifiers: IdentifierRecord
    /// The region's hello or goodbye; absent if it has none, if it is suppressed, and for the event `state`.
    let message: String?
    /// Whether `at-most-once-per` suppresses the message and the command of this change; absent for a current state.
    let heldBack: Bool?

    /// The current state of a region.
    init(_ status: RegionStatus) {
        event = "state"
        time = Timestamp.now
        region = status.region.identifier
        state = status.state.rawValue
        identifiers = IdentifierRecord(status.region.identifiers)
        message = nil
        heldBack = nil
    }

    /// A change of a region's state.
    init(_ change: RegionEvent, message: String?, isHeldBack: Bool) {
        event = change.kind == .determined ? "state" : change.kind.rawValue
        time = Timestamp.now
        region = change.region.identifier
        state = change.state.rawValue
        identifiers =
            change.beacon.map { IdentifierRecord($0.identity) } ?? IdentifierRecord(change.region.identifiers)
        self.message = message
        heldBack = isHeldBack
    }

    func encode(to encoder: any Encoder) throws {
        try identifiers.encode(to: encoder)
        var object = encoder.container(keyedBy: CodingKeys.self)
        try object.encode(event, forKey: .event)
        try object.encode(time, forKey: .time)
        try object.encode(region, forKey: .region)
        try object.encode(state, forKey: .state)
        try object.encodeIfPresent(message, forKey: .message)
        try object.encodeIfPresent(heldBack, forKey: .heldBack)
    }

    var lines: [String] {
        let words =
            switch event {
            case "entered": "You're inside the region"
            case "exited": "You're outside the region"
            default: state
            }
        let messageText = message.map { ": \($0)" } ?? ""
        let note = heldBack == true ? " (suppressed: the previous one is too recent)" : ""
        return ["\(region): \(words)" + messageText + note]
    }

    /// The environment variables of `--exec`.
    var environment: [String: String] {
        let values: [String: String?] = [
            "BEACONRY_EVENT": event, "BEACONRY_TIME": time, "BEACONRY_REGION": region, "BEACONRY_REGION_STATE": state,
            "BEACONRY_UUID": identifiers.uuid, "BEACONRY_MAJOR": identifiers.major.map { "\($0)" },
            "BEACONRY_MINOR": identifiers.minor.map { "\($0)" }, "BEACONRY_NAMESPACE": identifiers.namespace,
            "BEACONRY_INSTANCE": identifiers.instance, "BEACONRY_MESSAGE": message,
        ]
        return values.mapValues { $0 ?? "" }
    }
}
