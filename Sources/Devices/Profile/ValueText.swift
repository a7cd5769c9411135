// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
package import Bluetooth
package import Space

/// The texts of values in profiles, options and `ctl set`.
///
/// Every function throws `ValueFault` with what can be written instead.
package enum ValueText {
    /// A name that can be part of a path: 1 to 64 letters, digits, dots, hyphens and underscores, no dot first.
    package static func name(_ text: String) throws(ValueFault) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            let character = Character(UnicodeScalar(byte))
            return character.isASCII && (character.isLetter || character.isNumber || "._-".contains(character))
        }
        guard isPlain, 1...64 ~= text.utf8.count, !text.hasPrefix(".") else {
            throw ValueFault("\"\(text)\" is not a name: write 1 to 64 letters, digits, \".\", \"-\" or \"_\"")
        }
        return text
    }

    /// `100ms`, `1.5s` or `160ticks`; a time is taken to the nearest tick of 0.625 ms, halves up.
    package static func interval(_ text: String) throws(ValueFault) -> AdvertisingInterval {
        let (number, unit) = split(text)
        switch unit {
        case "ticks", "tick":
            if let count = UInt32(number) { return AdvertisingInterval(count) }
        case "ms":
            if let nanoseconds = decimal(number, scale: 6) { return try interval(nanoseconds: nanoseconds, text) }
        case "s":
            if let nanoseconds = decimal(number, scale: 9) { return try interval(nanoseconds: nanoseconds, text) }
        case "" where decimal(number, scale: 6) != nil:
            throw ValueFault(number: number, without: "ms", units: "ms, s, or ticks of 0.625 ms")
        default: break
        }
        throw ValueFault("\"\(text)\" is not an interval; write 100ms or 160ticks")
    }

    /// An interval that radios can send: 20 ms to 10.24 s.
    package static func radiatedInterval(_ text: String) throws(ValueFault) -> AdvertisingInterval {
        try interval(text, in: AdvertisingInterval.legacyRange, whose: "radios send every 20ms to 10240ms")
    }

    /// An interval that the IoT Design Shop beacon stores: 0 to 65535 ticks.
    package static func storedInterval(_ text: String) throws(ValueFault) -> AdvertisingInterval {
        let range = AdvertisingInterval(0)...AdvertisingInterval(UInt32(UInt16.max))
        return try interval(text, in: range, whose: "the beacon stores 0 to 65535 ticks")
    }

    /// A duration such as `10s`, `500ms` or `2m`.
    package static func duration(_ text: String) throws(ValueFault) -> Duration {
        let (number, unit) = split(text)
        let scale: [String: Int64] = ["ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000]
        if unit.isEmpty, decimal(number, scale: 3) != nil {
            throw ValueFault(number: number, without: "s", units: "ms, s, m or h")
        }
        guard let milliseconds = scale[unit], let thousandths = decimal(number, scale: 3), thousandths < 1 << 40 else {
            throw ValueFault("\"\(text)\" is not a duration; write 10s, 500ms or 2m")
        }
        return .microseconds(thousandths * milliseconds)
    }

    /// 36 characters such as `E2C56DB5-DFFB-48D2-B060-D0F5A71096E0`.
    package static func uuid(_ text: String) throws(ValueFault) -> UUID128 {
        guard let uuid = UUID128(text) else {
            throw ValueFault(
                "\"\(text)\" is not a UUID; write 32 hexadecimal digits as E2C56DB5-DFFB-48D2-B060-D0F5A71096E0")
        }
        return uuid
    }

    /// 0 to 65535, decimal or with `0x` in front.
    package static func unsigned16(_ text: String) throws(ValueFault) -> UInt16 {
        let isHexadecimal = text.hasPrefix("0x")
        guard let value = UInt16(isHexadecimal ? text.dropFirst(2) : text[...], radix: isHexadecimal ? 16 : 10) else {
            throw ValueFault("\"\(text)\" is not a whole number from 0 to 65535")
        }
        return value
    }

    /// -128 to 127, with or without `dBm` behind it; or the byte of a frame in two's complement, as `0xC5`, which is -59 dBm.
    package static func measuredPower(_ text: String) throws(ValueFault) -> MeasuredPower {
        if let power = MeasuredPower(byte: text) { return power }
        if let byte = UInt8(text), byte > 127 {
            throw ValueFault(
                "\(text) is out of range; as the byte of a frame it is \(Int8(bitPattern: byte)) dBm: write that")
        }
        return MeasuredPower(try decibelMilliwatts(text))
    }

    /// -127 to 20 (Core 5.4, Vol 4, Part E, 7.8.53), with or without `dBm` behind it.
    package static func transmitPower(_ text: String) throws(ValueFault) -> TransmitPower {
        let power = try decibelMilliwatts(text)
        guard -127...20 ~= power else { throw ValueFault("\"\(text)\" is not a power from -127dBm to 20dBm") }
        return TransmitPower(power)
    }

    /// A power that the IoT Design Shop beacon has: `0dBm`, `-6dBm` or `-23dBm`.
    package static func hardwarePower(_ text: String) throws(ValueFault) -> TransmitPower {
        let power = try transmitPower(text)
        guard IoTDesignShop.TransmitSettings.powerCode(of: power) != nil else {
            throw ValueFault("the beacon has no \(text); write 0dBm, -6dBm or -23dBm")
        }
        return power
    }

    /// A name for people: 1 to 100 characters, none of them a control character.
    package static func label(_ text: String) throws(ValueFault) -> String {
        let isPlain = text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        guard isPlain, 1...100 ~= text.unicodeScalars.count else {
            throw ValueFault("a name has 1 to 100 characters, and no control characters")
        }
        return text
    }

    /// A message for people: 1 to 1,000 characters.
    package static func message(_ text: String) throws(ValueFault) -> String {
        guard 1...1000 ~= text.unicodeScalars.count, !text.unicodeScalars.contains("\0") else {
            throw ValueFault("a message has 1 to 1000 characters")
        }
        return text
    }

    /// `C0:FF:EE:00:00:01`.
    package static func address(_ text: String) throws(ValueFault) -> BluetoothAddress {
        guard let address = BluetoothAddress(text) else {
            throw ValueFault("\"\(text)\" is not an address; write six bytes as C0:FF:EE:00:00:01")
        }
        return address
    }

    /// `none`, or a byte such as `0x06`.
    package static func flags(_ text: String) throws(ValueFault) -> AdvertisingFlags? {
        if text == "none" { return nil }
        let digits = text.hasPrefix("0x") ? text.dropFirst(2) : Substring(text)
        let radix = text.hasPrefix("0x") ? 16 : 10
        guard let octet = UInt8(digits, radix: radix) else {
            throw ValueFault("\"\(text)\" is not a byte of flags; write 0x06, or none")
        }
        return AdvertisingFlags(rawValue: octet)
    }

    /// The bytes of a legacy advertising PDU as hexadecimal digits, as people paste them (`Hexadecimal.pasted`).
    package static func payload(_ text: String) throws(ValueFault) -> [UInt8] {
        let octets: [UInt8]
        do throws(WireError) {
            octets = try Hexadecimal.pasted(text)
        } catch {
            throw ValueFault(notHexadecimal(text, example: "020106"))
        }
        guard octets.count <= AdvertisingPDU.capacity else {
            throw ValueFault("\(octets.count) bytes are more than the \(AdvertisingPDU.capacity) that a PDU carries")
        }
        return octets
    }

    /// What is wrong with a text that is not two hexadecimal digits for each byte.
    package static func notHexadecimal(_ text: String, example: String) -> String {
        let digits = (text.hasPrefix("0x") ? text.dropFirst(2) : text[...]).filter { !" :\n".contains($0) }
        guard !digits.isEmpty, digits.allSatisfy(\.isHexDigit) else {
            return "\"\(text)\" is not hexadecimal; write two digits for each byte, such as \(example)"
        }
        let count = digits.count == 1 ? "1 hexadecimal digit" : "\(digits.count) hexadecimal digits"
        return "\"\(text)\" has \(count); write two for each byte, such as \(example)"
    }

    /// Metres from the origin, with or without a sign, up to 10 km.
    package static func metres(_ text: String) throws(ValueFault) -> Double {
        // Swift also reads 0x10 and nan as numbers.
        let isDecimal = text.allSatisfy { $0.isASCII && ($0.isNumber || "+-.eE".contains($0)) }
        guard isDecimal, let value = Double(text), abs(value) <= 10_000 else {
            throw ValueFault("\"\(text)\" is not a number of metres from -10000 to 10000")
        }
        return value
    }

    /// A position: two or three numbers of metres, `2.5,4` or `2.5,4,1`.
    package static func position(_ text: String) throws(ValueFault) -> Position {
        var parts: [Double] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            parts.append(try metres(String(part.drop { $0 == " " })))
        }
        guard 2...3 ~= parts.count else {
            throw ValueFault("\"\(text)\" is not a position: two or three numbers of metres, such as 2.5,4")
        }
        return Position(x: parts[0], y: parts[1], z: parts.count == 3 ? parts[2] : 0)
    }

    /// A speed of 0.001 to 1000 metres per second, with or without `m/s` behind it.
    package static func speed(_ text: String) throws(ValueFault) -> Double {
        let (number, unit) = split(text)
        guard unit.isEmpty || unit == "m/s", let speed = Double(number), 0.001...1000 ~= speed else {
            throw ValueFault("\"\(text)\" is not a speed from 0.001m/s to 1000m/s")
        }
        return speed
    }

    /// A local name: 1 to 248 bytes.
    package static func localName(_ text: String) throws(ValueFault) -> String {
        guard 1...248 ~= text.utf8.count else { throw ValueFault("a name has 1 to 248 bytes") }
        return text
    }

    /// The name of a PDU type, such as `ADV_IND`.
    package static func pdu(_ text: String) throws(ValueFault) -> AdvertisingPDU {
        guard let pdu = AdvertisingPDU(rawValue: text) else {
            let names = AdvertisingPDU.allCases.map(\.rawValue)
            throw ValueFault(Spelling.unknown("there is no PDU type \"\(text)\"", text, "types", names))
        }
        return pdu
    }

    private static func decibelMilliwatts(_ text: String) throws(ValueFault) -> Int8 {
        let (number, unit) = split(text)
        guard unit.isEmpty || unit == "dBm", let value = Int8(number) else {
            throw ValueFault("\"\(text)\" is not a power in whole dBm from -128 to 127")
        }
        return value
    }

    private static func interval(
        _ text: String, in range: ClosedRange<AdvertisingInterval>, whose limit: String
    ) throws(ValueFault) -> AdvertisingInterval {
        let interval = try interval(text)
        guard range.contains(interval) else { throw ValueFault("\(text) is out of range: \(limit)") }
        return interval
    }

    private static func interval(nanoseconds: Int64, _ text: String) throws(ValueFault) -> AdvertisingInterval {
        guard let interval = AdvertisingInterval(nearest: .nanoseconds(nanoseconds)) else {
            throw ValueFault("\(text) is too long for an interval")
        }
        return interval
    }

    /// The number and the unit behind it, with any space between them left out.
    private static func split(_ text: String) -> (number: String, unit: String) {
        let number = text.prefix { $0.isASCII && ($0.isNumber || "+-.".contains($0)) }
        return (String(number), String(text.dropFirst(number.count).drop { $0 == " " }))
    }

    /// A decimal number without a sign times 10 to the power of `scale`; digits beyond that are cut.
    private static func decimal(_ text: String, scale: Int) -> Int64? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard 1...2 ~= parts.count, let first = parts.first, !first.isEmpty, first.count <= 9 else { return nil }
        let fraction = parts.count == 2 ? String(parts[1]) : ""
        guard (first + fraction).allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
        let padded = (fraction + String(repeating: "0", count: scale)).prefix(scale)
        return Int64(first + padded)
    }
}

