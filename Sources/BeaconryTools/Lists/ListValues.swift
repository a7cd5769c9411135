// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Devices

/// Reads the values of a list as a profile has them.
///
/// Every function throws `ValueFault` with what is wrong.
struct ListValues: Sendable {
    let numbers: ListNumbers
    /// The unit of lengths that have none, in metres.
    let metresPerUnit: Double

    // MARK: - Identities

    /// A UUID in any notation: without hyphens, in braces, as a URN.
    static func uuid(_ text: String) -> UUID128? { identity(text).flatMap { $0.rest.isEmpty ? $0.uuid : nil } }

    /// A UUID, and the numbers behind it, as in `UUID:1:2`; `nil` for other texts.
    static func identity(_ text: String) -> (uuid: UUID128, rest: [Substring])? {
        var rest = text[...]
        for prefix in ["urn:uuid:", "uuid:", "ibeacon:", "0x"] where rest.lowercased().hasPrefix(prefix) {
            rest = rest.dropFirst(prefix.count)
        }
        var digits = ""
        var index = rest.startIndex
        while index < rest.endIndex, digits.count < 32 {
            let character = rest[index]
            if character.isASCII, character.isHexDigit {
                digits.append(character)
            } else if !"-{}()\"'\u{2010}\u{2011}\u{2013}\u{2212}_:".contains(character),
                character.unicodeScalars.contains(where: { !ListWords.isSpace($0) })
            {
                return nil
            }
            index = rest.index(after: index)
        }
        guard digits.count == 32, let uuid = UUID128(digits) else { return nil }
        let others = rest[index...].split { "-_:/,;|)}\"' ".contains($0) }
        // More digits would be another, longer number.
        if index < rest.endIndex, rest[index].isHexDigit || others.count > 2 { return nil }
        guard others.allSatisfy({ UInt16($0) != nil }) else { return nil }
        return (uuid, others)
    }

    func uuid(_ text: String) throws(ValueFault) -> String {
        if let uuid = Self.uuid(text) { return "\(uuid)" }
        try Self.checkOrigin(text)
        let digits = text.filter { $0.isHexDigit }.count
        let isNear = text.allSatisfy { $0.isHexDigit || "-{} ".contains($0) }
        throw ValueFault(
            "\(ListNames.quoted(text)) is not a UUID" + (isNear ? ": it has \(digits) digits of 32" : ""))
    }

    /// 0 to 65535.
    func whole16(_ text: String, isHexadecimal: Bool) throws(ValueFault) -> String {
        if let number = numbers.whole(text, isHexadecimal: isHexadecimal), 0...65535 ~= number { return "\(number)" }
        try Self.checkOrigin(text)
        let digits = text.filter { !$0.isWhitespace }
        let isHexadecimal = 1...4 ~= digits.count && digits.allSatisfy { $0.isASCII && $0.isHexDigit }
        throw ValueFault(
            "\(ListNames.quoted(text)) is not a whole number from 0 to 65535"
                + (isHexadecimal ? "; if it is hexadecimal, write 0x\(digits)" : ""))
    }

