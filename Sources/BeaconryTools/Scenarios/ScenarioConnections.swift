// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCIRadio
import Profiles
import Radio

/// The connections of a scenario's receivers to its beacons.
///
/// A change begins at its time and takes as long as it does on the air. The changes of one receiver are done one after
/// the other, the changes of several receivers at the same time.
actor ScenarioConnections {
    /// What happened on a connection.
    enum Event: Sendable {
        case connected
        case disconnected
        /// The value of a characteristic was read, or the beacon notified of it.
        case value(BluetoothUUID, [UInt8])
    }

    /// The two ends of a connection.
    struct Pair: Hashable, Sendable {
        let receiver: String
        let beacon: String
    }

    private struct Connection {
        let link: any RemoteLink
        var characteristics: [BluetoothUUID: RemoteCharacteristic] = [:]
    }

    /// Why a change was refused, as a clause.
    private struct Refusal: Error {
        let message: String
    }

    /// How long a receiver tries to connect.
    private static let timeout = Duration.seconds(10)

    private let radio: VirtualAirRadio
    private let clock: Timekeeper
    private let address: @Sendable (Pair) -> RemoteAddress?
    private let report: @Sendable (Event, Pair) -> Void
    private var connections: [Pair: Connection] = [:]
    /// The latest change of each receiver; the next one waits for it.
    private var latest: [String: Task<Void, Never>] = [:]
    /// The changes that have not been done.
    private var pending: [Int: ScenarioStep] = [:]
    private var lastNumber = 0
    private var refusals: [ScenarioResult.Refusal] = []

    /// No connections.
    /// - Parameters:
    ///   - radio: the radio of the receivers.
    ///   - address: the address of the beacon's latest advertisement that the receiver received; `nil` if there is none.
    ///   - report: gets what happens on the connections, at its time.
    init(
        _ radio: VirtualAirRadio, clock: any Clock<Duration>, address: @escaping @Sendable (Pair) -> RemoteAddress?,
        report: @escaping @Sendable (Event, Pair) -> Void
    ) {
        self.radio = radio
        self.clock = Timekeeper(clock)
        self.address = address
        self.report = report
    }

    /// Begins a change.
    func begin(_ step: ScenarioStep, _ change: ScenarioAction.OnConnection, _ pair: Pair) {
        lastNumber += 1
        let (number, former) = (lastNumber, latest[pair.receiver])
        pending[number] = step
        latest[pair.receiver] = Task {
            await former?.value
            guard !Task.isCancelled else { return }
            do throws(Refusal) {
                try await self.perform(change, pair)
            } catch {
                self.refusals.append(ScenarioResult.Refusal(step: step, message: error.message))
            }
            self.pending[number] = nil
        }
    }

    /// Ends what has not been done.
    /// - Returns: the changes that were refused, or were not done in time.
    func finish() -> [ScenarioResult.Refusal] {
        for task in latest.values { task.cancel() }
        let late = pending.sorted { $0.key < $1.key }.map {
            ScenarioResult.Refusal(step: $0.value, message: "it was not done before the end of the scenario")
        }
        return refusals + late
    }

    private func perform(_ change: ScenarioAction.OnConnection, _ pair: Pair) async throws(Refusal) {
        if case .connect = change { return try await connect(pair) }
        guard let link = connections[pair]?.link else {
            throw Refusal(message: "\(pair.receiver) is not connected to \(pair.beacon)")
        }
        do throws(RemoteError) {
            switch change {
            case .connect: break
            case .pair: try await Self.encrypt(link)
            case .read(let uuid):
                let characteristic = try await characteristic(uuid, pair, link)
                report(.value(uuid, try await link.read(characteristic.value)), pair)
            case .write(let uuid, let value):
                try await link.write(value, to: try await characteristic(uuid, pair, link).value)
            case .subscribe(let uuid):
                try await link.setNotifying(true, for: try await characteristic(uuid, pair, link))
            }
        } catch {
            throw Refusal(message: Self.text(error, pair))
        }
    }

    // MARK: - Connecting

    private func connect(_ pair: Pair) async throws(Refusal) {
        guard connections[pair] == nil else {
            throw Refusal(message: "\(pair.receiver) is connected to \(pair.beacon) already")
        }
        let deadline = clock.now() + Self.timeout
        var device = address(pair)
        while device == nil, clock.now() < deadline, await clock.sleep(for: .milliseconds(10)) {
            device = address(pair)
        }
        guard let device else {
            throw Refusal(message: "\(pair.receiver) received no advertisement of \(pair.beacon) within 10 s")
        }
        let link: any RemoteLink
        do throws(RadioError) {
            link = try await radio.connect(to: device, as: pair.receiver, timeout: deadline - clock.now())
        } catch {
            throw Refusal(message: error.message)
        }
        connections[pair] = Connection(link: link)
        report(.connected, pair)
        Task {
            for await notification in link.notifications { self.take(notification, pair) }
            self.end(pair)
        }
    }

    private func end(_ pair: Pair) {
        connections[pair] = nil
        report(.disconnected, pair)
    }

    private func take(_ notification: RemoteNotification, _ pair: Pair) {
        let found = connections[pair]?.characteristics.first { $0.value.value == notification.handle }
        if let found { report(.value(found.key, notification.value), pair) }
    }

    // MARK: - Attributes

    /// Encrypts a connection, as a phone does whose user accepts.
    private static func encrypt(_ link: any RemoteLink) async throws(RemoteError) {
        guard let link = link as? any PairingLink else { throw .notPaired(PairingError(.unsupported)) }
        do throws(PairingError) {
            let settings = PairingSettings(inputOutput: .displayYesNo, comparison: .accept)
            _ = try await link.pair(settings) { _ in .cancel }
        } catch {
            throw .notPaired(error)
        }
    }

    private func characteristic(
        _ uuid: BluetoothUUID, _ pair: Pair, _ link: any RemoteLink
    ) async throws(RemoteError) -> RemoteCharacteristic {
        if let known = connections[pair]?.characteristics[uuid] { return known }
        guard let found = try await link.characteristic(uuid) else {
            throw .impossible("\(pair.beacon) has no characteristic \(uuid)")
        }
        connections[pair]?.characteristics[uuid] = found
        return found
    }

    private static func text(_ error: RemoteError, _ pair: Pair) -> String {
        switch error {
        case .refused(let error): "\(pair.beacon) refused it: \(error)"
        case .disconnected(let reason): "the connection has ended: \(reason)"
        case .notPaired(let error): "\(pair.receiver) and \(pair.beacon) did not pair: \(error.message)"
        case .impossible(let reason): reason
        }
    }
}
