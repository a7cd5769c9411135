// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluetooth

/// Which beacon sends a frame, as the frame says. Receivers cannot distinguish beacons of equal identities.
public struct BeaconIdentity: Hashable, Sendable {
    /// The identifiers of a beacon, in the forms that formats have.
    public enum Identifiers: Hashable, Sendable {
        /// 16, 2 and 2 bytes: proximity UUID, major and minor of iBeacon; id1, id2 and id3 of AltBeacon.
        case numbers(UUID128, major: UInt16, minor: UInt16)
        /// 10 and 6 bytes: namespace and instance of Eddystone-UID.
        case namespace([UInt8], instance: [UInt8])
        /// Any other: the address of Eddystone-URL, the digits of Eddystone-EID.
        case text(String)
    }

    /// The name of the format.
    public let format: String
    /// The identifiers.
    public let identifiers: Identifiers

    /// The identity of a beacon of this format.
    public init(format: String, _ identifiers: Identifiers) {
        self.format = format
        self.identifiers = identifiers
    }

    /// Of the identifiers: beacons of different formats rarely have the same, and the name of a format is a text.
    public func hash(into hasher: inout Hasher) {
        switch identifiers {
        case .numbers(let uuid, let major, let minor):
            hasher.combine(uuid.high)
            hasher.combine(uuid.low)
            hasher.combine(UInt32(major) << 16 | UInt32(minor))
        case .namespace(let namespace, let instance):
            hasher.combine(namespace)
            hasher.combine(instance)
        case .text(let text): hasher.combine(text)
        }
    }
}

extension BeaconIdentity: Comparable {
    /// By the form of the identifiers, by their values, then by the name of the format.
    public static func < (left: BeaconIdentity, right: BeaconIdentity) -> Bool {
        // The order of most beacons, without arrays.
        if case .numbers(let one, let major, let minor) = left.identifiers,
            case .numbers(let other, let otherMajor, let otherMinor) = right.identifiers
        {
            let (first, second) = ((one.high, one.low, major, minor), (other.high, other.low, otherMajor, otherMinor))
            return first == second ? left.format < right.format : first < second
        }
        let (first, second) = (left.bytes, right.bytes)
        guard first == second else { return first.lexicographicallyPrecedes(second) }
        return left.format < right.format
    }

    /// The form and the values, in the order of the frame.
    private var bytes: [UInt8] {
        switch identifiers {
        case .numbers(let uuid, let major, let minor):
            [0] + uuid.octets + [major, minor].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        case .namespace(let namespace, let instance): [1] + namespace + instance
        case .text(let text): [2] + Array(text.utf8)
        }
    }
}

extension BeaconIdentity: CustomStringConvertible {
    /// `E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 major 1 minor 2` of an iBeacon; other formats begin with their names, as
    /// `eddystone-uid 8b0ca750e7a7f6e3b0c2 0123456789ab`.
    public var description: String {
        switch identifiers {
        case .numbers(let uuid, let major, let minor):
            format == IBeacon.formatName
                ? "\(uuid) major \(major) minor \(minor)" : "\(format) \(uuid) id2 \(major) id3 \(minor)"
        case .namespace(let namespace, let instance):
            "\(format) \(Hexadecimal.string(namespace)) \(Hexadecimal.string(instance))"
        case .text(let text): "\(format) \(text)"
        }
    }
}
