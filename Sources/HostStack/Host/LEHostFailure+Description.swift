// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

extension LEHostFailure: CustomStringConvertible {
    /// One clause for people: `LE Set Advertising Enable: command disallowed (0x0C)`.
    package var description: String {
        switch self {
        case .command(let opcode, let status): "\(opcode.name): \(status)"
        case .unanswered(let opcode, let time): "\(opcode.name): the controller did not answer within \(time)"
        case .unreadable(let opcode): "\(opcode.name): the controller's answer cannot be read"
        case .hardware(let code): "the controller's hardware failed with code \(code)"
        case .tooManyAdvertisingSets(let limit): "the controller has \(limit) advertising sets only"
        case .malformed: "no controller can send this advertisement"
        case .notStaticRandom(let address): "\(address) is not a static random address"
        case .noPublicAddress: "the controller has no public address"
        case .invalidParameters: "the parameters are out of range"
        case .timedOut: "the peer did not answer in time"
        case .cancelled: "it was cancelled"
        case .connection(let status): "\(status)"
        case .restarted: "the controller was started anew"
        case .busy: "too much is waiting already"
        }
    }
}
