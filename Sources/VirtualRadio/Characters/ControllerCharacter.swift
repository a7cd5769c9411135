// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
import HCI

/// How a controller deviates from one that follows the specification in everything, as controllers in the field do.
///
/// As text `NAME[:VALUE[,VALUE]][@FROM-TO][+NAME…]`: `legacy-5.0`, `sets:4+slow:20`, `busy@30s-60s`. `CharacterKind.all` is
/// the table of the names. Where several parts of a character affect one command, the first that refuses it decides.
package struct ControllerCharacter: Hashable, Sendable {
    /// One name of a character, with its values and its period.
    private struct Part: Hashable, Sendable {
        /// A name in `CharacterKind.all`.
        var name: String
        var values: CharacterValues
        /// When it applies, in microseconds since the controller joined the air.
        var period: Range<AirTime>

        var deviations: [Deviation] {
            CharacterKind.all.first { $0.name == name }?.deviations(values) ?? []
        }
    }

    private var parts: [Part] = []

    /// No deviations.
    package static let none = ControllerCharacter()

    /// A controller for BR/EDR and LE, on which Android's Bluetooth stack starts: `dual-mode`.
    package static let dualMode: ControllerCharacter = {
        var character = ControllerCharacter()
        character.parts = [Part(name: CharacterKind.dualMode, values: CharacterValues(), period: 0..<AirTime.never)]
        return character
    }()

    /// The names that the text of a character can have.
    package static var names: [String] { CharacterKind.all.map(\.name) }

    private init() {}

    /// The deviations, and when each of them applies, in microseconds since the controller joined the air.
    var deviations: [(period: Range<AirTime>, deviation: Deviation)] {
        parts.flatMap { part in part.deviations.map { (part.period, $0) } }
    }

    /// The public address that all controllers of this character have; `nil` if each has its own.
    package var commonAddress: BluetoothAddress? { deviations.lazy.compactMap(\.deviation.publicAddress).first }

    /// Whether the controller is for BR/EDR and LE.
    var hasClassicRadio: Bool { deviations.contains { $0.deviation.hasClassicRadio } }

    /// Whether a controller is removed from its host after a Hardware Error event.
    package var endsInRemoval: Bool { deviations.contains { $0.deviation.hang?.ending == .removal } }

    /// The character of the controller that replaces a removed one: the same without the failure.
    package var afterRemoval: ControllerCharacter {
        var rest = self
        rest.parts.removeAll { $0.deviations.contains { $0.hang?.ending == .removal } }
        return rest
    }
}

/// What is wrong with the text of a character.
package enum CharacterFault: Error, Hashable, Sendable {
    /// No character has this name.
    case unknownName(String)
    /// A value or a period is not possible; a clause with what can be written instead.
    case value(String)
}

// MARK: - Text

extension ControllerCharacter {
    /// A character by its text.
    /// - Throws: `CharacterFault` for an unknown name, and for values and periods that are not possible.
    package init(_ text: String) throws(CharacterFault) {
        for part in text.split(separator: "+", omittingEmptySubsequences: false) {
            parts.append(try Self.part(part))
        }
    }

    private static func part(_ text: Substring) throws(CharacterFault) -> Part {
        let halves = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        let words = halves[0].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let kind = CharacterKind.all.first(where: { $0.name == words[0] }) else {
            throw .unknownName(String(words[0]))
        }
        guard halves.count == 1 || kind.takesPeriod else {
            throw .value("\(kind.name) takes no period: a controller has it from the start")
        }
        let values = words.count > 1 ? words[1].split(separator: ",", omittingEmptySubsequences: false) : []
        return Part(
            name: kind.name, values: try kind.values(values),
            period: halves.count > 1 ? try period(halves[1]) : 0..<AirTime.never)
    }

