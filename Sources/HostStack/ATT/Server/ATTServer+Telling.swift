// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
import BluetoothCore

extension ATTServer {
    /// What the client wants to be told of the characteristic whose value this handle has.
    package func subscription(to handle: AttributeHandle) -> ClientCharacteristicConfiguration {
        client.configurations[handle] ?? []
    }

    /// Tells the client a value, as it wants: by notification rather than indication; not at all when it wants neither.
    package mutating func notify(
        _ value: [UInt8], of handle: AttributeHandle, at now: Duration
    ) -> [ATTServerOutput] {
        subscription(to: handle).contains(.notification)
            ? notify(value, of: handle) : indicate(value, of: handle, at: now)
    }

    /// Notifies a value if the client wants notifications of it; what one PDU does not take is cut off.
    package mutating func notify(_ value: [UInt8], of handle: AttributeHandle) -> [ATTServerOutput] {
        guard !isClosed, !isOutOfSync, subscription(to: handle).contains(.notification) else { return [] }
        return [.send(ATTHandleValueNotification(handle: handle, value: Array(value.prefix(mtu - 3))).pduBytes)]
    }

    /// Indicates a value if the client wants indications of it, as soon as those before it are confirmed; what one PDU
    /// does not take is cut off. `.indicationEnded` follows in every case where it wants them.
    package mutating func indicate(
        _ value: [UInt8], of handle: AttributeHandle, at now: Duration
    ) -> [ATTServerOutput] {
        guard !isClosed, subscription(to: handle).contains(.indication) else { return [] }
        guard indications.append(value, of: handle) else { return [.indicationEnded(handle, isConfirmed: false)] }
        return sendNextIndication(at: now)
    }

    /// Serves another table from now on; the client gets a Service Changed indication of `range`, if it subscribed.
    ///
    /// Subscriptions in that range end, except to Service Changed, and so do those whose new permissions this link does
    /// not satisfy. Prepared writes are dropped. Requests that wait for the owner or for their turn are refused where
    /// they were checked against rows that differ: an answer must not come from another table than its permissions.
    /// - Parameter range: the handles of the services that changed; `nil` when none did.
    package mutating func replaceDatabase(
        _ database: AttributeDatabase, changed range: ClosedRange<AttributeHandle>?, at now: Duration
    ) -> [ATTServerOutput] {
        guard database != self.database else {
            _ = prepared.removeAll()
            return []
        }
        let former = self.database
        let changes = database.hash != former.hash
        let serviceChanged = database.valueHandle(of: .serviceChanged)
        self.database = database
        _ = prepared.removeAll()
        client.configurations = client.configurations.filter { handle, wanted in
            (handle == serviceChanged || range?.contains(handle) != true) && canKeep(wanted, of: handle)
        }
        restored = restored.filter { client.configurations[$0] != nil }
        if let range { broadcasts = broadcasts.filter { !range.contains($0) } }
        if changes { awareness = .unaware }
        var outputs = refusePending(of: former)
        guard let range, let serviceChanged else { return outputs }
        var value = ByteWriter()
        range.lowerBound.serialize(into: &value)
        range.upperBound.serialize(into: &value)
        outputs += indicate(value.bytes, of: serviceChanged, at: now)
        return outputs
    }

    /// Whether a subscription is possible in the present table, and over this link.
    private func canKeep(_ wanted: ClientCharacteristicConfiguration, of handle: AttributeHandle) -> Bool {
        guard let descriptor = database.clientConfiguration(of: handle),
            case .clientConfiguration(_, let allowed) = descriptor.value
        else { return false }
        return wanted.isSubset(of: allowed) && security.refusalToWrite(descriptor) == nil
    }

    /// Refuses requests that a former table was asked for, unless all that they name comes before the first difference.
    private mutating func refusePending(of former: AttributeDatabase) -> [ATTServerOutput] {
        guard let state = transaction?.state else { return [] }
        let handles = state.handles
        if let difference = database.firstDifference(from: former), handles.allSatisfy({ $0 < difference }) {
            return []
        }
        transaction = nil
        let error = isOutOfSync ? ATTError.databaseOutOfSync : .unlikely
        if isOutOfSync { awareness = .told }
        var outputs = state.request.isCommand ? [] : refuse(state.request, handles.first ?? .none, error)
        for opcode in waiting.compactMap(\.first).map(ATTOpcode.init) where !opcode.isCommand && !opcode.isFromServer {
            outputs += refuse(opcode, .none, error)
        }
        waiting = []
        return outputs
    }

    /// Takes over what was kept of the client, which has been recognised; what it has asked for meanwhile goes on.
    ///
    /// It is told of a table that it does not know, if it wants to be; what else it wanted of the old one is forgotten.
    mutating func restore(_ kept: ATTClientState, at now: Duration) -> [ATTServerOutput] {
        let present = client.configurations
        let serviceChanged = database.valueHandle(of: .serviceChanged)
        let isSameTable = kept.databaseHash == nil || kept.databaseHash == database.hash
        let configurations = kept.configurations.filter {
            database.isConfigurable($0.key) && (isSameTable || $0.key == serviceChanged)
        }
        client.configurations.merge(configurations) { new, _ in new }
        client.features.formUnion(kept.features)
        let changed = client.configurations.filter { present[$0.key] != $0.value }
        restored = Set(changed.keys)
        var outputs: [ATTServerOutput] = changed.sorted { $0.key.rawValue < $1.key.rawValue }.compactMap { entry in
            database[entry.key].map { .subscriptionChanged(entry.key, uuid: $0.type, entry.value) }
        }
        guard !isSameTable else { return outputs }
        awareness = .unaware
        client.databaseHash = kept.databaseHash
        guard let serviceChanged else { return outputs }
        let whole = AttributeHandle.first.serialized() + AttributeHandle.last.serialized()
        outputs += indicate(whole, of: serviceChanged, at: now)
        return outputs
    }

    /// Takes a confirmation; one of nothing is left alone.
    mutating func confirm(at now: Duration) -> [ATTServerOutput] {
        guard let handle = indications.confirm() else { return [] }
        // Of several changes it must have heard of the last.
        if isServiceChanged(handle), !indications.isWaiting(for: handle) {
            awareness = .aware
            client.databaseHash = database.hash
        }
        return [.indicationEnded(handle, isConfirmed: true)] + sendNextIndication(at: now)
    }

    private mutating func sendNextIndication(at now: Duration) -> [ATTServerOutput] {
        var outputs: [ATTServerOutput] = []
        while indications.isIdle, let (handle, value) = indications.removeFirst() {
            // It may have changed its mind meanwhile, and one whose table is old hears of nothing else.
            guard subscription(to: handle).contains(.indication), !isOutOfSync || isServiceChanged(handle) else {
                outputs.append(.indicationEnded(handle, isConfirmed: false))
                continue
            }
            indications.begin(handle, deadline: now + ATTClient.transactionTimeout)
            let indication = ATTHandleValueIndication(handle: handle, value: Array(value.prefix(mtu - 3)))
            outputs.append(.send(indication.pduBytes))
        }
        return outputs
    }

    private func isServiceChanged(_ handle: AttributeHandle) -> Bool {
        database[handle].map { $0.type.isSame(as: .serviceChanged) } ?? false
    }
}
