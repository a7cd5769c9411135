// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Devices

/// An error as JSON: one object for each fault of a profile, or one for any other error.
///
/// It has the fields of events and of findings of `check`, so that one reader can parse all three.
package struct ErrorRecord: Codable, Hashable, Sendable {
    /// The version of the format.
    package var v = 1
    /// `error`, in the place of an event's name.
    package var event = "error"
    /// The time, in UTC with milliseconds.
    package var time = Timestamp.now
    /// `error`, in the place of a finding's severity.
    package var severity = "error"
    /// A stable code; `profile-invalid` for a fault of a profile.
    package var code: String
    /// The problem, without its place.
    package var message: String
    /// The fix; absent if the message includes it.
    package var hint: String?
    /// The file, as it was given; absent if the error does not concern a file.
    package var file: String?
    /// The line, counted from 1; absent if the error concerns the whole file.
    package var line: Int?
    /// The column, counted from 1, in characters; absent if the error concerns the whole file.
    package var column: Int?
    /// The path of the field, such as `beacons[0].ibeacon.major`; absent if the error does not concern a field.
    package var field: String?
    /// The exit code of a command that ends with this error (sysexits.h).
    package var exitCode: Int32

    /// An error that does not concern a file.
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

    /// The objects of an error: one for each fault of a profile, else one.
    package static func records(of error: EmulatorError) -> [ErrorRecord] {
        guard error.faults.isEmpty else { return error.faults.map(ErrorRecord.init) }
        return [
            ErrorRecord(code: error.name, message: error.message, hint: error.hint, exitCode: error.exitCode)
        ]
    }

    private static let profileCode = "profile-invalid"
}
