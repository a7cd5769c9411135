// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// The attributes of a server as one client may use them: the table, the security of the link, and the values that the
/// server stores for this client (subscriptions, features, broadcasts).
///
/// It also tracks change awareness: whether a client with robust caching knows the present table (Core 5.4, Vol 3, Part
/// G, 2.5.2.1). The states and their transitions:
///
/// * `aware`: the table changes -> `unaware`.
/// * `unaware`: an error response with "database out of sync" -> `informed`; the hash is read -> `hasReadHash`.
/// * `informed` and `hasReadHash`: any request -> `aware`.
/// * Each: Service Changed is confirmed -> `aware`.
struct AttributeAccess: Sendable {
    private enum Awareness: Hashable, Sendable {
        case aware
        case unaware
        case informed
        case hasReadHash
    }

    /// The attribute table.
    private(set) var database: AttributeDatabase
    /// The security of the link.
    var security = LinkSecurity.open
    /// The characteristics that are broadcast, by their value handles.
    private(set) var broadcasts: Set<AttributeHandle> = []
    /// The state of the client, to be saved with its bond.
    private(set) var client: ATTClientState
    private var awareness: Awareness
    /// Subscriptions of an earlier connection that the client has not written on this one.
    private var restored: Set<AttributeHandle> = []

    /// The attributes for a client on a new connection.
    init(database: AttributeDatabase, client: ATTClientState) {
        self.database = database
        self.client = client
        awareness = client.databaseHash.map { $0 == database.hash } ?? true ? .aware : .unaware
        if awareness == .aware { self.client.databaseHash = database.hash }
        self.client.configurations = client.configurations.filter { database.isConfigurable($0.key) }
    }

    /// The subscription to the characteristic with this value handle.
    func subscription(to handle: AttributeHandle) -> ClientCharacteristicConfiguration {
        client.configurations[handle] ?? database[handle]?.standingSubscription ?? []
    }

    // MARK: - Change awareness

    /// Whether the client must be notified first that the table has changed.
    var isOutOfSync: Bool { awareness != .aware && client.features.contains(.robustCaching) }

    /// Takes a request of any kind.
    mutating func receiveRequest() {
        switch awareness {
        case .aware, .unaware: break
        case .informed, .hasReadHash: becomeAware()
        }
    }

    /// Records that an error response notifies the client of the changed table.
    mutating func reportOutOfSync() { awareness = .informed }

    /// Records that the client confirmed the last Service Changed indication.
    mutating func confirmServiceChanged() { becomeAware() }

    private mutating func becomeAware() {
        awareness = .aware
        client.databaseHash = database.hash
    }

    /// Replaces the table. Subscriptions end in the range of the services that changed, except to Service Changed, and
    /// where the new table or its permissions do not allow them.
    mutating func replaceDatabase(_ database: AttributeDatabase, changed range: ClosedRange<AttributeHandle>?) {
        if database.hash != self.database.hash { awareness = .unaware }
        self.database = database
        let serviceChanged = database.valueHandle(of: .serviceChanged)
        client.configurations = client.configurations.filter { handle, configuration in
            (handle == serviceChanged || range?.contains(handle) != true) && canKeep(configuration, of: handle)
        }
        restored = restored.filter { client.configurations[$0] != nil }
        if let range { broadcasts = broadcasts.filter { !range.contains($0) } }
    }

    /// Whether a subscription is possible in the present table, and over this link.
    private func canKeep(_ configuration: ClientCharacteristicConfiguration, of handle: AttributeHandle) -> Bool {
        guard let descriptor = database.clientConfiguration(of: handle),
            case .clientConfiguration(_, let allowed) = descriptor.value
        else { return false }
        return configuration.isSubset(of: allowed) && security.refusalToWrite(descriptor) == nil
    }

