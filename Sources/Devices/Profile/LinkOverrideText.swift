// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
package import Space

extension LinkOverride {
    /// The keys of an override as a request has them.
    package enum Key: String, Hashable, CaseIterable, Sendable {
        /// The RSSI in dBm, such as `-80`.
        case rssi
        /// An additional loss in dB, such as `6`.
        case loss
        /// The percentage of packets that are lost, such as `25`.
        case packetLoss = "packet-loss"
        /// `true` for a path on which all packets are lost.
        case blocked
        /// The time until the override ends, such as `10s`.
        case duration = "for"
    }

    /// Reads the values of a request; `nil` for none, which removes an override.
    /// - Throws: `ValueFault` for a value that is wrong, or values that exclude each other.
    package init?(_ values: [Key: String]) throws(ValueFault) {
        if values.isEmpty { return nil }
        for (one, other) in [(Key.rssi, Key.loss), (Key.packetLoss, Key.blocked)]
        where values[one] != nil && values[other] != nil {
            throw ValueFault("\(one.rawValue) and \(other.rawValue) exclude each other; leave one out")
        }
        self.init()
        if let text = values[.rssi] { rssi = try ValueText.transmitPower(text).decibelMilliwatts }
        if let text = values[.loss] { loss = try ValueText.decibels(text) }
        if let text = values[.packetLoss] { packetLoss = try ValueText.percentage(text) }
        if let text = values[.blocked], try ValueText.boolean(text) { packetLoss = 1 }
        if let text = values[.duration] {
            duration = try ValueText.duration(
                text, in: .milliseconds(1) ... .seconds(3_600_000), limits: "1ms to 1000h")
        }
        guard Set(values.keys) != [.duration] else {
            throw ValueFault("a time changes nothing alone; give rssi, loss, packet-loss or blocked as well")
        }
    }
}
