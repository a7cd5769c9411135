// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
package import BluetoothCore
import Devices

// The texts for what attributes are and do.

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
    static func integer(_ text: String) throws(ValueFault) -> Int64 {
        guard let number = Int64(text) else { throw ValueFault("\"\(text)\" is not a whole number") }
        return number
    }

    /// A whole number within bounds, decimal or with `0x` in front.
    static func integer(_ text: String, in range: ClosedRange<Int>) throws(ValueFault) -> Int {
        let number = text.hasPrefix("0x") ? Int(text.dropFirst(2), radix: 16) : Int(text)
        guard let number, range.contains(number) else {
            throw ValueFault("\"\(text)\" is not a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// A time in whole milliseconds, within bounds; `limits` says which they are.
    static func duration(
        _ text: String, in range: ClosedRange<Duration>, limits: String
    ) throws(ValueFault) -> Duration {
        let duration = try duration(text)
        guard range.contains(duration) else { throw ValueFault("\(text) is out of range: write \(limits)") }
        return .milliseconds(Int64(clamping: duration.attoseconds / 1_000_000_000_000_000))
    }

    /// The time between two values: 10 ms to 1000 hours.
    static func step(_ text: String) throws(ValueFault) -> Duration {
        try duration(text, in: .milliseconds(10) ... .seconds(3_600_000), limits: "10ms to 1000h")
    }

    /// How long an answer takes: up to a minute, which is more than centrals wait for.
    static func delay(_ text: String) throws(ValueFault) -> Duration {
        try duration(text, in: .zero ... .seconds(60), limits: "0ms to 60s")
    }

    /// `true` or `false`.
    static func boolean(_ text: String) throws(ValueFault) -> Bool {
        guard let truth = Bool(text) else { throw ValueFault("\"\(text)\" is not one of true, false") }
        return truth
    }

    /// An error code of ATT, such as `0x80`.
    static func attributeError(_ text: String) throws(ValueFault) -> ATTError {
        guard let code = try? integer(text, in: 1...255) else {
            throw ValueFault(
                "\"\(text)\" is not an error code from 0x01 to 0xFF; an application's own are 0x80 to 0x9F")
        }
        return ATTError(rawValue: UInt8(code))
    }

    /// Octets as hexadecimal digits.
    static func octets(_ text: String) throws(ValueFault) -> [UInt8] { try value(text, as: .octets) }

    /// A value in a format.
    static func value(_ text: String, as format: ValueFormat) throws(ValueFault) -> [UInt8] {
        do throws(ValueFormatFault) {
            return try format.octets(ofText: text)
        } catch {
            throw ValueFault(error.message)
        }
    }

    /// One of the cases of a type, by their names.
    static func choice<Choice: RawRepresentable & CaseIterable>(
        _ text: String, of type: Choice.Type
    ) throws(ValueFault) -> Choice where Choice.RawValue == String {
        guard let choice = Choice(rawValue: text) else {
            throw ValueFault(Spelling.notOne(text, of: Choice.allCases.map(\.rawValue)))
        }
        return choice
    }

    /// The name of a characteristic or of a field, a part of a setting's name.
    static func attributeName(_ text: String) throws(ValueFault) -> String {
        let name = try name(text)
        guard !name.contains(".") else { throw ValueFault("\"\(text)\" has a dot, which stands between names here") }
        let reserved = ["uuid", "major", "minor", "measured-power", "interval", "tx-power", "true", "false"]
        guard !reserved.contains(name) else {
            throw ValueFault("\"\(text)\" has a meaning of its own already; write another name")
        }
        return name
    }

    /// A number as people write it: without a point where it needs none.
    static func text(_ number: Double) -> String {
        Int64(exactly: number).map { "\($0)" } ?? "\(number)"
    }
}
