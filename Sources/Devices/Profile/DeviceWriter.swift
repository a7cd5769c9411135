// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
package import Bluetooth

/// Collects the keys of a device as lines of YAML.
package struct DeviceWriter {
    /// The lines, without the indentation of the entry that they belong to.
    package private(set) var lines: [String] = []
    /// The values that the lines do not show.
    package private(set) var secrets: [[UInt8]] = []

    /// A writer without lines.
    package init() {}

    /// Writes a key and its value; `nil` leaves the key out.
    package mutating func write(_ key: String, _ value: String?) {
        if let value { lines.append("\(key): \(value)") }
    }

    /// Writes a key whose value is not shown; `nil` leaves the key out.
    package mutating func write(_ key: String, secret: [UInt8]?) {
        guard let secret else { return }
        write(key, Self.quoted("..."))
        secrets.append(secret)
    }

    /// Writes a key whose value takes lines of its own.
    package mutating func write(_ key: String, lines block: [String]) {
        lines.append("\(key):")
        lines += block.map { "  " + $0 }
    }

    // MARK: - Values

    /// An interval: whole milliseconds, or else ticks.
    package static func text(_ interval: AdvertisingInterval) -> String {
        let microseconds = Int(interval.count) * 625
        return microseconds.isMultiple(of: 1000) ? "\(microseconds / 1000)ms" : "\(interval.count)ticks"
    }

    /// Flags, or `none`.
    package static func text(_ flags: AdvertisingFlags?) -> String {
        flags.map { "0x" + Hexadecimal.string([$0.rawValue]) } ?? "none"
    }

    /// A radiated power; `nil` when the radio chooses it.
    package static func text(_ power: TransmitPower?) -> String? { power.map { "\($0.decibelMilliwatts)dBm" } }

    /// A duration in seconds, to the nearest millisecond and without needless digits: `12s`, `12.345s`.
    package static func text(_ duration: Duration) -> String {
        let milliseconds = Int64((duration / .milliseconds(1)).rounded())
        let (seconds, rest) = (milliseconds / 1000, milliseconds % 1000)
        guard rest != 0 else { return "\(seconds)s" }
        var digits = "\(1000 + rest)".dropFirst()
        while digits.last == "0" { digits = digits.dropLast() }
        return "\(seconds).\(digits)s"
    }

    /// Any text in double quotes (YAML 1.2, 7.3.1).
    package static func quoted(_ text: String) -> String {
        "\""
            + text.unicodeScalars.map { scalar in
                switch scalar {
                case "\"": "\\\""
                case "\\": "\\\\"
                case " "..."~": String(scalar)
                case _ where scalar.isPlain: String(scalar)
                default: "\\U" + String(String(UInt64(scalar.value) + 0x1_0000_0000, radix: 16).suffix(8))
                }
            }.joined() + "\""
    }
}

extension Unicode.Scalar {
    /// Whether it is a letter, a mark, a number, punctuation or a symbol beyond ASCII, which YAML has unescaped in quoted text (YAML
    /// 1.2.2, 5.1).
    fileprivate var isPlain: Bool {
        switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator,
            .spaceSeparator:
            false
        default: value > 0x7F
        }
    }
}
