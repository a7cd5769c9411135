// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
package import Bluetooth
package import HCI

/// The reason why a host could not fulfil a request.
package enum LEHostFailure: Error, Hashable, Sendable {
    /// The controller refused this command.
    case command(HCIOpcode, HCIStatus)
    /// The controller refused this command, most likely because of something else that it does.
    case conflict(HCIOpcode, HCIStatus, with: LEActivity)
    /// The controller did not reply to this command in time.
    case unanswered(HCIOpcode, after: Duration)
    /// The controller has replied that it has room for no command, and has not reported any for this time (Core 5.4, Vol 4, Part E,
    /// 4.4).
    case noRoom(for: Duration)
    /// The controller's reply to this command cannot be read.
    case unreadable(HCIOpcode)
    /// The controller reports a hardware error, with a code of its vendor.
    case hardware(code: UInt8)
    /// The controller has this number of advertising sets, and all are in use.
    case tooManyAdvertisingSets(limit: Int)
    /// No controller can send this advertisement.
    case malformed([Advertisement.Problem])
    /// The address is not a static random one.
    case notStaticRandom(BluetoothAddress)
    /// The controller has no public address.
    case noPublicAddress
    /// The parameters are out of range.
    case invalidParameters
    /// The peer did not respond in time.
    case timedOut
    /// The owner cancelled the request.
    case cancelled
    /// The connection could not be made, or ended, for this reason.
    case connection(HCIStatus)
    /// The controller was lost or restarted.
    case restarted
    /// Too many requests are waiting.
    case busy

    /// Whether the controller did not reply at all.
    var isSilence: Bool {
        if case .unanswered = self { true } else { false }
    }

    /// The status with which the controller refused a command.
    var status: HCIStatus? {
        switch self {
        case .command(_, let status), .conflict(_, let status, _): status
        default: nil
        }
    }

    /// The activity of the controller beside which it refuses a command.
    package var activity: LEActivity? {
        if case .conflict(_, _, let activity) = self { activity } else { nil }
    }
}

/// What a controller does at a time. Not every controller does each beside each other (Core 5.4, Vol 4, Part E, 7.8.27).
package enum LEActivity: Hashable, Sendable {
    case advertising
    case scanning
    /// Making a connection as central.
    case connecting
    /// Having a connection.
    case connection

    /// A clause for a message: `it has a connection`.
    var clause: String {
        switch self {
        case .advertising: "it advertises"
        case .scanning: "it scans"
        case .connecting: "it makes a connection"
        case .connection: "it has a connection"
        }
    }
}

extension LEHostFailure: CustomStringConvertible {
    /// A clause for a message: `LE Set Advertising Enable: command disallowed (0x0C)`.
    package var description: String {
        switch self {
        case .command(let opcode, let status): "\(opcode.name): \(status)"
        case .conflict(let opcode, let status, let activity): "\(opcode.name) while \(activity.clause): \(status)"
        case .unanswered(let opcode, let time): "\(opcode.name): the controller did not answer within \(time)"
        case .noRoom(let time):
            "the controller takes no more commands: for \(time), Num_HCI_Command_Packets has been 0"
        case .unreadable(let opcode): "\(opcode.name): the controller's reply cannot be read"
        case .hardware(let code): "the controller reports hardware error \(code)"
        case .tooManyAdvertisingSets(let limit):
            "the controller has only \(limit) advertising set\(limit == 1 ? "" : "s")"
        case .malformed: "no controller can send this advertisement"
        case .notStaticRandom(let address): "\(address) is not a static random address"
        case .noPublicAddress: "the controller has no public address"
        case .invalidParameters: "the parameters are out of range"
        case .timedOut: "the peer did not answer in time"
        case .cancelled: "cancelled"
        case .connection(let status): "\(status)"
        case .restarted: "the controller was restarted"
        case .busy: "too many requests are waiting"
        }
    }
}
