// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import Emulator

package struct Disconnect: Operation {
    package static let name = "disconnect"
    package static let method = OperationMethod.post
    package static let path = "/v1/air/{name}/disconnect"
    package static let sentence = "Ends the connections of a beacon or a host, all or those with one peer."
    package static let fields: [Field<Disconnect>] = [
        .required("name", .path, \.target, "the name on the air of a beacon, a receiver or a host"),
        .optional("peer", .member, \.peer, "the address or the name of the other end; without it, all"),
        .optional("reason", .member, \.reason, "the reason that the other end gets; without it, remote-user"),
    ]
    package static let failures: [EmulatorError.Code] = [.unknownBeacon, .unknownPeer, .radio, .unsupported]

    package var target = AirName()
    package var peer: String?
    package var reason: DisconnectionReason?

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> DisconnectionRecord {
        let reason = reason ?? .remoteUser
        let peers = try await run.emulator.disconnect(target.text, from: peer, reason)
        return DisconnectionRecord(name: target.text, peers: peers, reason: reason.rawValue)
    }
}
