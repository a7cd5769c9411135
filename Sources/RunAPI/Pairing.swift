// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Devices
package import Emulator
package import JSON
package import Radio
import Space

package struct RequestPairing: Operation {
    package static let name = "requestPairing"
    package static let method = OperationMethod.post
    package static let path = "/v1/beacons/{beacon}/pair"
    package static let sentence = "Asks the connected centrals of a beacon to pair."
    package static let fields: [Field<RequestPairing>] = [
        .required("beacon", .path, \.beacon, "the id of a beacon")
    ]
    package static let failures: [EmulatorError.Code] = [.unknownBeacon, .conflict]

    package var beacon = BeaconName()

    package var patience: Duration? { Patience.ofConnection }

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Nothing {
        try await run.emulator.requestSecurity(of: beacon.text)
        return Nothing()
    }
}

package struct AnswerPairing: Operation {
    package static let name = "answerPairing"
    package static let method = OperationMethod.post
    package static let path = "/v1/beacons/{beacon}/pair/answer"
    package static let sentence = "Answers the question of a pairing."
    package static let fields: [Field<AnswerPairing>] = [
        .required("beacon", .path, \.beacon, "the id of a beacon"),
        .required("answer", .member, \.answer, "accept, reject, cancel, or the six digits of a passkey"),
    ]
    package static let failures: [EmulatorError.Code] = [.unknownBeacon, .conflict]

    package var beacon = BeaconName()
    package var answer = PairingAnswer.cancel

    package var patience: Duration? { Patience.ofConnection }

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Nothing {
        try await run.emulator.answerPairing(answer, of: beacon.text)
        return Nothing()
    }
}

package struct ListBonds: Operation {
    package static let name = "listBonds"
    package static let method = OperationMethod.get
    package static let path = "/v1/bonds"
    package static let sentence = "The bonds of all beacons, or of one."
    package static let fields: [Field<ListBonds>] = [
        .optional("beacon", .query, \.beacon, "the id of a beacon")
    ]
    package static let failures: [EmulatorError.Code] = [.unknownBeacon]

    package var beacon: BeaconName?

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Listed<BondRecord> {
        Listed(try await run.emulator.bonds(of: beacon?.text).map(BondRecord.init))
    }
}

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
    package var peer: BondPeer?

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

/// A bond of a beacon as JSON.
package struct BondRecord: Codable, Hashable, Sendable {
    /// The version of the format.
    package var v = 1
    package let beacon: String
    /// The peer's identity address.
    package let peer: String
    /// The type of that address: `random` or `public`.
    package let peerType: String
    /// Whether the key is authenticated: protected against a person in the middle.
    package let authenticated: Bool?
    /// Whether the key was generated with LE Secure Connections.
    package let secureConnections: Bool?
    /// The size of the key, in bytes.
    package let keySize: UInt8?

    package init(_ beacon: String, _ peer: PairedPeer) {
        self.beacon = beacon
        self.peer = peer.address.address.description
        peerType = peer.address.isRandom ? "random" : "public"
        authenticated = peer.isAuthenticated
        secureConnections = peer.usesSecureConnections
        keySize = peer.keySize
    }
}

extension BondRecord: ListedRecord, ReadableRecord {
    package static let plural = "bonds"
    package static let schema = Schema.record(
        "Bond",
        [
            .version,
            .required("beacon", .text, "the beacon"),
            .required("peer", .text, "the identity address of the peer"),
            .required("peerType", .choice(["random", "public"]), "the type of that address"),
            .optional("authenticated", .boolean, "whether the key is protected against a person in the middle"),
            .optional("secureConnections", .boolean, "whether the key was generated with LE Secure Connections"),
            .optional("keySize", .integer(7...16), "the size of the key in bytes"),
        ])
}
