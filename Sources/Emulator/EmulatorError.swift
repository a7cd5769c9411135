// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Persistence
package import Profiles
package import Radio

/// Why an emulator cannot start or go on: a sentence and what to do about it.
package struct EmulatorError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of trouble; each has an exit code of its own.
    package enum Code: Hashable, Sendable {
        /// Profiles that cannot be so.
        case badProfile
        /// A radio that is not there, refuses, or cannot carry the profiles.
        case radio
        /// A file, folder or socket that cannot be made, or is in use.
        case cannotCreate
        /// A file that cannot be read or written.
        case inputOutput
        /// No such beacon.
        case unknownBeacon
        /// A beacon knows nobody of this address.
        case unknownPeer
        /// A setting that the device refuses.
        case refusedSetting
    }

    /// What kind of trouble.
    package let code: Code
    /// What is wrong, as a sentence without its full stop; several lines for several faults of a profile.
    package let message: String
    /// What to do; empty when the message says it.
    package let hint: String
    /// The faults of a profile; empty for any other error.
    package private(set) var faults: [ProfileFault] = []
    /// The radio's code, where the error is a radio's.
    private var radioCode: RadioError.Code?

    /// An error of this code.
    package init(_ code: Code, _ message: String, hint: String = "") {
        self.code = code
        self.message = message
        self.hint = hint
    }

    /// The radio's error.
    package init(_ error: RadioError) {
        self.init(error.code == .cannotServe ? .cannotCreate : .radio, error.message, hint: error.hint)
        radioCode = error.code
    }

    /// An error of saved state.
    package init(_ error: PersistenceError) { self.init(.cannotCreate, error.message, hint: error.hint) }

    /// All faults of a profile, a line each.
    package init(_ error: ProfileFaults) {
        self.init(.badProfile, error.faults.map(\.description).joined(separator: "\n"))
        faults = error.faults
    }

    /// The faults of a profile, a line each as compilers write them; empty for any other error.
    package var diagnostics: [String] { faults.map(\.diagnostic) }

    /// The stable code, as JSON has it.
    package var name: String {
        switch code {
        case .badProfile: "invalid"
        case .radio: radioCode?.rawValue ?? "radio"
        case .cannotCreate: "cannot-create"
        case .inputOutput: "input-output"
        case .unknownBeacon: "unknown-beacon"
        case .unknownPeer: "unknown-peer"
        case .refusedSetting: "setting-refused"
        }
    }

    /// The exit code of a command that ends with it (sysexits.h).
    package var exitCode: Int32 {
        switch code {
        case .badProfile, .refusedSetting: 65
        case .radio: 69
        case .cannotCreate: 73
        case .inputOutput: 74
        case .unknownBeacon, .unknownPeer: 64
        }
    }

    package var description: String { hint.isEmpty ? message : "\(message); \(hint)" }
}
