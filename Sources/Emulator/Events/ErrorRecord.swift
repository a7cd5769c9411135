// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Profiles

/// An error as its JSON has it: one object for each fault of a profile, or one for any other error.
///
/// It has the fields that events and findings of `check` have, so that one reader takes all three.
package struct ErrorRecord: Codable, Hashable, Sendable {
    /// The format's version.
    package var v = 1
    /// `error`, where events have their names.
    package var event = "error"
    /// When, in UTC with milliseconds.
    package var time = EventRecord.now
    /// `error`, where findings have their severities.
    package var severity = "error"
    /// A stable code: `profile-invalid` for a fault of a profile.
    package var code: String
    /// What is wrong, without the place.
    package var message: String
    /// What to do; absent where the message says it.
    package var hint: String?
    /// The file, as it was given; absent where the error is of no file.
    package var file: String?
    /// Counted from 1; absent where the error is of the whole file.
    package var line: Int?
    /// Counted from 1, in characters; absent where the error is of the whole file.
    package var column: Int?
    /// The field's path, such as `beacons[0].ibeacon.major`; absent where the error is of no field.
    package var field: String?
    /// The exit code of a command that ends with it (sysexits.h).
    package var exitCode: Int32

    /// An error of no file.
    package init(code: String, message: String, hint: String = "", exitCode: Int32) {
        self.code = code
        self.message = message
        self.hint = hint.isEmpty ? nil : hint
        self.exitCode = exitCode
    }

    /// A fault of a profile.
    package init(_ fault: ProfileFault) {
        self.init(code: Self.profileCode, message: fault.message, exitCode: 65)
        file = fault.file
        line = fault.line > 0 ? fault.line : nil
        column = fault.column > 0 ? fault.column : nil
        field = fault.field.isEmpty ? nil : fault.field
    }

    /// All objects of an error: one for each fault of a profile, else one.
    package static func records(of error: EmulatorError) -> [ErrorRecord] {
        guard error.faults.isEmpty else { return error.faults.map(ErrorRecord.init) }
        return [
            ErrorRecord(code: error.name, message: error.message, hint: error.hint, exitCode: error.exitCode)
        ]
    }

    private static let profileCode = "profile-invalid"
}
