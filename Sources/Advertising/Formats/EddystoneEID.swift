// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluetooth

/// Eddystone-EID, frame type 0x30: an identifier that changes; only holders of the identity key can resolve it.
public struct EddystoneEID: Hashable, Sendable {
    /// The power at 0 m.
    public private(set) var power: TransmitPower
    /// The ephemeral identifier, 8 bytes.
    public let identifier: [UInt8]

    /// A frame with these values; `nil` unless the identifier has 8 bytes.
    public init?(power: TransmitPower, identifier: [UInt8]) {
        guard identifier.count == 8 else { return nil }
        self.power = power
        self.identifier = identifier
    }

    /// The RSSI at 1 m.
    public var measuredPower: MeasuredPower {
        get { Eddystone.measuredPower(power) }
        set { power = Eddystone.power(newValue) }
    }
}

extension EddystoneEID: EddystoneFrame {
    /// Parses the 10 bytes after the service UUID.
    /// - Throws: `WireError`: truncated, or `.badValue` if the frame type is not 0x30.
    public init(parsing reader: inout ByteReader) throws(WireError) {
        try Eddystone.readType([0x30], &reader)
        power = TransmitPower(try reader.readInt8())
        identifier = Array(try reader.read(count: 8))
    }

    public func serialize(into writer: inout ByteWriter) {
        writer.write(UInt8(0x30))
        writer.write(power.decibelMilliwatts)
        writer.write(identifier)
    }
}

extension EddystoneEID: MeasuredBeacon {
    public static let formatName = "eddystone-eid"

    public var identity: BeaconIdentity? {
        BeaconIdentity(format: Self.formatName, .text(Hexadecimal.string(identifier)))
    }

    public var fields: [BeaconField] {
        let identifier = Hexadecimal.string(identifier)
        return [
            BeaconField("ephemeralIdentifier", .text(identifier), text: identifier),
            .integer("powerAt0m", "power at 0 m", power.decibelMilliwatts, unit: "dBm"),
        ]
    }
}
