// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Concurrency
import Radio

/// Why a receiver is there no more.
package enum ReceiverEnd: Hashable, Sendable {
    /// It was removed.
    case removal
    /// The run has ended.
    case run
}

/// The connections of a listening receiver to devices, of which it is the central.
///
/// A connection is in the table from when it is established until it has ended, whichever side ends it. Requests for a device
/// that is being connected share the attempt.
package actor ReceiverConnections {
    /// The maximum number of connections and attempts of one receiver.
    package static let limit = 8

    private typealias Attempt = Task<Result<ReceiverConnection, EmulatorError>, Never>

    private let receiver: String
    private let host: any ListeningHost
    private let clock: RunClock
    private nonisolated let executor: ActorExecutor
    private var connections: [RemoteAddress: (connection: ReceiverConnection, end: Task<Void, Never>)] = [:]
    private var attempts: [RemoteAddress: (beacon: String?, task: Attempt)] = [:]
    private let report: @Sendable (ReceiverEvent) -> Void
    /// Why there can be none any more.
    private var closing: ReceiverEnd?

    /// No connections.
    /// - Parameters:
    ///   - receiver: the name of the receiver.
    ///   - executor: the executor of the receiver.
    ///   - clock: the clock of the run.
    ///   - report: called when a connection is established, and when it has ended.
    init(
        of receiver: String, on host: any ListeningHost, _ executor: ActorExecutor, clock: RunClock,
        report: @escaping @Sendable (ReceiverEvent) -> Void = { _ in }
    ) {
        self.report = report
        self.receiver = receiver
        self.host = host
        self.clock = clock
        self.executor = executor
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.unowned }

    /// The connections at present, by their addresses.
    package var records: [ConnectionRecord] {
        connections.values.map(\.connection.record).sorted { $0.address < $1.address }
    }

    /// The connection to a device.
    /// - Throws: `EmulatorError` `.unknownPeer` if there is none.
    package func connection(to device: DeviceReference) throws(EmulatorError) -> ReceiverConnection {
        guard let connection = established(to: device) else { throw notConnected(device) }
        return connection
    }

    /// The connection to a device; `nil` if there is none.
    func established(to device: DeviceReference) -> ReceiverConnection? {
        connections.values.map(\.connection).first { device.isMatch(for: $0.device, $0.record.device) }
    }

    /// Connects to a device, unless the receiver is connected to it.
    /// - Parameters:
    ///   - beacon: the beacon of the run that the device is; `nil` for none.
    ///   - name: the names of its characteristics.
    /// - Returns: The connection, and whether it is new.
    /// - Throws: `EmulatorError` `.conflict` if there is no connection in time, or if there are too many; `.radio`.
    func connect(
        to device: RemoteAddress, beacon: String?, timeout: Duration,
        name: @escaping ReceiverConnection.Naming = { _ in nil }
    ) async throws(EmulatorError) -> (connection: ReceiverConnection, isNew: Bool) {
        if let (connection, _) = connections[device] { return (connection, false) }
        if let attempt = attempts[device]?.task { return (try await attempt.value.get(), false) }
        if let closing { throw refusal(after: closing) }
        guard connections.count + attempts.count < Self.limit else {
            throw EmulatorError(
                .conflict, "the receiver \(receiver) has \(Self.limit) connections", hint: "disconnect it from a device"
            )
        }
        let attempt = Task {
            let result = await self.establish(device, beacon, timeout, name)
            self.attempts[device] = nil
            return result
        }
        attempts[device] = (beacon, attempt)
        return (try await attempt.value.get(), true)
    }

    private func establish(
        _ device: RemoteAddress, _ beacon: String?, _ timeout: Duration, _ name: @escaping ReceiverConnection.Naming
    ) async -> Result<ReceiverConnection, EmulatorError> {
        let link: any RemoteLink
        do throws(RadioError) {
            link = try await host.connect(to: device, timeout: timeout)
        } catch {
            if let closing { return .failure(refusal(after: closing)) }
            if Task.isCancelled { return .failure(cancelled(device)) }
            return .failure(
                error.code == .refused
                    ? EmulatorError(.conflict, error.message, hint: error.hint) : EmulatorError(error))
        }
        let mtu: Int
        do throws(RemoteError) {
            mtu = try await link.maximumTransmissionUnit()
        } catch {
            await link.disconnect()
            return .failure(EmulatorError(error, of: device))
        }
        guard !Task.isCancelled, closing == nil else {
            await link.disconnect()
            return .failure(closing.map { refusal(after: $0) } ?? cancelled(device))
        }
        let connection = ReceiverConnection(
            link, ConnectionRecord(device, beacon: beacon, mtu: mtu), executor, clock: clock, name: name)
        let end = Task {
            await connection.receive()
            // A client whose stream has ended finds the connection gone.
            self.connections[device] = nil
            self.report(.disconnected(connection.record))
            await connection.finish()
        }
        connections[device] = (connection, end)
        report(.connected(connection.record))
        return .success(connection)
    }

    /// Ends the connection to a device, or the attempt to connect to it, and returns when it has ended.
    /// - Throws: `EmulatorError` `.unknownPeer` if there is none.
    package func disconnect(from device: DeviceReference) async throws(EmulatorError) {
        if let attempt = attempts.first(where: { device.isMatch(for: $0.key, $0.value.beacon) })?.value.task {
            attempt.cancel()
            _ = await attempt.value
            // It may have been established before.
            guard established(to: device) != nil else { return }
        }
        guard let connection = established(to: device) else { throw notConnected(device) }
        await end(connection)
    }

    private func end(_ connection: ReceiverConnection) async {
        let end = connections[connection.device]?.end
        await connection.disconnect()
        await end?.value
    }

    /// Ends all connections and attempts.
    func close(_ reason: ReceiverEnd) async {
        closing = reason
        for (_, attempt) in attempts.values { attempt.cancel() }
        while let (_, attempt) = attempts.values.first { _ = await attempt.value }
        while let (connection, _) = connections.values.first { await end(connection) }
    }

    // MARK: - Errors

    private func refusal(after end: ReceiverEnd) -> EmulatorError {
        switch end {
        case .removal: EmulatorError(.conflict, "the receiver \(receiver) was removed", hint: "add it again")
        case .run: EmulatorError(.conflict, "the run has ended")
        }
    }

    private func cancelled(_ device: RemoteAddress) -> EmulatorError {
        EmulatorError(.conflict, "the attempt to connect to \(device.address) was ended by another request")
    }

    private func notConnected(_ device: DeviceReference) -> EmulatorError {
        EmulatorError(
            .unknownPeer, "the receiver \(receiver) is not connected to \"\(device.text)\"",
            hint:
                "connect it: PUT /v1/receivers/\(receiver)/connections/\(device.text), or beaconry ctl receiver connect "
                + "\(receiver) \(device.text)")
    }
}