// MARK: - The virtual air

extension ValueText {
    /// The name of a preset of the model of the air, such as `office`, or `off`.
    package static func physics(_ text: String) throws(ValueFault) -> Propagation {
        if text == "off" { return Propagation() }
        guard let preset = Propagation.environments.first(where: { $0.name == text }) else {
            throw ValueFault(Spelling.notOne(text, of: Propagation.environments.map(\.name) + ["off"]))
        }
        return preset.propagation
    }

    /// A path-loss exponent: 0 to 10.
    package static func exponent(_ text: String) throws(ValueFault) -> Double {
        try quantity(text, .exponent, "an exponent")
    }

    /// A loss or a standard deviation: 0 to 100, with or without `dB` behind it.
    package static func decibels(_ text: String) throws(ValueFault) -> Double {
        try quantity(text, .decibels, "a number of decibels")
    }

    /// The sensitivity of a receiver: -150 to 0, with or without `dBm` behind it.
    package static func sensitivity(_ text: String) throws(ValueFault) -> Double {
        try quantity(text, .sensitivity, "a sensitivity")
    }

    /// The length of a packet of another network: 0.01 to 100 milliseconds, with or without `ms` behind it; in milliseconds.
    package static func burst(_ text: String) throws(ValueFault) -> Double {
        try quantity(text, .burst, "a length")
    }

