// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import Devices
package import Emulator
package import JSON

package struct FailConnections: Operation {
    package static let name = "failConnections"
    package static let method = OperationMethod.put
    package static let path = "/v1/beacons/{beacon}/connection-fault"
    package static let sentence =
        "Lets the next connections to a beacon fail, which advertises meanwhile, instead of those that were set to fail before."
    package static let fields: [Field<FailConnections>] = [
        .required("beacon", .path, \.beacon, "the id of a beacon"),
        .required("count", .member, \.count, "the number of connections that fail; 0 ends the fault"),
        .optional("phase", .member, \.phase, "when they fail; without it, connected"),
        .optional(
            "reason", .member, \.reason,
            "the reason that the central gets, of the phases connected and request; without it, remote-user"),
    ]
    package static let failures: [EmulatorError.Code] = [.badProfile, .unknownBeacon, .unsupported]

    package var beacon = BeaconName()
    package var count = FailureCount()
    package var phase: ConnectionFault.Phase?
    package var reason: DisconnectionReason?

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> ConnectionFaultRecord {
        let phase = phase ?? .connected
        if let reason, phase == .establishment {
            throw EmulatorError(
                .badProfile, "a connection that is not established has no reason \(reason.rawValue)",
                hint: "leave it out, or choose the phase connected or request")
        }
        let fault = ConnectionFault(count: count.number, phase: phase, reason: reason ?? .remoteUser)
        try await run.emulator.setFault(fault, of: beacon.text)
        return ConnectionFaultRecord(beacon: beacon.text, count: fault.count)
    }
}

package struct ShowConnectionFault: Operation {
    package static let name = "showConnectionFault"
    package static let method = OperationMethod.get
    package static let path = "/v1/beacons/{beacon}/connection-fault"
    package static let sentence = "The number of connections to a beacon that will still fail."
    package static let fields: [Field<ShowConnectionFault>] = [
        .required("beacon", .path, \.beacon, "the id of a beacon")
    ]
    package static let failures: [EmulatorError.Code] = [.unknownBeacon, .unsupported]

    package var beacon = BeaconName()

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> ConnectionFaultRecord {
        ConnectionFaultRecord(
            beacon: beacon.text, count: try await run.emulator.failingConnections(to: beacon.text))
    }
}

extension ConnectionFault.Phase: Parameter {}

/// A number of connections that fail.
package struct FailureCount: Parameter, Hashable {
    package var number: Int

    package init(_ number: Int = 0) { self.number = number }

    package init(json: JSONValue) throws(ValueFault) {
        guard let number = json.wholeNumber, ConnectionFault.counts ~= number else {
            let counts = ConnectionFault.counts
            throw ValueFault("write a number from \(counts.lowerBound) to \(counts.upperBound)")
        }
        self.number = number
    }

    package var json: JSONValue { .number(Double(number)) }
    package static var schema: Schema { .integer(ConnectionFault.counts) }
}

/// The connections to a beacon that will fail, as JSON.
package struct ConnectionFaultRecord: Codable, Hashable, Sendable {
    /// The version of the format.
    package var v = 1
    /// The id of the beacon, as in the request.
    package let beacon: String
    /// The number of connections that will still fail.
    package let count: Int

    package init(beacon: String, count: Int) {
        self.beacon = beacon
        self.count = count
    }
}

extension ConnectionFaultRecord: ReadableRecord {
    package static let schema = Schema.record(
        "ConnectionFault",
        [
            .version, .required("beacon", .text, "the id of the beacon"),
            .required("count", .integer(ConnectionFault.counts), "the number of connections that will still fail"),
        ])
}
