// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
package import HCI

/// The keys and data that a device saves of a peer that it has paired with (Core 5.4, Vol 3, Part C, 9.4.4 and Part H, 2.4).
///
/// A bond has three forms, with different fields: this one for the host; `Radio.StoredBond`, its `record` for a store that
/// does not know its fields; and the row of the control protocol, without keys.
package struct Bond: Hashable, Sendable {
    /// A key that encrypts links.
    package struct Key: Hashable, Sendable {
        /// The key, least significant byte first.
        package var value: Octets<16>
        /// The name of the key.
        package var name: KeyName

        /// A key with this name; by default a key of LE Secure Connections, which has none.
        package init(_ value: Octets<16>, name: KeyName = .none) {
            self.value = value
            self.name = name
        }
    }

    /// The peer: its identity address if it distributed one, else the address of the connection.
    package var peer: PeerAddress
    /// The key that resolves the peer's private addresses; `nil` if it distributed none.
    package var resolvingKey: Octets<16>?
    /// The key for links on which this device is the peripheral.
    var peripheralKey: Key?
    /// The key for links on which this device is the central.
    var centralKey: Key?
    /// The length of the keys, in bytes: 7 to 16.
    package var keySize: UInt8
    /// Whether the pairing was protected against a machine in the middle.
    package var isAuthenticated: Bool
    /// Whether the pairing used LE Secure Connections.
    package var isSecureConnections: Bool
    /// The key with which this device signs.
    var ownSigningKey: Octets<16>?
    /// The key with which the peer signs.
    var peerSigningKey: Octets<16>?
    /// The state of the peer as a client of this device's attribute server.
    package var client: ATTClientState

    package init(
        peer: PeerAddress, resolvingKey: Octets<16>? = nil, peripheralKey: Key? = nil, centralKey: Key? = nil,
        keySize: UInt8 = 16, isAuthenticated: Bool = false, isSecureConnections: Bool = false,
        ownSigningKey: Octets<16>? = nil, peerSigningKey: Octets<16>? = nil, client: ATTClientState = ATTClientState()
    ) {
        self.peer = peer
        self.resolvingKey = resolvingKey
        self.peripheralKey = peripheralKey
        self.centralKey = centralKey
        self.keySize = keySize
        self.isAuthenticated = isAuthenticated
        self.isSecureConnections = isSecureConnections
        self.ownSigningKey = ownSigningKey
        self.peerSigningKey = peerSigningKey
        self.client = client
    }

    /// Whether an address belongs to this peer: its identity address, or a private address that its key resolves.
    func isPeer(_ address: PeerAddress) -> Bool {
        if address.address == peer.address, address.type.isRandomKind == peer.type.isRandomKind { return true }
        guard address.type.isRandomKind, let resolvingKey else { return false }
        return address.address.isResolved(by: resolvingKey)
    }

    /// The security of a link that is encrypted with one of the keys.
    var security: LinkSecurity {
        LinkSecurity(isEncrypted: true, isAuthenticated: isAuthenticated, hasKey: true, keySize: keySize)
    }
}

/// An invalid value in the record of a bond.
package struct BondRecordFault: Error, Hashable, Sendable {
    /// The name of the value that is missing or malformed.
    package let name: String
}

// A bond as named texts, for files. Keys and hashes are hexadecimal digits in the order of the wire. The names and forms
// must not change, because existing files contain them.
extension Bond {
    /// The bond as texts by name, without the values that the bond does not have.
    package var record: [String: String] {
        var record = [
            "peer": Self.text(of: peer), "key-size": "\(keySize)", "authenticated": "\(isAuthenticated)",
            "secure-connections": "\(isSecureConnections)",
        ]
        record["resolving-key"] = resolvingKey?.description
        record["peripheral-key"] = peripheralKey.map(Self.text)
        record["central-key"] = centralKey.map(Self.text)
        record["own-signing-key"] = ownSigningKey?.description
        record["peer-signing-key"] = peerSigningKey?.description
        if client.features != [] { record["client-features"] = "\(client.features.rawValue)" }
        record["client-database-hash"] = client.databaseHash.map { Hexadecimal.string($0) }
        if !client.configurations.isEmpty {
            let entries = client.configurations.sorted { $0.key.rawValue < $1.key.rawValue }
            record["client-configurations"] = entries.map { "\($0.key.rawValue):\($0.value.rawValue)" }
                .joined(separator: " ")
        }
        return record
    }

