// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A UUID of a service, characteristic or descriptor: 16, 32 or 128 bits.
///
/// Core 5.4, Vol 3, Part B, 2.5.1. Two are equal when they name the same attribute type, whatever their width.
public enum BluetoothUUID: Sendable {
    /// Assigned by the Bluetooth SIG, two octets.
    case bit16(UInt16)
    /// Assigned by the Bluetooth SIG, four octets.
    case bit32(UInt32)
    /// Anybody's.
    case bit128(UUID128)

    /// `0000xxxx-0000-1000-8000-00805F9B34FB`, without its first four octets.
    private static let baseTail: [UInt8] = [0, 0, 0x10, 0, 0x80, 0, 0, 0x80, 0x5F, 0x9B, 0x34, 0xFB]

    /// Reads four or eight hexadecimal digits, or the long form; `nil` for anything else.
    public init?(_ text: some StringProtocol) {
        if let uuid = UUID128(text) {
            self = .bit128(uuid)
        } else if text.utf8.count == 4, text.allSatisfy(\.isHexDigit), let short = UInt16(text, radix: 16) {
            self = .bit16(short)
        } else if text.utf8.count == 8, text.allSatisfy(\.isHexDigit), let short = UInt32(text, radix: 16) {
            self = .bit32(short)
        } else {
            return nil
        }
    }

    /// The same UUID in 128 bits.
    public var expanded: UUID128 {
        let prefix: UInt32
        switch self {
        case .bit16(let value): prefix = UInt32(value)
        case .bit32(let value): prefix = value
        case .bit128(let uuid): return uuid
        }
        var writer = ByteWriter()
        writer.writeBigEndian(prefix)
        guard let uuid = UUID128(octets: writer.bytes + Self.baseTail) else {
            preconditionFailure("4 and 12 octets are 16")
        }
        return uuid
    }

    /// The form of the fewest bits that names the same.
    public var abbreviated: BluetoothUUID {
        let expanded = expanded
        let prefix = expanded.octets[..<4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        guard BluetoothUUID.bit32(prefix).expanded == expanded else { return .bit128(expanded) }
        return UInt16(exactly: prefix).map { .bit16($0) } ?? .bit32(prefix)
    }
}

extension BluetoothUUID: Hashable {
    public static func == (left: BluetoothUUID, right: BluetoothUUID) -> Bool {
        left.expanded == right.expanded
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(expanded)
    }
}

extension BluetoothUUID: CustomStringConvertible {
    /// Upper-case: four or eight digits, or the long form.
    public var description: String {
        switch self {
        case .bit16(let value): Hexadecimal.string([UInt8(value >> 8), UInt8(value & 0xFF)]).uppercased()
        case .bit32(let value):
            Hexadecimal.string([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }).uppercased()
        case .bit128(let uuid): uuid.description
        }
    }
}
