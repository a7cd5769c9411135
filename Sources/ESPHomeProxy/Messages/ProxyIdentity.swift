// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// What a proxy says about itself.
package struct ProxyIdentity: Hashable, Sendable {
    /// The version of the API that is announced: new enough for short UUIDs (1.12), older than the request for capabilities
    /// (1.15).
    static let apiVersion: (major: UInt32, minor: UInt32) = (1, 12)
    /// The version of ESPHome that has this API.
    private static let version = "2025.12.0"
    /// Passive scan, active connections, remote caching, pairing, cache clearing, raw advertisements, state and mode of the
    /// scanner, connection parameters.
    private static let features: UInt32 = 0xFF
    private static let longestName = 31

    /// The name of the node: lower case letters, digits and hyphens, 1 to 31.
    package let name: String
    /// The name for people.
    package let friendlyName: String
    /// The address of its host, by which clients recognise it.
    package let address: BluetoothAddress
    /// Whether it has a key.
    package let isEncrypted: Bool

    /// A proxy with a name: other characters become hyphens in the name of the node.
    package init(name: String, address: BluetoothAddress, isEncrypted: Bool) {
        let characters = name.lowercased().unicodeScalars.map { scalar -> Character in
            let isAllowed = scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
            return isAllowed ? Character(scalar) : "-"
        }
        self.name = characters.isEmpty ? "beaconry" : String(characters.prefix(Self.longestName))
        friendlyName = name
        self.address = address
        self.isEncrypted = isEncrypted
    }

    func writeHello(to writer: inout ProtobufWriter) {
        writer.uint32(1, Self.apiVersion.major)
        writer.uint32(2, Self.apiVersion.minor)
        writer.string(3, "Beaconry")
        writer.string(4, name)
    }

    func write(to writer: inout ProtobufWriter) {
        writer.string(2, name)
        writer.string(3, address.description)
        writer.string(4, Self.version)
        writer.string(6, "Bluetooth proxy")
        writer.string(8, "beaconry.bluetooth-proxy")
        writer.string(12, "Beaconry")
        writer.string(13, friendlyName)
        writer.uint32(15, Self.features)
        writer.string(18, address.description)
        writer.bool(19, isEncrypted)
    }

    func writeCapabilities(to writer: inout ProtobufWriter) {
        writer.message(1) { writer in
            writer.uint32(1, Self.features)
            writer.string(2, address.description)
        }
    }
}
