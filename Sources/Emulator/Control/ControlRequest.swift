// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// What a client of the control socket asks, one JSON object a line.
package struct ControlRequest: Codable, Hashable, Sendable {
    /// The commands.
    package enum Command: String, Codable, Hashable, Sendable, CaseIterable {
        /// All beacons.
        case list
        /// One beacon.
        case show
        /// Changes settings of one.
        case set
        /// Switches one on.
        case enable
        /// Switches one off.
        case disable
        /// Has one perform an action on a phone's notification.
        case act
        /// Reads the profiles again.
        case reload
        /// Whom beacons know: of one, or of all.
        case bonds
        /// Forgets one whom a beacon knows, or all.
        case forget
        /// Answers what a pairing asks, or asks for one.
        case pair
        /// Everything that happens from now on, a record a line.
        case events
        /// Ends the run; the connection ends when it has.
        case stop
    }

    /// The longest line that is taken, in bytes.
    package static let maximumLength = 65536

    /// The protocol's version, 1.
    package var v = 1
    /// What to do.
    package let command: Command
    /// The beacon, for commands about one.
    package var device: String?
    /// The profile whose beacons are wanted, for `list`, where a run has several; absent for all.
    package var profile: String?
    /// Settings by key, for `set`, as texts that a profile could hold; for `act`, `action` (positive or negative) and
    /// `notification` (its number).
    package var values: [String: String]?

    /// The address of one whom a beacon knows, for `forget`; absent for all.
    package var peer: String?
    /// `accept`, `reject`, `cancel` or six digits, for `pair`; absent to ask the centrals connected to pair.
    package var answer: String?

    /// A request.
    package init(
        _ command: Command, device: String? = nil, values: [String: String]? = nil, peer: String? = nil,
        answer: String? = nil
    ) {
        self.command = command
        self.device = device
        self.values = values
        self.peer = peer
        self.answer = answer
    }

    /// Reads a line without its end.
    /// - Throws: `EmulatorError` `.badProfile` with what is wrong.
    package init(parsing line: [UInt8]) throws(EmulatorError) {
        guard line.count <= Self.maximumLength else {
            throw EmulatorError(.badProfile, "a request has at most \(Self.maximumLength) bytes")
        }
        guard let request = try? JSONDecoder().decode(ControlRequest.self, from: Data(line)) else {
            let commands = Command.allCases.map(\.rawValue).joined(separator: ", ")
            throw EmulatorError(
                .badProfile, "this is not a request", hint: "send {\"v\":1,\"command\":C}, C one of \(commands)")
        }
        guard request.v == 1 else {
            throw EmulatorError(.badProfile, "version \(request.v) of the protocol is not known", hint: "send \"v\":1")
        }
        self = request
    }
}

/// What is answered, one JSON object a line; `events` has no answer but the records.
package struct ControlAnswer: Codable, Hashable, Sendable {
    /// The protocol's version.
    package var v = 1
    /// What is wrong, when something is.
    package var error: String?
    /// The exit code that a command line would end with, beside an error.
    package var exitCode: Int32?
    /// The faults of a profile, beside an error that they are: a line each, `FILE:LINE:COLUMN: error: …`.
    package var diagnostics: [String]?
    /// What is wrong as `--json` prints it, beside an error: an object for each fault of a profile, else one.
    package var errors: [ErrorRecord]?
    /// The beacons asked for.
    package var beacons: [BeaconRecord]?
    /// What a reload did.
    package var reload: Emulator.ReloadResult?
    /// Whom beacons know.
    package var bonds: [BondRecord]?
    /// How many were forgotten.
    package var forgotten: Int?
    /// Whether the run ends.
    package var stopping: Bool?

    /// An answer with beacons.
    init(beacons: [BeaconStatus]) { self.beacons = beacons.map(BeaconRecord.init) }
    /// An answer to a reload.
    init(reload: Emulator.ReloadResult) { self.reload = reload }
    /// An answer with bonds.
    init(bonds: [BondRecord]) { self.bonds = bonds }
    /// An answer how many were forgotten.
    init(forgotten: Int) { self.forgotten = forgotten }
    /// An answer that the run ends.
    init(stopping: Bool) { self.stopping = stopping }
    /// An answer that something was done.
    init() {}
    /// An answer that something is wrong.
    init(_ failure: EmulatorError) {
        error = failure.description
        exitCode = failure.exitCode
        diagnostics = failure.diagnostics.isEmpty ? nil : failure.diagnostics
        errors = ErrorRecord.records(of: failure)
    }
}
