// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import DBus
import Radio

/// A daemon and one of its adapters, as they were found together.
struct AdapterAttachment: Sendable {
    let daemon: BlueZDaemon
    let adapter: BlueZAdapter

    /// Whether the other attachment is to the same daemon process and the same adapter.
    func isSame(as other: AdapterAttachment) -> Bool {
        daemon.owner == other.daemon.owner && adapter.path == other.adapter.path
    }

    /// Verifies that the adapter can advertise.
    /// - Throws: `RadioError` `.cannotCarry`.
    func requireAdvertising() throws(RadioError) {
        guard !adapter.canAdvertise else { return }
        throw RadioError(
            .cannotCarry, "\(adapter.name) cannot advertise over Bluetooth Low Energy",
            hint:
                "put ControllerMode = dual in /etc/bluetooth/main.conf and restart bluetoothd if it says bredr; else use "
                + "an adapter of Bluetooth 4.0 or newer")
    }

    /// Whether the daemon still runs and the adapter is powered.
    func isUsable() async -> Bool {
        let properties = try? await daemon.properties(BlueZAdapter.interface, of: adapter.path)
        return properties?["Powered"]?.boolValue == true
    }

    /// Calls a method of org.bluez.Adapter1.
    /// - Throws: `DBusError` of the daemon or of the bus.
    @discardableResult
    func call(
        _ member: String, _ arguments: [DBusValue] = [], timeout: Duration = .seconds(5)
    ) async throws(DBusError) -> [DBusValue] {
        try await daemon.call(adapter.path, BlueZAdapter.interface, member, arguments, timeout: timeout)
    }
}

/// Finds bluetoothd and the selected adapter, and holds the connection to the message bus.
///
/// It has two states. *Disconnected*: the next `find` opens the bus and subscribes to the rules. *Connected*: signals are
/// delivered to the handler until the bus closes the connection (`forget`) or the radio does (`close`). `settle` fixes the
/// adapter by its address, so that a controller which the kernel renames is found again; where several adapters have the
/// same address, by its name.
///
/// Confined to the actor of the radio that owns it.
final class DaemonAccess {
    /// What the handler receives.
    enum Event: Sendable {
        /// A signal that matches one of the rules.
        case signal(DBusMessage)
        /// The connection is closed; pass it to `forget`.
        case closed(DBusConnection)
    }

    typealias Handler = @Sendable (Event) async -> Void
    typealias Opener = @Sendable () async throws(RadioError) -> DBusConnection

    private let rules: [MatchRule]
    private let open: Opener
    private var selector: AdapterSelector
    private var connection: DBusConnection?
    /// Rules that were added to this connection by `subscribe`.
    private var addedRules: Set<MatchRule> = []
    private var tasks: [Task<Void, Never>] = []

    /// Nothing is opened before `find`.
    /// - Parameters:
    ///   - rules: each rule is a subscription of its own; only the signals of one rule keep their order.
    ///   - open: connects to the bus.
    init(_ selector: AdapterSelector, rules: [MatchRule], open: @escaping Opener = BlueZDaemon.systemBus) {
        self.selector = selector
        self.rules = rules
        self.open = open
    }

    /// Finds the daemon and the selected adapter, which is powered on. Opens the bus if it is not open.
    /// - Throws: `RadioError` that names what is missing.
    func find(handler: @escaping Handler) async throws(RadioError) -> AdapterAttachment {
        let connection = try await connect(handler)
        let daemon = try await BlueZDaemon.find(on: connection)
        return AdapterAttachment(daemon: daemon, adapter: try await selector.usableAdapter(of: daemon))
    }

    /// Stays with this adapter.
    func settle(on adapter: BlueZAdapter) {
        selector = adapter.hasUniqueAddress ? .address(adapter.address) : .name(adapter.name)
    }

    /// Delivers the signals of one more rule, until the connection closes. A rule is added to a connection only once.
    func subscribe(to rule: MatchRule, on connection: DBusConnection, handler: @escaping Handler) async {
        guard connection === self.connection, addedRules.insert(rule).inserted else { return }
        await deliver(rule, of: connection, to: handler)
    }

    /// Takes note that the bus closed a connection.
    /// - Returns: whether it is the connection in use; the next `find` opens another one.
    func forget(_ closed: DBusConnection) -> Bool {
        guard connection === closed else { return false }
        connection = nil
        addedRules = []
        return true
    }

    /// Stops the delivery of signals; the connection stays open.
    func stopDelivery() {
        for task in tasks { task.cancel() }
        tasks = []
    }

    /// Closes the connection to the bus.
    func close() async {
        stopDelivery()
        await connection?.close()
    }

    private func connect(_ handler: @escaping Handler) async throws(RadioError) -> DBusConnection {
        if let connection { return connection }
        let connection = try await open()
        self.connection = connection
        // The tasks of the connection before have ended with it.
        tasks = [
            Task {
                await connection.waitUntilClosed()
                if !Task.isCancelled { await handler(.closed(connection)) }
            }
        ]
        for rule in rules { await deliver(rule, of: connection, to: handler) }
        return connection
    }

    private func deliver(_ rule: MatchRule, of connection: DBusConnection, to handler: @escaping Handler) async {
        // Only a connection that is closing refuses a rule, and that is reported as `.closed`.
        guard let signals = try? await connection.subscribe(rule) else { return }
        tasks.append(Task { for await signal in signals { await handler(.signal(signal)) } })
    }
}