    /// A distance in metres, more than 0, with or without `m` behind it.
    package static func distance(_ text: String) throws(ValueFault) -> Double {
        try quantity(text, .distance, "a distance")
    }

    /// The width of a floor plan in metres, with or without `m` behind it.
    package static func width(_ text: String) throws(ValueFault) -> Double {
        try quantity(text, .width, "a width")
    }

    /// The height of a floor in metres, with or without `m` behind it.
    package static func height(_ text: String) throws(ValueFault) -> Double {
        try quantity(text, .height, "a height")
    }

    /// What a wall or a slab is made of: `brick`.
    package static func material(_ text: String) throws(ValueFault) -> Material {
        guard let material = Material(rawValue: text) else {
            throw ValueFault(Spelling.notOne(text, of: Material.allCases.map(\.rawValue)))
        }
        return material
    }

    /// The loss of walls in dB: a material, or a number of decibels, with or without `dB` behind it.
    package static func wallLoss(_ text: String) throws(ValueFault) -> Double {
        if let material = Material(rawValue: text) { return material.loss }
        guard text.first?.isLetter == true else { return try decibels(text) }
        throw ValueFault(
            Spelling.unknown(
                "\"\(text)\" is neither a material nor a loss, such as 8dB", text, "materials",
                Material.allCases.map(\.rawValue)))
    }

