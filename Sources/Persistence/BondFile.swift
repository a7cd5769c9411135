// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import FoundationEssentials
package import Radio

/// The saved bonds and local keys of one beacon, in a file beside its settings.
package struct BondFile: Sendable {
    private static let version = 1
    private let profile: String
    private let beacon: String
    /// The file, for a removal together with others.
    package let file: AtomicFile

    /// The file's path.
    package var path: String { file.path }

    /// The format of the file.
    private struct Document: Codable {
        var v = version
        var profile: String
        var beacon: String
        var own: [String: String]
        var bonds: [Entry]
    }

    fileprivate struct Entry: Codable {
        var peer: String
        var random: Bool
        var authenticated: Bool?
        var secureConnections: Bool?
        var keySize: UInt8?
        var keys: [String: String]
    }

    /// What the file holds.
    package enum Contents: Hashable, Sendable {
        /// The file does not exist: nothing was saved.
        case absent
        /// The saved bonds and keys.
        case secrets(StoredSecrets)
        /// The file cannot be used; the reason is a clause.
        case damaged(reason: String)
    }

    /// The bonds of a beacon.
    init(path: String, profile: String, beacon: String, fileSystem: any FileSystem) {
        self.profile = profile
        self.beacon = beacon
        file = AtomicFile(path: path, fileSystem: fileSystem)
    }

    /// Reads the file.
    /// - Throws: `SystemError` if the file exists but cannot be read.
    package func load() throws(SystemError) -> Contents {
        let bytes: [UInt8]
        switch try file.read() {
        case .absent: return .absent
        case .tooLarge(let reason): return .damaged(reason: reason)
        case .bytes(let content): bytes = content
        }
        guard let document = try? JSONDecoder().decode(Document.self, from: Data(bytes)) else {
            return .damaged(reason: "it is not a file of bonds")
        }
        guard document.v == Self.version else {
            return .damaged(reason: "it is of version \(document.v), not \(Self.version)")
        }
        if let reason = AtomicFile.mismatch((document.profile, document.beacon), (profile, beacon)) {
            return .damaged(reason: reason)
        }
        var bonds: [StoredBond] = []
        for entry in document.bonds {
            guard let bond = StoredBond(entry) else {
                return .damaged(reason: "\"\(entry.peer)\" is not an address")
            }
            bonds.append(bond)
        }
        return .secrets(StoredSecrets(own: document.own, bonds: bonds))
    }

    /// Saves bonds and keys. On return they are on the medium; after an error the file holds its old content.
    /// - Throws: `SystemError`.
    package func store(_ secrets: StoredSecrets) throws(SystemError) {
        let document = Document(
            profile: profile, beacon: beacon, own: secrets.own, bonds: secrets.bonds.map(Entry.init))
        try file.store(JSONDocument.encode(document))
    }

    /// Renames a file that cannot be used, so that it is neither lost nor overwritten.
    /// - Returns: Its new path.
    /// - Throws: `SystemError`.
    package func setAside() throws(SystemError) -> String { try file.setAside() }

    /// Removes the file.
    /// - Returns: Whether the file existed.
    /// - Throws: `SystemError`.
    @discardableResult
    package func erase() throws(SystemError) -> Bool { try file.erase() }
}

extension BondFile.Entry {
    fileprivate init(_ bond: StoredBond) {
        peer = bond.peer.address.address.description
        random = bond.peer.address.isRandom
        authenticated = bond.peer.isAuthenticated
        secureConnections = bond.peer.usesSecureConnections
        keySize = bond.peer.keySize
        keys = bond.fields
    }
}

extension StoredBond {
    fileprivate init?(_ entry: BondFile.Entry) {
        guard let address = BluetoothAddress(entry.peer) else { return nil }
        self.init(
            peer: PairedPeer(
                address: RemoteAddress(address, isRandom: entry.random), isBonded: true,
                isAuthenticated: entry.authenticated, usesSecureConnections: entry.secureConnections,
                keySize: entry.keySize),
            fields: entry.keys)
    }
}
