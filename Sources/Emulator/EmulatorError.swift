// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
package import Devices
package import Persistence
package import Profiles
package import Radio

/// Reads the profiles of a run.
package typealias ProfileLoader = @Sendable () throws(ProfileFaults) -> [Profile]

/// An error of a run or of an operation, with a hint.
package struct EmulatorError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of errors.
    package enum Code: Hashable, Sendable {
        /// An invalid profile, setting or request.
        case badProfile
        /// A radio that does not exist, refuses, or cannot carry the profiles.
        case radio
        /// A file, folder or socket that cannot be created, or is in use.
        case cannotCreate
        /// A file that cannot be read or written.
        case inputOutput
        /// No such beacon.
        case unknownBeacon
        /// The beacon has no bond with this peer.
        case unknownPeer
        /// The device has no such characteristic.
        case unknownCharacteristic
        /// No capture with this number.
        case unknownCapture
        /// No profile of this name.
        case unknownProfile
        /// No scenario was started.
        case noScenario
        /// No profile has a floor plan.
        case noMap
        /// A setting that the device refuses.
        case refusedSetting
        /// A request that a connected device refuses, with an ATT error.
        case refusedAttribute
        /// The profiles have changed since the client read them.
        case profileChanged
        /// Something is there that must not be.
        case exists
        /// The run has the clock of the machine, which cannot be changed.
        case realTime
        /// The state of the run does not permit it.
        case conflict
        /// A limit of the run is reached.
        case tooMany
        /// The radio of the run cannot do it.
        case unsupported
        /// Not everything that should be on the air is.
        case notReady
    }

    /// The kind of error.
    package let code: Code
    /// The problem, as a sentence without its full stop; a sentence each for the faults of a profile.
    package let message: String
    /// The fix; empty if the message includes it.
    package private(set) var hint: String
    /// The faults of a profile; empty for any other error.
    package private(set) var faults: [ProfileFault] = []
    /// The error with which a connected device refused a request; `nil` for any other error.
    package private(set) var attError: UInt8?
    /// The code of a radio's error.
    private var radioCode: RadioError.Code?

    /// An error of this code.
    package init(_ code: Code, _ message: String, hint: String = "") {
        self.code = code
        self.message = message
        self.hint = hint
    }

    /// An error of the radio.
    package init(_ error: RadioError) {
        self.init(error.code == .cannotServe ? .cannotCreate : .radio, error.message, hint: error.hint)
        radioCode = error.code
    }

    /// An error of saved state.
    package init(_ error: PersistenceError) { self.init(.cannotCreate, error.message, hint: error.hint) }

    /// An error of a request to a connected device.
    init(_ error: RemoteError, of device: RemoteAddress) {
        switch error {
        case .refused(let code):
            self.init(.refusedAttribute, "\(device.address) refused it: \(code)")
            attError = code.rawValue
        case .disconnected(let reason):
            self.init(
                .conflict, "the connection to \(device.address) has ended: \(reason)", hint: "connect again")
        case .notPaired(let error):
            self.init(.conflict, "it requires pairing with \(device.address), which failed: \(error.message)")
        case .impossible(let reason): self.init(.radio, reason)
        }
    }

    /// The faults of a profile.
    package init(_ error: ProfileFaults) {
        self.init(.badProfile, error.faults.map(\.description).joined(separator: ". "))
        faults = error.faults
    }

    /// The same error with this fix, unless it has one.
    func advising(_ hint: String) -> EmulatorError {
        guard self.hint.isEmpty else { return self }
        var error = self
        error.hint = hint
        return error
    }

    /// Whether it is of the profiles: other ones may run.
    package var isOfProfiles: Bool { code == .badProfile || radioCode == .cannotCarry }

    /// The faults of a profile in the format of compilers, equal ones in one line; empty for any other error.
    package var diagnostics: [String] { ProfileFaults(faults).lines }

    /// The stable code in JSON.
    package var name: String {
        switch code {
        case .badProfile: "invalid"
        case .radio: radioCode?.rawValue ?? "radio"
        case .cannotCreate: "cannot-create"
        case .inputOutput: "input-output"
        case .unknownBeacon: "unknown-beacon"
        case .unknownPeer: "unknown-peer"
        case .unknownCharacteristic: "unknown-characteristic"
        case .unknownCapture: "unknown-capture"
        case .unknownProfile: "unknown-profile"
        case .noScenario: "no-scenario"
        case .noMap: "no-map"
        case .refusedSetting: "setting-refused"
        case .refusedAttribute: "attribute-refused"
        case .profileChanged: "profile-changed"
        case .exists: "exists"
        case .realTime: "real-time"
        case .conflict: "conflict"
        case .tooMany: "too-many"
        case .unsupported: "unsupported"
        case .notReady: "not-ready"
        }
    }

    /// The exit code of a command that ends with it (sysexits.h).
    package var exitCode: Int32 {
        switch code {
        case .badProfile, .refusedSetting, .refusedAttribute, .profileChanged, .exists, .realTime, .conflict, .tooMany:
            65
        case .radio, .unsupported, .notReady: 69
        case .cannotCreate: 73
        case .inputOutput: 74
        case .unknownBeacon, .unknownProfile, .unknownPeer, .unknownCharacteristic, .unknownCapture, .noScenario,
            .noMap:
            64
        }
    }

    package var description: String { hint.isEmpty ? message : "\(message); \(hint)" }
}