    /// The ratio of two powers: 0 to 1000.
    package static func ratio(_ text: String) throws(ValueFault) -> Double {
        try quantity(text, .ratio, "a ratio")
    }

    /// A percentage: 0 to 100, with or without `%` behind it; as a fraction.
    package static func percentage(_ text: String) throws(ValueFault) -> Double {
        try quantity(text, .percentage, "a percentage") / 100
    }

    /// A direction in degrees: -360 to 360.
    package static func degrees(_ text: String) throws(ValueFault) -> Double {
        try quantity(text, .degrees, "a number of degrees")
    }

    /// A number of a shape with bounds, with or without its unit behind it.
    package static func quantity(_ text: String, _ shape: ValueShape, _ kind: String) throws(ValueFault) -> Double {
        guard case .number(let range, let unit) = shape else { preconditionFailure("the shape of a number") }
        let (number, given) = split(text)
        guard given.isEmpty || given == unit, let value = Double(number), range.contains(value) else {
            let (lowest, highest) = (Self.text(range.lowerBound), Self.text(range.upperBound))
            throw ValueFault("\"\(text)\" is not \(kind) from \(lowest)\(unit) to \(highest)\(unit)")
        }
        return value
    }
}

// MARK: - Attributes

extension ValueText {
    /// `180D`, `0x180D`, or 36 characters such as `E2C56DB5-DFFB-48D2-B060-D0F5A71096E0`.
    package static func bluetoothUUID(_ text: String) throws(ValueFault) -> BluetoothUUID {
        guard let uuid = BluetoothUUID(text.hasPrefix("0x") ? String(text.dropFirst(2)) : text) else {
            throw ValueFault(
                "\"\(text)\" is not a UUID; write four hexadecimal digits, such as 180D, or all 32 as "
                    + "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0")
        }
        return uuid
    }

    /// A finite number such as `36.6` or `-4`.
    package static func number(_ text: String) throws(ValueFault) -> Double {
        guard let number = ValueFormat.number(text) else {
            throw ValueFault("\"\(text)\" is not a number; write one such as 36.6")
        }
        return number
    }

