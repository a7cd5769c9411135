// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore
import DBus

/// An adapter as bluetoothd describes it (org.bluez.Adapter and org.bluez.LEAdvertisingManager).
public struct BlueZAdapter: Hashable, Sendable {
    /// The kernel's name, `hciN`.
    public let name: String
    /// Its address.
    public let address: BluetoothAddress
    /// Whether it is powered.
    public let isPowered: Bool
    /// Whether it can advertise at all.
    public let canAdvertise: Bool
    /// Whether the controller has extended advertising.
    public let isExtended: Bool
    /// How many advertisements bluetoothd takes besides those it has.
    public let freeInstances: Int
    /// How many it has.
    public let activeInstances: Int
    /// Whether a transmit power can be asked for.
    public let canSetTransmitPower: Bool
    /// Whether an advertisement can carry its transmit power.
    let canIncludeTransmitPower: Bool
    /// The daemon's version as the adapter's device identification tells it; `nil` when that was configured away.
    public let daemonVersion: BlueZVersion?
    /// Its object on the bus.
    let path: ObjectPath

    /// N of hciN.
    var index: UInt16 { UInt16(name.dropFirst(3)) ?? ManagementPacket.noController }

    /// Reads an object of GetManagedObjects; `nil` for one that is not an adapter.
    init?(path: ObjectPath, interfaces: [String: DBusValue]) {
        guard let adapter = interfaces["org.bluez.Adapter1"]?.dictionaryValue,
            let address = adapter["Address"]?.stringValue.flatMap({ BluetoothAddress($0) })
        else { return nil }
        let advertising = interfaces["org.bluez.LEAdvertisingManager1"]?.dictionaryValue
        self.path = path
        name = path.lastComponent
        self.address = address
        isPowered = adapter["Powered"]?.boolValue ?? false
        canAdvertise = advertising != nil
        isExtended = !(advertising?["SupportedSecondaryChannels"]?.stringsValue ?? []).isEmpty
        freeInstances = Int(advertising?["SupportedInstances"]?.byteValue ?? 0)
        activeInstances = Int(advertising?["ActiveInstances"]?.byteValue ?? 0)
        canSetTransmitPower = advertising?["SupportedFeatures"]?.stringsValue?.contains("CanSetTxPower") ?? false
        canIncludeTransmitPower = advertising?["SupportedIncludes"]?.stringsValue?.contains("tx-power") ?? false
        daemonVersion = (adapter["Modalias"]?.stringValue).flatMap { BlueZVersion(modalias: $0) }
    }
}

/// A version of BlueZ, such as 5.66.
public struct BlueZVersion: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// 5 since 2012.
    public let major: Int
    /// Counts up.
    public let minor: Int

    /// The version of these numbers.
    public init(_ major: Int, _ minor: Int) {
        self.major = major
        self.minor = minor
    }

    /// Reads the device identification that BlueZ gives itself: `usb:v1D6Bp0246d0542` is 5.66, a byte each in hexadecimal.
    init?(modalias: String) {
        let prefix = "usb:v1D6Bp0246d"
        guard modalias.hasPrefix(prefix), let version = UInt16(modalias.dropFirst(prefix.count).prefix(4), radix: 16)
        else { return nil }
        self.init(Int(version >> 8), Int(version & 0xFF))
    }

    public var description: String { "\(major).\(minor)" }

    public static func < (left: Self, right: Self) -> Bool {
        (left.major, left.minor) < (right.major, right.minor)
    }
}
