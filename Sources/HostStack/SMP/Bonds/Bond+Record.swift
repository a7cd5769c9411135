// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import BluetoothCore
import HCI

/// A value of a bond's record that cannot be what it should.
package struct BondRecordFault: Error, Hashable, Sendable {
    /// The name of the value that is missing or cannot be read.
    package let name: String
}

// A bond as named texts, which any file can hold and a person can read. Keys and hashes are hexadecimal digits in the
// order of the wire. Names and forms stay as they are: files hold them.
extension Bond {
    /// The bond as texts by name. What the bond does not have is absent.
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

    /// The bond of such texts. Names that are not known are left alone.
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

    /// The key, and behind it the two numbers that name it, if it has a name.
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
