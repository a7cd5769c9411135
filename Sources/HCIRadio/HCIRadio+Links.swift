// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import BluetoothCore
import HostStack
public import Radio

// Connections over which a peer's attributes are used, and ours served, whoever made them.

extension HCIRadio {
    public func serve(_ attributes: ServedAttributes?) throws(RadioError) {
        guard let host = hosts[central.host] else { throw Self.closed }
        var database: AttributeDatabase?
        if let attributes {
            do throws(AttributeDatabaseError) {
                database = try AttributeDatabase(
                    services: attributes.services, genericAccess: GenericAccess(name: attributes.name))
            } catch {
                throw RadioError(
                    .cannotCarry, "these services make no attribute table: \(error)", hint: "declare fewer")
            }
        }
        central.served = database.map(CharacteristicHandles.init)
        host.change { [database] in $0.setCentralDatabase(database) }
    }

    public func link(to central: String) throws(RadioError) -> any RemoteLink {
        guard let connected = centrals[central] else {
            throw RadioError(.refused, "\(central) is not connected", hint: "wait until it is")
        }
        return connected.link
    }

    /// The link of a connection, whose peer is a device or a central.
    func link(of connection: ConnectionIdentifier, on host: HostIdentifier) -> HCIRemoteLink? {
        if host == central.host, let link = central.links[connection] { return link }
        return connectedCentral(connection, on: host)?.central.link
    }

    /// What a host has to tell of a link.
    /// - Returns: whether it was that.
    func takeAsLink(_ event: LEHostEvent, of host: HostIdentifier) -> Bool {
        switch event {
        case .completed(let connection, let token, let result):
            link(of: connection, on: host)?.complete(token, result)
        case .rssi(let connection, let result): link(of: connection, on: host)?.complete(result)
        case .notification(let connection, let handle, let value), .indication(let connection, let handle, let value):
            link(of: connection, on: host)?.yield(RemoteNotification(handle: handle, value: value))
        case .attributeRequest(let request):
            guard host == central.host, let link = central.links[request.connection] else { return false }
            serve(request, over: link)
        case .subscriptionChanged(let connection, _, let handle, _, let configuration):
            guard host == central.host, let link = central.links[connection] else { return false }
            guard let characteristic = central.served?.characteristic(at: handle) else { return true }
            link.yield(.subscribed(characteristic, configuration))
        default: return false
        }
        return true
    }

    private func serve(_ request: AttributeServerRequest, over link: HCIRemoteLink) {
        guard let characteristic = central.served?.characteristic(at: request.handle) else {
            hosts[link.host]?.change {
                $0.respond(to: request.token, of: request.connection, with: .failure(.unlikely))
            }
            return
        }
        let operation: AttributeRequest.Operation =
            switch request.operation {
            case .read(let offset): .read(offset: offset)
            case .write(let offset, let value, _): .write(offset: offset, value: value)
            }
        link.yield(
            .request(
                ServedRequest(number: request.token.rawValue, characteristic: characteristic, operation: operation)))
    }

    /// Answers a device's request.
    func respond(to request: ServedRequest, of link: HCIRemoteLink, _ response: AttributeResponse) {
        hosts[link.host]?.change { $0.respond(to: ATTToken(request.number), of: link.connection, with: response) }
    }

    /// Tells a device a value; whether it wants it and takes it now.
    func notify(_ value: [UInt8], of characteristic: CharacteristicIdentifier, over link: HCIRemoteLink) -> Bool {
        guard let handle = central.served?.handle(of: characteristic), let host = hosts[link.host] else { return false }
        var isTold = false
        host.change({ $0.notify(value, of: handle, to: link.connection) }, then: { isTold = $0 })
        return isTold
    }

    /// Has a central encrypt its connection to one of the beacons.
    func secure(_ link: HCIRemoteLink) async -> Result<Void, RemoteError> {
        guard let (name, central) = connectedCentral(link.connection, on: link.host), let host = hosts[link.host] else {
            return .failure(.impossible("only the connection of a central to a beacon is secured so"))
        }
        guard beacons[central.beacon]?.plan.pairing != nil else {
            return .failure(.impossible("the profile does not say that and how it pairs"))
        }
        let isEncrypted = host.read { host in
            host.currentConnections.first { $0.id == link.connection }?.security.isEncrypted ?? false
        }
        guard !isEncrypted else { return .success(()) }
        let timer = Task {
            try await Task.sleep(for: Self.securityPatience)
            link.finishSecuring(.failure(.impossible("the central did not answer within \(Self.securityPatience)")))
        }
        defer { timer.cancel() }
        return await withCheckedContinuation { continuation in
            link.waitForSecurity(continuation)
            askForSecurity(of: name)
        }
    }

    /// How long a central may leave a wish for encryption unanswered: its user may have to say yes.
    private static let securityPatience = Duration.seconds(30)

    /// Asks how strongly a link's peer is heard.
    func readSignalStrength(for link: HCIRemoteLink) async -> Result<RSSI, RemoteError> {
        await withCheckedContinuation { continuation in
            link.waitForSignalStrength(continuation)
            hosts[link.host]?.change { $0.readRSSI(of: link.connection) }
        }
    }

    /// Does a procedure over a link.
    func perform(_ procedure: GATTProcedure, for link: HCIRemoteLink) async -> Result<GATTResult, RemoteError> {
        await withCheckedContinuation { start(procedure, for: link, $0) }
    }

    /// Begins a procedure, whose end is told to the link.
    private func start(
        _ procedure: GATTProcedure, for link: HCIRemoteLink,
        _ continuation: CheckedContinuation<Result<GATTResult, RemoteError>, Never>
    ) {
        // The answer may come before the start returns; whoever waits must be known by then.
        guard let host = hosts[link.host] else { return link.wait(for: nil, continuation) }
        host.change(
            { $0.start(procedure, on: link.connection) }, then: { link.wait(for: $0, continuation) })
    }

    func disconnect(_ link: HCIRemoteLink) {
        hosts[link.host]?.change { $0.disconnect(link.connection) }
    }
}