    /// `30s-60s`, or `30s-` without an end.
    private static func period(_ text: Substring) throws(CharacterFault) -> Range<AirTime> {
        let bounds = text.split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2, let start = time(bounds[0]),
            let end = bounds[1].isEmpty ? AirTime.never : time(bounds[1]), start < end
        else {
            throw .value(
                "\"@\(text)\" is not a period since the controller joined; write @30s-60s, or @30s- without an end")
        }
        return start..<end
    }

    /// `30s`, `500ms` or `2m`, at most a million of them.
    private static func time(_ text: Substring) -> AirTime? {
        let units: [Substring: Double] = ["ms": 1000, "s": 1_000_000, "m": 60_000_000]
        let digits = text.prefix { isDigitOrPoint($0) }
        guard let unit = units[text.dropFirst(digits.count)], let number = Double(digits), number <= 1_000_000 else {
            return nil
        }
        return AirTime(number * unit)
    }

    fileprivate static func isDigitOrPoint(_ character: Character) -> Bool {
        ("0"..."9").contains(character) || character == "."
    }
}

/// The values of a part of a character; each kind uses those that its parameters set.
struct CharacterValues: Hashable, Sendable {
    var number = 0.0
    var opcode: HCIOpcode?
    var choice = ""

    /// The number, of a kind whose numbers are whole.
    var count: Int { Int(number) }
}

/// A value that a kind of character takes in its text.
enum CharacterParameter: Sendable {
    /// A whole number; with a default it may be left out.
    case number(of: String, in: ClosedRange<Int>, default: Int? = nil)
    /// A number with a fraction.
    case factor(ClosedRange<Double>)
    /// The opcode of a command.
    case opcode(isOptional: Bool = false)
    /// One of several words; the first one is the default.
    case choice([String])

    /// What can be written.
    fileprivate var description: String {
        switch self {
        case .number(let noun, let range, _):
            "a number of \(noun) from \(range.lowerBound) to \(range.upperBound)"
        case .factor(let range): "a factor from \(range.lowerBound) to \(range.upperBound)"
        case .opcode: "an opcode of four hexadecimal digits, such as 0x2036"
        case .choice(let words): "one of \(words.joined(separator: ", "))"
        }
    }

    /// Sets its value.
    /// - Parameter text: `nil` if the value was left out.
    /// - Returns: whether the value is possible.
    fileprivate func set(_ text: Substring?, in values: inout CharacterValues) -> Bool {
        switch self {
        case .number(_, let range, let standard):
            guard let number = text.map({ Int($0) }) ?? standard, range.contains(number) else { return false }
            values.number = Double(number)
        case .factor(let range):
            guard let text, text.allSatisfy(ControllerCharacter.isDigitOrPoint), let number = Double(text),
                range.contains(number)
            else { return false }
            values.number = number
        case .opcode(let isOptional):
            guard let text else { return isOptional }
            let digits = text.hasPrefix("0x") ? text.dropFirst(2) : text
            guard digits.count == 4, digits.allSatisfy(\.isHexDigit), let opcode = UInt16(digits, radix: 16) else {
                return false
            }
            values.opcode = HCIOpcode(rawValue: opcode)
        case .choice(let words):
            let word = text.map(String.init) ?? words[0]
            guard words.contains(word) else { return false }
            values.choice = word
        }
        return true
    }
}

extension CharacterKind {
    /// The values of texts, in the order of its parameters.
    fileprivate func values(_ texts: [Substring]) throws(CharacterFault) -> CharacterValues {
        guard texts.count <= parameters.count else {
            let possible = parameters.map(\.description).joined(separator: ", then ")
            throw .value("\(name) takes \(parameters.isEmpty ? "no value" : possible)")
        }
        var values = CharacterValues()
        for (index, parameter) in parameters.enumerated() {
            let text = index < texts.count ? texts[index] : nil
            guard parameter.set(text, in: &values) else {
                guard let text else { throw .value("\(name) needs \(parameter.description)") }
                throw .value("\(name): \"\(text)\" is not \(parameter.description)")
            }
        }
        return values
    }
}
