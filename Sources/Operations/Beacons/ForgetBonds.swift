// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

package struct ForgetBonds: Operation {
    package static let name = "forgetBonds"
    package static let method = OperationMethod.delete
    package static let path = "/v1/bonds"
    package static let sentence = "Removes the bonds of a beacon, or the one with a peer."
    package static let fields: [Field<ForgetBonds>] = [
        .required("beacon", .query, \.beacon, "the id of a beacon"),
        .optional("peer", .query, \.peer, "the identity address of a peer"),
    ]
    package static let failures: [EmulatorError.Code] = [.unknownBeacon, .unknownPeer]

    package var beacon = BeaconName()
    package var peer: PeerAddress?

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Forgotten {
        Forgotten(forgotten: try await run.emulator.forgetBonds(of: beacon.text, address: peer?.address))
    }
}

/// The bonds that were removed.
package struct Forgotten: ReadableRecord {
    package static let schema = Schema.record(
        "Forgotten", [.required("forgotten", .integer, "the number of removed bonds")])

    package let forgotten: Int
}
