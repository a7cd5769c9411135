// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluetooth

/// A frame of one beacon format.
///
/// A format is one file with a conformance, and one entry in `BeaconFormats.beaconEntries` or `Sensors.entries`. A format that can
/// be sent as well conforms to `TransmittableBeacon`.
public protocol BeaconFormat: Hashable, Sendable {
    /// The name that commands and profiles use, such as `eddystone-uid`.
    static var formatName: String { get }
    /// The frame in an AD structure; `nil` if the structure has no frame of this format.
    init?(_ structure: AdvertisingStructure)
    /// The frame as the AD structure that it was decoded from.
    var structure: AdvertisingStructure { get }
    /// The fields in the order in which people read them.
    var fields: [BeaconField] { get }
    /// Which beacon sends the frame; `nil` for a frame that does not say it, as of telemetry. Receivers range beacons by
    /// their identities, and monitor regions of them.
    var identity: BeaconIdentity? { get }
}

/// A frame that has the RSSI at 1 m, from which receivers estimate their distance.
public protocol MeasuredBeacon: BeaconFormat {
    /// The RSSI that a receiver has at 1 m. A value that the format cannot have becomes the nearest one.
    var measuredPower: MeasuredPower { get set }
}

/// A field of a decoded frame.
public struct BeaconField: Hashable, Sendable {
    /// A value in JSON.
    public enum Value: Hashable, Sendable {
        /// Text.
        case text(String)
        /// A whole number.
        case integer(Int)
        /// Any number.
        case number(Double)
        /// Several values of one field.
        indirect case list([Value])
    }

    /// The JSON key.
    public let key: String
    /// The value.
    public let value: Value
    /// The field for people, with name and unit; `nil` for a field only in JSON.
    public let text: String?

    /// A field.
    public init(_ key: String, _ value: Value, text: String?) {
        self.key = key
        self.value = value
        self.text = text
    }

    /// A whole number: `major 2`, `battery 2840 mV`.
    static func integer(_ key: String, _ name: String, _ value: some FixedWidthInteger, unit: String = "")
        -> BeaconField
    {
        BeaconField(key, .integer(Int(value)), text: "\(name) \(value)" + (unit.isEmpty ? "" : " \(unit)"))
    }
}

/// A frame of any known format.
public struct BeaconFrame: Hashable, Sendable {
    /// The frame.
    public let content: any BeaconFormat

    /// Wraps a frame.
    public init(_ content: some BeaconFormat) { self.content = content }

    /// The frame in an AD structure; `nil` if it has no frame of a known format.
    public init?(_ structure: AdvertisingStructure) {
        for format in BeaconFormats.all {
            guard let content = format.init(structure) else { continue }
            self.content = content
            return
        }
        return nil
    }

    /// The frames in an AD structure, of some formats.
    static func all(in structure: AdvertisingStructure, of formats: [any BeaconFormat.Type]) -> [BeaconFrame] {
        switch structure {
        // Nothing else has frames.
        case .manufacturerSpecific, .serviceData16: formats.compactMap { $0.init(structure).map { BeaconFrame($0) } }
        default: []
        }
    }

    /// The name of the frame's format.
    public var format: String { type(of: content).formatName }

    /// The frame as an AD structure.
    public var structure: AdvertisingStructure { content.structure }

    /// The fields in the order in which people read them.
    public var fields: [BeaconField] { content.fields }

    /// Which beacon sends the frame; `nil` if the format does not say it.
    public var identity: BeaconIdentity? { content.identity }

    /// The RSSI at 1 m; `nil` if the format does not have it.
    public var measuredPower: MeasuredPower? { (content as? any MeasuredBeacon)?.measuredPower }

    /// Whether a name selects the frame's format, as in `BeaconFormats.named`.
    public func isNamed(_ name: String) -> Bool { BeaconFormats.named(name).contains { $0 == type(of: content) } }

    public static func == (left: BeaconFrame, right: BeaconFrame) -> Bool {
        AnyHashable(left.content) == AnyHashable(right.content)
    }

    public func hash(into hasher: inout Hasher) { content.hash(into: &hasher) }
}

extension Advertisement {
    /// The measured power of the first frame that claims one, in the advertising data or else in the scan response.
    package var measuredPower: MeasuredPower? { advertisingData.measuredPower ?? scanResponse.measuredPower }
}

/// The known beacon formats.
public enum BeaconFormats {
    /// A known format.
    package struct Entry: Sendable {
        /// Decodes frames of the format.
        let format: any BeaconFormat.Type
        /// Builds them; `nil` for a format that cannot be sent.
        let transmittable: (any TransmittableBeacon.Type)?

        /// A format that can be sent. The compiler chooses this one where it can: a cast at run time searches all conformances of
        /// the program.
        init<Format: TransmittableBeacon>(_ format: Format.Type) {
            self.format = format
            transmittable = format
        }

        /// A format that is received only.
        init<Format: BeaconFormat>(_ format: Format.Type) {
            self.format = format
            transmittable = nil
        }
    }

    private static let beaconEntries = [
        Entry(IBeacon.self), Entry(AltBeacon.self), Entry(EddystoneUID.self), Entry(EddystoneURL.self),
        Entry(EddystoneTLM.self), Entry(EddystoneEncryptedTLM.self), Entry(EddystoneEID.self),
    ]
    private static let sensorEntries = [Entry(BTHome.self), Entry(EncryptedBTHome.self)] + Sensors.entries

    /// The formats of beacons, in the order in which they are documented and tried.
    public static let beacons: [any BeaconFormat.Type] = beaconEntries.map(\.format)

    /// The formats of sensors, which receivers know by their addresses: no frame of them has an identity.
    public static let sensors: [any BeaconFormat.Type] = sensorEntries.map(\.format)

    /// All formats.
    public static let all = beacons + sensors

    /// The formats that can be sent.
    package static let transmittable = (beaconEntries + sensorEntries).compactMap(\.transmittable)

    /// The names of the formats.
    public static var names: [String] { all.map { $0.formatName } }

    /// The formats that a name selects: the format with this name, or all of Eddystone for `eddystone`; empty if
    /// unknown.
    public static func named(_ name: String) -> [any BeaconFormat.Type] {
        all.filter { $0.formatName == name || name == "eddystone" && $0.formatName.hasPrefix("eddystone-") }
    }
}

extension AdvertisingData {
    /// The beacon frames in order. A structure may be a frame of several formats: the hydrometer of Tilt is an iBeacon.
    public var frames: [BeaconFrame] {
        structures.flatMap { BeaconFrame.all(in: $0, of: BeaconFormats.all) }
    }

    /// The frames of beacons in order, without those of sensors.
    package var beacons: [BeaconFrame] { structures.flatMap { BeaconFrame.all(in: $0, of: BeaconFormats.beacons) } }

    /// The same data with other measured powers in its frames; structures without one stay as they are.
    /// - Parameter change: returns the measured power in place of another one.
    package func mapMeasuredPower(_ change: (MeasuredPower) -> MeasuredPower) -> AdvertisingData {
        mapStructures { structure in
            guard var frame = BeaconFrame(structure)?.content as? any MeasuredBeacon else { return structure }
            frame.measuredPower = change(frame.measuredPower)
            return frame.structure
        }
    }

    /// The measured power of the first frame that claims one.
    package var measuredPower: MeasuredPower? { frames.lazy.compactMap(\.measuredPower).first }

    /// The iBeacon frames in order.
    public var iBeacons: [IBeacon] { structures.compactMap(IBeacon.init) }
}