    /// A whole number of 64 bits.
    package static func integer(_ text: String) throws(ValueFault) -> Int64 {
        guard let number = Int64(text) else { throw ValueFault("\"\(text)\" is not a whole number") }
        return number
    }

    /// A whole number within bounds, decimal or with `0x` in front.
    package static func integer(_ text: String, in range: ClosedRange<Int>) throws(ValueFault) -> Int {
        let number = text.hasPrefix("0x") ? Int(text.dropFirst(2), radix: 16) : Int(text)
        guard let number, range.contains(number) else {
            throw ValueFault("\"\(text)\" is not a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// A time in whole milliseconds, within bounds; `limits` says which they are.
    package static func duration(
        _ text: String, in range: ClosedRange<Duration>, limits: String
    ) throws(ValueFault) -> Duration {
        let duration = try duration(text)
        guard range.contains(duration) else { throw ValueFault("\(text) is out of range: write \(limits)") }
        return .milliseconds(Int64(clamping: duration.attoseconds / 1_000_000_000_000_000))
    }

    /// The time between two values: 10 ms to 1000 hours.
    package static func step(_ text: String) throws(ValueFault) -> Duration {
        try duration(text, in: .milliseconds(10) ... .seconds(3_600_000), limits: "10ms to 1000h")
    }

    /// The delay of a response: up to a minute, which is longer than centrals wait.
    package static func delay(_ text: String) throws(ValueFault) -> Duration {
        try duration(text, in: .zero ... .seconds(60), limits: "0ms to 60s")
    }

    /// `true` or `false`.
    package static func boolean(_ text: String) throws(ValueFault) -> Bool {
        guard let truth = Bool(text) else { throw ValueFault("\"\(text)\" is not one of true, false") }
        return truth
    }

    /// An error code of ATT, such as `0x80`.
    package static func attributeError(_ text: String) throws(ValueFault) -> ATTError {
        guard let code = try? integer(text, in: 1...255) else {
            throw ValueFault(
                "\"\(text)\" is not an error code from 0x01 to 0xFF; an application's own are 0x80 to 0x9F")
        }
        return ATTError(rawValue: UInt8(code))
    }

    /// Bytes as hexadecimal digits.
    package static func octets(_ text: String) throws(ValueFault) -> [UInt8] { try value(text, as: .octets) }

    /// A value in a format.
    package static func value(_ text: String, as format: ValueFormat) throws(ValueFault) -> [UInt8] {
        do throws(ValueFormatFault) {
            return try format.octets(ofText: text)
        } catch {
            throw ValueFault(error.message)
        }
    }

    /// One of the cases of a type, by their names.
    package static func choice<Choice: RawRepresentable & CaseIterable>(
        _ text: String, of type: Choice.Type
    ) throws(ValueFault) -> Choice where Choice.RawValue == String {
        guard let choice = Choice(rawValue: text) else {
            throw ValueFault(Spelling.notOne(text, of: Choice.allCases.map(\.rawValue)))
        }
        return choice
    }

    /// The name of a characteristic or of a field, a part of a setting's name.
    package static func attributeName(_ text: String) throws(ValueFault) -> String {
        let name = try name(text)
        guard !name.contains(".") else { throw ValueFault("\"\(text)\" has a dot, which separates names here") }
        let reserved = DeviceRegistry.commonSettings.map(\.key) + ["true", "false"]
        guard !reserved.contains(name) else {
            throw ValueFault("\"\(text)\" is reserved for a setting, or for true and false; write another name")
        }
        return name
    }

    /// A whole number of at least 0 with commas between thousands, as `1,000,000`.
    package static func grouped(_ number: Int) -> String {
        var groups: [Substring] = []
        var rest = "\(number)"[...]
        while rest.count > 3 {
            groups.insert(rest.suffix(3), at: 0)
            rest = rest.dropLast(3)
        }
        return ([rest] + groups).joined(separator: ",")
    }

    /// A number as text: a whole one without a point.
    package static func text(_ number: Double) -> String {
        Int64(exactly: number).map { "\($0)" } ?? "\(number)"
    }
}
