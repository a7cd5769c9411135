// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A key press on a terminal.
package enum Key: Hashable {
    case up, down, pageUp, pageDown, home, end
    case enter, escape, backspace
    case character(Character)

    private static let sequences: [String: Key] = [
        "[A": .up, "[B": .down, "OA": .up, "OB": .down, "[5~": .pageUp, "[6~": .pageDown, "[H": .home, "[F": .end,
        "OH": .home, "OF": .end, "[1~": .home, "[4~": .end,
    ]

    /// The keys in a terminal's input. Sequences of other keys are skipped.
    static func keys(in bytes: some Collection<UInt8>) -> [Key] {
        var rest = Substring(String(decoding: bytes, as: UTF8.self))
        var keys: [Key] = []
        while let character = rest.popFirst() {
            switch character {
            case "\u{1B}":
                guard let first = rest.first, first == "[" || first == "O" else {
                    keys.append(.escape)
                    continue
                }
                // Parameters, then a final character.
                let end = rest.dropFirst().firstIndex { !($0.isASCII && ($0.isNumber || $0 == ";")) } ?? rest.endIndex
                let sequence = end < rest.endIndex ? rest[...end] : rest[..<end]
                if let key = sequences[String(sequence)] { keys.append(key) }
                rest = rest[sequence.endIndex...]
            case "\r", "\n", "\r\n": keys.append(.enter)
            case "\u{7F}", "\u{8}": keys.append(.backspace)
            default:
                if character.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) {
                    keys.append(.character(character))
                }
            }
        }
        return keys
    }
}