    /// Restores the saved state of the client; what it has written on this connection takes precedence. Of the
    /// subscriptions to a table that has changed since, only Service Changed is restored.
    /// - Returns: the subscriptions that changed, by handle, and whether the table is still the same.
    mutating func restore(
        _ saved: ATTClientState
    ) -> (
        subscriptions: [(handle: AttributeHandle, configuration: ClientCharacteristicConfiguration)], isSameTable: Bool
    ) {
        let present = client.configurations
        let serviceChanged = database.valueHandle(of: .serviceChanged)
        let isSameTable = saved.databaseHash == nil || saved.databaseHash == database.hash
        let configurations = saved.configurations.filter {
            database.isConfigurable($0.key) && (isSameTable || $0.key == serviceChanged)
        }
        client.configurations.merge(configurations) { new, _ in new }
        client.features.formUnion(saved.features)
        let changed = client.configurations.filter { present[$0.key] != $0.value }
        restored = Set(changed.keys)
        if !isSameTable {
            awareness = .unaware
            client.databaseHash = saved.databaseHash
        }
        return (changed.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }, isSameTable)
    }

    // MARK: - Values that the server stores

    /// The value of an attribute; `nil` if only the owner knows it.
    mutating func value(of attribute: Attribute) -> [UInt8]? {
        switch attribute.value {
        case .constant(let value): return value
        case .owner: return nil
        case .clientConfiguration(of: let handle, _): return subscription(to: handle).rawValue.littleEndianBytes
        case .serverConfiguration(of: let handle): return UInt16(broadcasts.contains(handle) ? 1 : 0).littleEndianBytes
        case .clientSupportedFeatures: return [client.features.rawValue]
        case .databaseHash:
            if awareness != .aware { awareness = .hasReadHash }
            return database.hash
        }
    }

    /// The attribute that a write goes to, or the error if the write is not allowed.
    func target(of write: PreparedWrite) -> Result<Attribute, ATTError> {
        guard let attribute = database[write.handle] else { return .failure(.invalidHandle) }
        if let error = security.refusalToWrite(attribute) { return .failure(error) }
        guard write.offset <= Attribute.maximumLength else { return .failure(.invalidOffset) }
        guard write.offset + write.value.count <= Attribute.maximumLength else {
            return .failure(.invalidAttributeValueLength)
        }
        return .success(attribute)
    }

    /// Writes an attribute whose value the server stores.
    /// - Returns: the reports for the owner.
    mutating func store(_ write: PreparedWrite, in attribute: Attribute) -> Result<[ATTServerOutput], ATTError> {
        switch attribute.value {
        case .clientConfiguration(of: let handle, let allowed):
            merge(write, into: subscription(to: handle).rawValue).flatMap {
                configure(handle, ClientCharacteristicConfiguration(rawValue: $0), allowed: allowed)
            }
        case .serverConfiguration(of: let handle):
            merge(write, into: broadcasts.contains(handle) ? 1 : 0).flatMap { setBroadcast(of: handle, to: $0) }
        case .clientSupportedFeatures:
            setFeatures(write)
        case .constant, .databaseHash, .owner:
            .failure(.writeNotPermitted)
        }
    }

    /// The present bytes before the offset, followed by the written bytes.
    private func merge(_ write: PreparedWrite, into present: UInt16) -> Result<UInt16, ATTError> {
        let bytes = present.littleEndianBytes
        guard write.offset <= bytes.count else { return .failure(.invalidOffset) }
        let merged = bytes[..<write.offset] + write.value
        guard merged.count == 2 else { return .failure(.invalidAttributeValueLength) }
        return .success(UInt16(merged[0]) | UInt16(merged[1]) << 8)
    }

    private mutating func configure(
        _ handle: AttributeHandle, _ configuration: ClientCharacteristicConfiguration,
        allowed: ClientCharacteristicConfiguration
    ) -> Result<[ATTServerOutput], ATTError> {
        guard configuration.isSubset(of: allowed) else { return .failure(.valueNotAllowed) }
        // A client that repeats a restored subscription may not have been ready for values before. Notify the owner
        // again: it may send the present value to new subscribers.
        let isRepeated = restored.remove(handle) != nil
        guard configuration != subscription(to: handle) || isRepeated, let uuid = database[handle]?.type else {
            return .success([])
        }
        client.configurations[handle] = configuration.isEmpty ? nil : configuration
        return .success([.subscriptionChanged(handle, uuid: uuid, configuration)])
    }

    private mutating func setBroadcast(
        of handle: AttributeHandle, to value: UInt16
    ) -> Result<[ATTServerOutput], ATTError> {
        guard value <= 1 else { return .failure(.valueNotAllowed) }
        let isOn = value == 1
        guard isOn != broadcasts.contains(handle), let uuid = database[handle]?.type else { return .success([]) }
        if isOn { broadcasts.insert(handle) } else { broadcasts.remove(handle) }
        return .success([.broadcastChanged(handle, uuid: uuid, isOn: isOn)])
    }

    /// A client may add features and not remove any (Core 5.4, Vol 3, Part G, 7.2).
    private mutating func setFeatures(_ write: PreparedWrite) -> Result<[ATTServerOutput], ATTError> {
        guard write.offset == 0 else { return .failure(.invalidOffset) }
        guard let first = write.value.first else { return .failure(.invalidAttributeValueLength) }
        // Unknown features are not stored.
        let features = ClientSupportedFeatures(rawValue: first).intersection(.known)
        guard features.isSuperset(of: client.features) else { return .failure(.valueNotAllowed) }
        client.features = features
        return .success([])
    }
}

extension AttributeDatabase {
    /// Whether clients can subscribe to the characteristic with this value handle.
    fileprivate func isConfigurable(_ valueHandle: AttributeHandle) -> Bool {
        clientConfiguration(of: valueHandle) != nil
    }

    /// The Client Characteristic Configuration descriptor of the characteristic with this value handle.
    fileprivate func clientConfiguration(of valueHandle: AttributeHandle) -> Attribute? {
        // Descriptors follow their value.
        for attribute in self[valueHandle...AttributeHandle.last].dropFirst() {
            switch attribute.value {
            case .clientConfiguration(of: valueHandle, _): return attribute
            case .clientConfiguration, .owner: return nil
            default: continue
            }
        }
        return nil
    }
}
