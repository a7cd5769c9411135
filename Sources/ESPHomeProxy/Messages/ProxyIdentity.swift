// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
import Protobuf

/// What a proxy says about itself.
package struct ProxyIdentity: Hashable, Sendable {
    /// What a proxy can do.
    package struct Features: OptionSet, Hashable, Sendable {
        package let rawValue: UInt32

        package init(rawValue: UInt32) { self.rawValue = rawValue }

        /// It receives advertisements.
        package static let passiveScan = Features(rawValue: 1 << 0)
        /// It sends advertisements as they were received.
        package static let rawAdvertisements = Features(rawValue: 1 << 5)
        /// It reports the state of its scanner, and has a mode that can be set.
        package static let stateAndMode = Features(rawValue: 1 << 6)
    }

    /// The version of the API that our proxies announce: new enough for short UUIDs (1.12), older than the request for
    /// capabilities (1.15).
    static let apiVersion: (major: UInt32, minor: UInt32) = (1, 12)
    /// The version of ESPHome that has this API.
    private static let ownVersion = "2025.12.0"
    /// Passive scan, active connections, remote caching, pairing, cache clearing, raw advertisements, state and mode of the
    /// scanner, connection parameters.
    private static let ownFeatures = Features(rawValue: 0xFF)
    private static let longestName = 31

    /// The name of the node: lower case letters, digits and hyphens, 1 to 31.
    package let name: String
    /// The name for people.
    package let friendlyName: String
    /// The address of its host, by which clients recognise it.
    package private(set) var address: BluetoothAddress
    /// Whether it has a key.
    package let isEncrypted: Bool
    /// The version of ESPHome.
    package let version: String
    /// What it can do; empty for a device that is not a Bluetooth proxy.
    package private(set) var features: Features

    /// A proxy of ours with a name: other characters become hyphens in the name of the node.
    package init(name: String, address: BluetoothAddress, isEncrypted: Bool) {
        let characters = name.lowercased().unicodeScalars.map { scalar -> Character in
            let isAllowed = scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
            return isAllowed ? Character(scalar) : "-"
        }
        self.name = characters.isEmpty ? "beaconry" : String(characters.prefix(Self.longestName))
        friendlyName = name
        self.address = address
        self.isEncrypted = isEncrypted
        version = Self.ownVersion
        features = Self.ownFeatures
    }

    /// The proxy that a message describes. Its texts may have any characters.
    init(_ fields: ProtobufFields) {
        name = fields.string(2)
        friendlyName = fields.string(13)
        version = fields.string(4)
        features = Features(rawValue: fields.uint32(15))
        address = BluetoothAddress(fields.string(18)) ?? .zero
        isEncrypted = fields.bool(19)
    }

    /// The same proxy with the values of its capabilities, which replace the values of its description (API 1.15).
    func having(_ features: Features, _ address: BluetoothAddress) -> ProxyIdentity {
        var identity = self
        identity.features = features
        identity.address = address
        return identity
    }

    func write(to writer: inout ProtobufWriter) {
        writer.string(2, name)
        writer.string(3, address.description)
        writer.string(4, version)
        writer.string(6, "Bluetooth proxy")
        writer.string(8, "beaconry.bluetooth-proxy")
        writer.string(12, "Beaconry")
        writer.string(13, friendlyName)
        writer.uint32(15, features.rawValue)
        writer.string(18, address.description)
        writer.bool(19, isEncrypted)
    }
}

/// The answer of a proxy to the hello of a client.
package struct ProxyGreeting: Hashable, Sendable {
    /// The version of the API.
    package let major: UInt32
    package let minor: UInt32
    /// The server, for people: the version of ESPHome.
    package let server: String
    /// The name of the node.
    package let name: String

    /// The greeting of a proxy of ours.
    init(_ identity: ProxyIdentity) {
        (major, minor) = ProxyIdentity.apiVersion
        server = "Beaconry"
        name = identity.name
    }

    /// The greeting in a message. Its texts may have any characters.
    init(_ fields: ProtobufFields) {
        major = fields.uint32(1)
        minor = fields.uint32(2)
        server = fields.string(3)
        name = fields.string(4)
    }

    func write(to writer: inout ProtobufWriter) {
        writer.uint32(1, major)
        writer.uint32(2, minor)
        writer.string(3, server)
        writer.string(4, name)
    }
}
