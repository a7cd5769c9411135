// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A fault of a profile and its place.
package struct ProfileFault: Error, Hashable, Sendable {
    /// The path of the file, as given.
    package let file: String
    /// The line, counted from 1; 0 for a fault of the whole file.
    package let line: Int
    /// The column in characters, counted from 1; 0 for a fault of the whole file.
    package let column: Int
    /// The path of the field, such as `beacons[0].ibeacon.major`; empty for the file itself.
    package let field: String
    /// What is wrong and what can be written, without a full stop.
    package let message: String

    /// A fault at this place.
    package init(file: String, line: Int, column: Int, field: String, message: String) {
        self.file = file
        self.line = line
        self.column = column
        self.field = field
        self.message = message
    }
}

extension ProfileFault: CustomStringConvertible {
    /// `museum.yaml:7:15: beacons[0].ibeacon.major: …`, one line whatever the values quoted in it are.
    package var description: String { text(severity: "") }

    /// The same as compilers write it, so that editors find the place: `museum.yaml:7:15: error: beacons[0].id: …`.
    package var diagnostic: String { text(severity: "error: ") }

    private func text(severity: String) -> String {
        let place = line > 0 ? "\(file):\(line):\(column): " : "\(file): "
        let text = place + severity + (field.isEmpty ? message : "\(field): \(message)")
        return String(text.map { Self.isPrintable($0) ? $0 : "\u{FFFD}" })
    }

    private static func isPrintable(_ character: Character) -> Bool {
        !character.isNewline && character.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }
}

/// All faults of a profile, in the order of the file; never empty.
package struct ProfileFaults: Error, Hashable, Sendable {
    /// The faults.
    package let faults: [ProfileFault]
    /// These faults.
    package init(_ faults: [ProfileFault]) { self.faults = faults }
}

/// A text that is not a value.
package struct ValueFault: Error, Hashable, Sendable {
    /// What is wrong and what can be written, without a full stop.
    package let message: String
    /// What is wrong, and the text to write instead, where that follows from the one that is wrong.
    private let corrected: Correction?

    private struct Correction: Hashable {
        let problem: String
        let text: String
    }

    /// A fault with this message.
    package init(_ message: String) {
        self.message = message
        corrected = nil
    }

    /// A number without its unit.
    /// - Parameters:
    ///   - unit: the most usual unit.
    ///   - units: all units, as a list.
    package init(number: String, without unit: String, units: String) {
        let correction = Correction(problem: "\"\(number)\" has no unit: \(units)", text: number + unit)
        message = "\(correction.problem); write \(correction.text)"
        corrected = correction
    }

    /// The message for the value of a key, with the corrected line where there is one.
    func message(ofKey key: some StringProtocol) -> String {
        corrected.map { "\($0.problem); write \(key): \($0.text)" } ?? message
    }
}
