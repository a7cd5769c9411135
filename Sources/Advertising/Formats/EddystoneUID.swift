// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluetooth

/// Eddystone-UID, frame type 0x00: a fixed identifier.
public struct EddystoneUID: Hashable, Sendable {
    /// The power at 0 m.
    public private(set) var power: TransmitPower
    /// The namespace, which identifies the owner of the beacons: 10 bytes.
    public private(set) var namespace: [UInt8]
    /// The instance, which identifies the beacon: 6 bytes.
    public private(set) var instance: [UInt8]
    /// Two bytes reserved for future use, which should be 0; `nil` for early beacons, whose frames do not have them.
    public let reserved: UInt16?

    /// A frame with these values; `nil` unless namespace and instance have 10 and 6 bytes.
    public init?(power: TransmitPower, namespace: [UInt8], instance: [UInt8], reserved: UInt16? = 0) {
        guard namespace.count == 10, instance.count == 6 else { return nil }
        self.power = power
        self.namespace = namespace
        self.instance = instance
        self.reserved = reserved
    }

    /// The RSSI at 1 m.
    public var measuredPower: MeasuredPower {
        get { Eddystone.measuredPower(power) }
        set { power = Eddystone.power(newValue) }
    }
}

extension EddystoneUID: EddystoneFrame {
    /// Parses the 20 bytes after the service UUID, or the 18 bytes of early beacons if no more bytes follow.
    /// - Throws: `WireError`: truncated, or `.badValue` if the frame type is not 0x00.
    public init(parsing reader: inout ByteReader) throws(WireError) {
        try Eddystone.readType([0x00], &reader)
        power = TransmitPower(try reader.readInt8())
        namespace = Array(try reader.read(count: 10))
        instance = Array(try reader.read(count: 6))
        reserved = reader.isAtEnd ? nil : try reader.readBigEndian(UInt16.self)
    }

    public func serialize(into writer: inout ByteWriter) {
        writer.write(UInt8(0x00))
        writer.write(power.decibelMilliwatts)
        writer.write(namespace)
        writer.write(instance)
        if let reserved { writer.writeBigEndian(reserved) }
    }
}

extension EddystoneUID: MeasuredBeacon {
    public static let formatName = "eddystone-uid"

    public var identity: BeaconIdentity? {
        BeaconIdentity(format: Self.formatName, .namespace(namespace, instance: instance))
    }

    public var fields: [BeaconField] {
        let (namespace, instance) = (Hexadecimal.string(namespace), Hexadecimal.string(instance))
        return [
            BeaconField("namespace", .text(namespace), text: "namespace \(namespace)"),
            BeaconField("instance", .text(instance), text: "instance \(instance)"),
            .integer("powerAt0m", "power at 0 m", power.decibelMilliwatts, unit: "dBm"),
        ]
    }
}

extension EddystoneUID: TransmittableBeacon {
    private init(template: Void) {
        power = TransmitPower(-18)
        namespace = Array(repeating: 0, count: 10)
        instance = Array(repeating: 0, count: 6)
        reserved = 0
    }

    package static let template = EddystoneUID(template: ())

    package static let keys: [BeaconKey<EddystoneUID>] = [
        BeaconKey("namespace", "Namespace, the owner of the beacons", .bytes(10), \.namespace, isRequired: true),
        BeaconKey("instance", "Instance, the beacon in its namespace", .bytes(6), \.instance, isRequired: true),
        BeaconKey("power-at-0m", "RSSI at 0 m", .power, \.power),
    ]

    package static let example: KeyValuePairs = ["namespace": "8b0ca750e7a7f6e3b0c2", "instance": "0123456789ab"]
}