    /// The bond of such texts; unknown names are ignored.
    package init(record: [String: String]) throws(BondRecordFault) {
        func value<Value>(_ name: String, _ read: (String) -> Value?) throws(BondRecordFault) -> Value? {
            guard let text = record[name] else { return nil }
            guard let value = read(text) else { throw BondRecordFault(name: name) }
            return value
        }
        func needed<Value>(_ name: String, _ read: (String) -> Value?) throws(BondRecordFault) -> Value {
            guard let value = try value(name, read) else { throw BondRecordFault(name: name) }
            return value
        }
        let client = ATTClientState(
            configurations: try value("client-configurations", Self.configurations) ?? [:],
            features: ClientSupportedFeatures(rawValue: try value("client-features") { UInt8($0) } ?? 0),
            databaseHash: try value("client-database-hash") { Self.octets($0)?.bytes })
        self.init(
            peer: try needed("peer", Self.peer), resolvingKey: try value("resolving-key", Self.octets),
            peripheralKey: try value("peripheral-key", Self.key), centralKey: try value("central-key", Self.key),
            keySize: try needed("key-size") { UInt8($0).flatMap { 7...16 ~= $0 ? $0 : nil } },
            isAuthenticated: try needed("authenticated") { Bool($0) },
            isSecureConnections: try needed("secure-connections") { Bool($0) },
            ownSigningKey: try value("own-signing-key", Self.octets),
            peerSigningKey: try value("peer-signing-key", Self.octets), client: client)
    }

    private static func text(of peer: PeerAddress) -> String {
        "\(peer.type.isRandomKind ? "random" : "public") \(peer.address)"
    }

    private static func peer(_ text: String) -> PeerAddress? {
        let words = text.split(separator: " ")
        guard words.count == 2, let address = BluetoothAddress(words[1]) else { return nil }
        switch words[0] {
        case "public": return PeerAddress(address, type: .public)
        case "random": return PeerAddress(address, type: .random)
        default: return nil
        }
    }

    /// The key, followed by the two numbers of its name if it has one.
    private static func text(of key: Key) -> String {
        guard key.name != .none else { return key.value.description }
        return "\(key.value) \(key.name.encryptedDiversifier) \(key.name.randomNumber)"
    }

    private static func key(_ text: String) -> Key? {
        let words = text.split(separator: " ")
        guard let first = words.first, let value = octets(String(first)) else { return nil }
        if words.count == 1 { return Key(value) }
        guard words.count == 3, let diversifier = UInt16(words[1]), let random = UInt64(words[2]) else { return nil }
        return Key(value, name: KeyName(encryptedDiversifier: diversifier, randomNumber: random))
    }

    private static func octets(_ text: String) -> Octets<16>? {
        (try? Hexadecimal.bytes(text)).flatMap { Octets($0) }
    }

    private static func configurations(_ text: String) -> [AttributeHandle: ClientCharacteristicConfiguration]? {
        var configurations: [AttributeHandle: ClientCharacteristicConfiguration] = [:]
        for word in text.split(separator: " ") {
            let numbers = word.split(separator: ":").map { UInt16($0) }
            guard numbers.count == 2, let handle = numbers[0], let configuration = numbers[1] else { return nil }
            configurations[AttributeHandle(handle)] = ClientCharacteristicConfiguration(rawValue: configuration)
        }
        return configurations
    }
}