    /// Bytes as hexadecimal digits; spreadsheets drop zeros in front of digits that look like a number.
    func octets(_ text: String, count: Int) throws(ValueFault) -> String {
        var digits = ListNumbers.plain(text).filter { !":-_.".contains($0) }
        if digits.lowercased().hasPrefix("0x") { digits = String(digits.dropFirst(2)) }
        let isDecimal = !digits.isEmpty && digits.allSatisfy { $0.isASCII && $0.isNumber }
        if isDecimal, digits.count < 2 * count {
            digits = String(repeating: "0", count: 2 * count - digits.count) + digits
        }
        if digits.count == 2 * count, digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) { return digits.lowercased() }
        try Self.checkOrigin(text)
        throw ValueFault("\(ListNames.quoted(text)) is not \(count) bytes, \(2 * count) hexadecimal digits")
    }

    /// An address, with colons, hyphens, dots or nothing between its bytes.
    static func address(_ text: String) -> BluetoothAddress? {
        let digits = text.filter { !":-. ".contains($0) }
        guard digits.count == 12, digits.allSatisfy({ $0.isASCII && $0.isHexDigit }),
            let octets = try? Hexadecimal.bytes(digits)
        else {
            return nil
        }
        return BluetoothAddress(octets: octets)
    }

    func address(_ text: String) throws(ValueFault) -> String {
        guard let address = Self.address(text) else {
            try Self.checkOrigin(text)
            throw ValueFault("\(ListNames.quoted(text)) is not an address such as C0:FF:EE:00:00:01")
        }
        guard address.isStaticRandom else {
            throw ValueFault("\(address) is not a static random address (C0:… to FF:…), and a host can use no other")
        }
        return "\(address)"
    }

    /// The kind of device, and the format of a `beacon`, of any notation: `Eddystone UID`, `iBeacon`.
    static func device(_ text: String) -> (device: String, format: String?)? {
        let plain = ListWords.words(text).joined()
        func isSame(_ name: String) -> Bool { ListWords.words(name).joined() == plain }
        if let kind = DeviceRegistry.names.first(where: isSame), kind != Beacon.kind { return (kind, nil) }
        let formats = BeaconFormats.transmittable.map { $0.formatName }
        if let format = formats.first(where: isSame) { return (Beacon.kind, format) }
        let others = [
            "uid": "eddystone-uid", "eddystone": "eddystone-uid", "url": "eddystone-url",
            "physicalweb": "eddystone-url",
            "tlm": "eddystone-tlm", "appleibeacon": "ibeacon", "ble": nil,
        ]
        guard let other = others[plain] ?? nil else { return nil }
        return other == PlainIBeacon.kind ? (other, nil) : (Beacon.kind, other)
    }

    // MARK: - Quantities

    /// A power in whole dBm; the byte of a frame in two's complement is one.
    func power(_ text: String) throws(ValueFault) -> Int {
        let plain = ListNumbers.plain(text)
        let (number, unit) = ListUnit.split(plain)
        let isHexadecimal = plain.lowercased().hasPrefix("0x")
        if isHexadecimal, let byte = UInt8(plain.dropFirst(2), radix: 16) { return Int(Int8(bitPattern: byte)) }
        if unit.isEmpty || ListUnit.powers.contains(unit), let value = numbers.number(number), abs(value) < 256 {
            let whole = Int(value.rounded())
            if -128...127 ~= whole { return whole }
            // A byte above 127 is a number below zero.
            if let byte = UInt8(exactly: whole) { return Int(Int8(bitPattern: byte)) }
        }
        try Self.checkOrigin(text)
        throw ValueFault("\(ListNames.quoted(text)) is not a power in dBm from -128 to 127")
    }

    /// An interval with a unit, or in milliseconds.
    func interval(_ text: String, unit: String?) throws(ValueFault) -> String {
        let (number, ownUnit) = ListUnit.split(ListNumbers.plain(text))
        let unit = ownUnit.isEmpty ? unit ?? "" : ownUnit
        if let value = numbers.number(number) {
            if unit.hasPrefix("tick"), let ticks = UInt32(exactly: value.rounded()) { return "\(ticks)ticks" }
            if unit == "hz", value > 0 { return Self.milliseconds(1000 / value) }
            if let scale = ListUnit.milliseconds[unit], (0...10_000_000).contains(value * scale) {
                return Self.milliseconds(value * scale)
            }
            if unit.isEmpty, (20...10_240).contains(value) { return Self.milliseconds(value) }
            if unit.isEmpty {
                throw ValueFault(
                    "\(ListNames.quoted(text)) has no unit, and is no interval in ms; write 100ms, or the unit in the heading"
                )
            }
        }
        try Self.checkOrigin(text)
        throw ValueFault("\(ListNames.quoted(text)) is not an interval such as 100 ms")
    }

    private static func milliseconds(_ value: Double) -> String { "\(decimal(value, places: 4))ms" }

    /// Metres.
    /// - Parameter unit: the unit of the column; `nil` for none.
    func metres(_ text: String, unit: String?) throws(ValueFault) -> Double {
        if let metres = ListUnit.feetAndInches(text) { return metres }
        let (number, ownUnit) = ListUnit.split(text)
        let scale = ownUnit.isEmpty ? unit.flatMap { ListUnit.metres[$0] } ?? metresPerUnit : ListUnit.metres[ownUnit]
        if let scale, let value = numbers.number(number) { return value * scale }
        try Self.checkOrigin(text)
        throw ValueFault("\(ListNames.quoted(text)) is not a length such as 2.5 m")
    }

    /// The two or three numbers of a position, as texts: `2.5, 4`, `(2,5; 4)`, `[2.5 4 1]`, `POINT (2.5 4)`.
    static func positionParts(_ text: String) -> [String]? {
        var inner = ListWords.trimmed(text)
        if inner.lowercased().hasPrefix("point") {
            inner = String(inner.dropFirst(inner.lowercased().hasPrefix("point z") ? 7 : 5))
        }
        inner = String(inner.filter { !"()[]{}".contains($0) })
        for separator in [";", "|", "/", ", ", ",", " "] as [String] {
            let parts = ListWords.trimmed(inner).split(separator: separator).map { ListWords.trimmed(String($0)) }
                .filter { !$0.isEmpty }
            guard 2...3 ~= parts.count else { continue }
            let areNumbers = parts.allSatisfy { part in
                let (number, unit) = ListUnit.split(part)
                return !number.isEmpty && (unit.isEmpty || ListUnit.metres[unit] != nil)
            }
            if areNumbers { return parts }
        }
        return nil
    }

    func position(_ text: String, unit: String?) throws(ValueFault) -> [Double] {
        guard let parts = Self.positionParts(text) else {
            try Self.checkOrigin(text)
            throw ValueFault("\(ListNames.quoted(text)) is not a position such as 2.5, 4")
        }
        var position: [Double] = []
        for part in parts { position.append(try metres(part, unit: unit)) }
        return position
    }

    /// Degrees, within a limit.
    func degrees(_ text: String, limit: Double, _ name: String) throws(ValueFault) -> Double {
        let number = text.hasSuffix("°") ? String(text.dropLast()) : text
        if let value = numbers.number(number), abs(value) <= limit { return value }
        try Self.checkOrigin(text)
        throw ValueFault("\(ListNames.quoted(text)) is not a \(name) in degrees")
    }

    /// A number with at most some decimal places, and no needless ones.
    static func decimal(_ value: Double, places: Int) -> String {
        let scale = (0..<places).reduce(1.0) { factor, _ in factor * 10 }
        guard let whole = Int(exactly: (value * scale).rounded()) else { return "\(value)" }
        let (front, rest) = whole.magnitude.quotientAndRemainder(dividingBy: UInt(scale))
        var digits = String(String(UInt(scale) + rest).dropFirst())
        while digits.last == "0" { digits.removeLast() }
        return (whole < 0 ? "-" : "") + "\(front)" + (digits.isEmpty ? "" : ".\(digits)")
    }

    // MARK: - Texts

    /// A name for people on one line, and whether it was shortened.
    func label(_ text: String) throws(ValueFault) -> (text: String, isShortened: Bool) {
        try Self.checkFormula(text)
        let line = ListWords.oneLine(text)
        let scalars = line.unicodeScalars
        guard scalars.count > 100 else { return (try ValueText.label(line), false) }
        return (try ValueText.label(String(scalars.prefix(99)) + "…"), true)
    }

    static func checkFormula(_ text: String) throws(ValueFault) {
        if ListGap.isFormulaError(text) { throw ValueFault("\(ListNames.quoted(text)) is an error of a formula") }
    }

    /// What happened to a value in a spreadsheet, if that is why it cannot be read.
    static func checkOrigin(_ text: String) throws(ValueFault) {
        try checkFormula(text)
        if ListGap.isDate(text) {
            throw ValueFault(
                "\(ListNames.quoted(text)) is a date, which spreadsheets make of texts such as 1-2; format the column as text"
            )
        }
        let isRounded = text.wholeMatch(of: /[0-9][.,][0-9]+[eE]\+?[0-9]+/) != nil
        if isRounded {
            throw ValueFault("\(ListNames.quoted(text)) was rounded by a spreadsheet; format the column as text")
        }
    }
}
