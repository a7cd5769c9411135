// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
import DBus
import KernelBluetooth

/// An adapter as bluetoothd describes it (org.bluez.Adapter1 and org.bluez.LEAdvertisingManager1).
package struct BlueZAdapter: Hashable, Sendable {
    static let interface = "org.bluez.Adapter1"
    private static let advertisingInterface = "org.bluez.LEAdvertisingManager1"
    static let deviceInformation = BluetoothUUID.bit16(0x180A)

    /// The kernel's name, `hciN`.
    package let name: String
    /// The public address, or the static random one of a controller without a public address; zero if it has none.
    package let address: BluetoothAddress
    /// Whether no other adapter of this machine has the address, as cheap dongles do.
    package internal(set) var hasUniqueAddress = true
    /// Whether the adapter is powered.
    package let isPowered: Bool
    /// Whether the adapter has Bluetooth Low Energy advertising.
    package let canAdvertise: Bool
    /// Whether the adapter is discoverable: then every advertisement on it is connectable.
    package let isDiscoverable: Bool
    /// Whether a program scans with the adapter.
    package let isDiscovering: Bool
    /// Whether bluetoothd has a Device Information service of its own (0x180A); `nil` if its services are unknown.
    package let hasDeviceInformation: Bool?
    /// Whether the controller has extended advertising.
    package let isExtended: Bool
    /// The number of further advertisements that bluetoothd accepts.
    package let freeInstances: Int
    /// The number of advertisements that bluetoothd has, of all programs.
    package let activeInstances: Int
    /// Whether a transmit power can be requested.
    package let canSetTransmitPower: Bool
    /// Whether an advertisement can include its transmit power.
    let canIncludeTransmitPower: Bool
    /// The version of bluetoothd, from the adapter's Modalias; `nil` when its configuration replaces that.
    package let daemonVersion: BlueZVersion?
    /// The adapter's object on the bus.
    let path: ObjectPath

    /// The name in the ledger: the address, which stays when the kernel gives the adapter another number, unless other
    /// adapters have the same.
    var identity: String { hasUniqueAddress ? "\(address)" : "\(address)-\(name)" }

    /// The controller index: N of hciN.
    var index: UInt16 { UInt16(name.dropFirst(3)) ?? ManagementPacket.noController }

    /// Parses an object of GetManagedObjects; `nil` for an object that is not an adapter.
    init?(path: ObjectPath, interfaces: [String: DBusValue]) {
        guard let adapter = interfaces[Self.interface]?.dictionaryValue,
            let address = adapter["Address"]?.stringValue.flatMap({ BluetoothAddress($0) })
        else { return nil }
        let advertising = interfaces[Self.advertisingInterface]?.dictionaryValue
        self.path = path
        name = path.lastComponent
        self.address = address
        isPowered = adapter["Powered"]?.boolValue ?? false
        isDiscoverable = adapter["Discoverable"]?.boolValue ?? false
        isDiscovering = adapter["Discovering"]?.boolValue ?? false
        hasDeviceInformation = adapter["UUIDs"]?.stringsValue.map { uuids in
            uuids.contains { BluetoothUUID($0)?.expanded == Self.deviceInformation.expanded }
        }
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
package struct BlueZVersion: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number before the point; 5 since 2012.
    package let major: Int
    /// The number after the point.
    package let minor: Int

    /// Makes a version of its two numbers.
    package init(_ major: Int, _ minor: Int) {
        self.major = major
        self.minor = minor
    }

    /// Parses the Modalias that BlueZ gives an adapter: `usb:v1D6Bp0246d0542` is 5.66, one hexadecimal byte per number.
    init?(modalias: String) {
        let prefix = "usb:v1D6Bp0246d"
        guard modalias.hasPrefix(prefix), let version = UInt16(modalias.dropFirst(prefix.count).prefix(4), radix: 16)
        else { return nil }
        self.init(Int(version >> 8), Int(version & 0xFF))
    }

    package var description: String { "\(major).\(minor)" }

    package static func < (left: Self, right: Self) -> Bool {
        (left.major, left.minor) < (right.major, right.minor)
    }
}
