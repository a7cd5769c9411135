// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices
package import Space

/// The override of a path on the virtual air as JSON, with the keys and units of a request for it.
package struct OverrideRecord: Codable, Hashable, Sendable {
    private enum CodingKeys: String, CodingKey {
        case rssi, loss
        case packetLoss = "packet-loss"
        case time = "for"
    }

    /// The RSSI of all packets in dBm; absent for the model's RSSI.
    package let rssi: Int8?
    /// The additional loss in dB; absent for none.
    package let loss: Double?
    /// The percentage of the packets that are lost in addition; absent for none.
    package let packetLoss: Double?
    /// The time until it ends, such as `9.500s`; absent without a limit.
    package let time: String?

    package init(_ override: LinkOverride) {
        rssi = override.rssi
        loss = override.loss == 0 ? nil : override.loss
        packetLoss = override.packetLoss == 0 ? nil : (override.packetLoss * 1e8).rounded() / 1e6
        time = override.duration.map { DeviceWriter.text($0) }
    }

    /// `an RSSI of -70 dBm, for 9.500s`
    var sentence: String {
        [
            rssi.map { "an RSSI of \($0) dBm" }, loss.map { "a loss of \(ValueText.text($0)) dB" },
            packetLoss.map { $0 >= 100 ? "blocked" : "\(ValueText.text($0)) % of its packets are lost" },
            time.map { "for \($0)" },
        ].compactMap(\.self).joined(separator: ", ")
    }
}
