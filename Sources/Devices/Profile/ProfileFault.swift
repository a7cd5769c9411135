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

    /// The same with an addition to the message.
    package func adding(_ words: String) -> ProfileFault {
        ProfileFault(file: file, line: line, column: column, field: field, message: message + words)
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

    /// What it has in common with equal faults at other places, and with those at the same place.
    fileprivate var kinds: [ProfileFault] {
        let field = Self.without("[", "]", field)
        let equal = ProfileFault(file: file, line: 0, column: 0, field: field, message: message)
        guard line > 0 else { return [equal] }
        let withoutValues = Self.without("\"", "\"", message)
        return [equal, ProfileFault(file: file, line: line, column: column, field: field, message: withoutValues)]
    }

    /// A text without what is between two characters.
    private static func without(_ opening: Character, _ closing: Character, _ text: String) -> String {
        var result = ""
        var isInside = false
        for character in text {
            if isInside, character == closing {
                isInside = false
            } else if character == opening {
                isInside = true
            } else if !isInside {
                result.append(character)
            }
        }
        return result
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

    /// The faults as compilers write them, a line each. Equal faults of a file are one line, at the place of the first
    /// fault, with the number of the others. Faults of the copies of an entry are one line, too: they have the same
    /// place, and may differ in the values that they quote.
    package var lines: [String] {
        var firsts: [(fault: ProfileFault, count: Int)] = []
        var numbers: [ProfileFault: Int] = [:]
        for fault in faults {
            let kinds = fault.kinds
            let number = kinds.lazy.compactMap { numbers[$0] }.first ?? firsts.count
            if number == firsts.count { firsts.append((fault, 0)) }
            firsts[number].count += 1
            for kind in kinds { numbers[kind] = number }
        }
        return firsts.map { fault, count in
            count == 1 ? fault.diagnostic : "\(fault.diagnostic) (and \(count - 1) more)"
        }
    }
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
