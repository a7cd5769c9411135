// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Devices
package import Emulator

package struct OverrideLink: Operation {
    package static let name = "overrideLink"
    package static let method = OperationMethod.put
    package static let path = "/v1/links/{from}/{to}"
    package static let sentence = "Overrides the model on a path of the virtual air."
    package static let fields: [Field<OverrideLink>] = [
        .required("from", .path, \.from, "the beacon, or another advertiser"),
        .required("to", .path, \.to, "the host or the receiver that scans"),
        .optional("rssi", .member, \.rssi, "the RSSI of all packets in dBm, -127 to 20, instead of a loss"),
        .optional("loss", .member, \.loss, "an additional loss in dB, 0 to 100"),
        .optional("packet-loss", .member, \.packetLoss, "the percentage of packets that are lost, 0 to 100"),
        .optional("blocked", .member, \.isBlocked, "whether all packets are lost, instead of a percentage"),
        .optional("for", .member, \.duration, "the time until the override ends, 1ms to 1000h"),
    ]
    package static let failures: [EmulatorError.Code] = [.unknownBeacon, .unsupported]

    package var from = AirName()
    package var to = AirName()
    package var rssi: Setting?
    package var loss: Setting?
    package var packetLoss: Setting?
    package var isBlocked: Setting?
    package var duration: Setting?

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> LinkChangeRecord {
        let pairs: [(LinkOverride.Key, Setting?)] = [
            (.rssi, rssi), (.loss, loss), (.packetLoss, packetLoss), (.blocked, isBlocked), (.duration, duration),
        ]
        let values = Dictionary(
            pairs.compactMap { key, value in value.map { (key, $0.text) } }, uniquingKeysWith: { $1 })
        let change: LinkOverride?
        do throws(ValueFault) {
            change = try LinkOverride(values)
        } catch {
            throw EmulatorError(.badProfile, error.message)
        }
        guard let change else {
            throw EmulatorError(.badProfile, "a link needs rssi, loss, packet-loss or blocked")
        }
        try await run.emulator.air.overrideLink(from: from.text, to: to.text, change)
        return LinkChangeRecord(from: from.text, to: to.text, change)
    }
}
