// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluetooth
import Concurrency
public import Radio
import Receiving
import Synchronization

/// A device that was seen, or whose address is known. There is one object for each address.
///
/// It connects and discovers services; a `Service` discovers characteristics, and so on. Each operation returns or throws
/// within its timeout, and at once when its task is cancelled.
public final class Peripheral: Sendable {
    /// The state of a connection.
    public enum State: Hashable, Sendable {
        /// There is none; with the reason for the end of the last one, if there was one.
        case disconnected(ConnectionEnd?)
        /// It is being established.
        case connecting
        /// It is established.
        case connected
        /// It is being ended.
        case disconnecting
    }

    private typealias Attempt = Race<Result<Void, RadioError>?>

    private struct Storage {
        var advertisement: ReceivedAdvertisement?
        let observed = ObservedState(State.disconnected(nil), capacity: 64)
        var connection: Connection?
        /// The attempt to connect that is in progress.
        var attempt: Attempt?
        var watchdogInterval: Duration?

        /// Changes only while the storage is locked, together with the connection.
        var state: State { observed.value }

        mutating func move(to state: State) {
            guard self.state != state else { return }
            if state != .connecting { attempt = nil }
            observed.set(state)
        }
    }

    /// The default timeout of a disconnection: 5 s.
    public static let disconnectTimeout = Duration.seconds(5)

    /// The address.
    public let address: RemoteAddress
    private let radio: any CentralRadio
    private let timekeeper: Timekeeper
    private let calls: PendingCalls
    private let lane = Lane()
    private let storage = Mutex(Storage())

    init(_ address: RemoteAddress, radio: any CentralRadio, timekeeper: Timekeeper, calls: PendingCalls) {
        self.address = address
        self.radio = radio
        self.timekeeper = timekeeper
        self.calls = calls
    }

    /// Its latest advertisement; `nil` if none was received.
    public var advertisement: ReceivedAdvertisement? { storage.withLock(\.advertisement) }

    /// The name that it advertises, complete or shortened.
    public var name: String? { advertisement?.localName }

    /// Takes an advertisement of it.
    /// - Returns: all that it advertises now, scan response included.
    func take(_ sighting: Sighting, at time: Duration) -> ReceivedAdvertisement {
        storage.withLock { storage in
            var advertisement = storage.advertisement ?? ReceivedAdvertisement(sighting, at: time)
            advertisement.take(sighting, at: time)
            storage.advertisement = advertisement
            return advertisement
        }
    }

    // MARK: - The connection

    /// The current state of the connection.
    public var state: State { storage.withLock(\.state) }

    /// Whether there is a connection.
    public var isConnected: Bool { state == .connected }

    /// The state of the connection: the current one, then each change. The stream continues over several connections and
    /// does not end; a consumer that falls 64 changes behind misses the oldest.
    public var states: AsyncStream<State> {
        storage.withLock(\.observed).stream
    }

    /// How long the device may be silent while it is connected before the connection is ended with
    /// `ConnectionEnd.watchdog`; `nil`, as at first, for as long as the link lives.
    ///
    /// Every response and every notification begins the interval again, and so does setting it.
    public var watchdogInterval: Duration? {
        get { storage.withLock(\.watchdogInterval) }
        set {
            let connection = storage.withLock { storage in
                storage.watchdogInterval = newValue
                return storage.connection
            }
            connection?.watch(newValue)
        }
    }

    /// Connects; returns at once when it is connected already.
    /// - Parameters:
    ///   - timeout: the time limit of each attempt.
    ///   - retry: how often to try again when the device does not answer or the radio refuses.
    public func connect(
        timeout: Duration = Central.defaultTimeout, retry: ConnectRetry = .none
    ) async throws(CentralError) {
        var attempt = 1
        while true {
            do throws(CentralError) {
                return try await connectOnce(timeout: timeout)
            } catch {
                guard attempt < retry.attempts, error.isWorthAnotherAttempt else { throw error }
                attempt += 1
                guard await timekeeper.sleep(for: retry.pause) else {
                    throw CentralError(.cancelled, operation: error.operation)
                }
            }
        }
    }

    private func connectOnce(timeout: Duration) async throws(CentralError) {
        let operation = "connect to \(address)"
        let call = calls.begin(operation)
        defer { withExtendedLifetime(call) {} }
        let outcome = await Attempt.run(within: timeout, by: timekeeper) { attempt in
            await self.connect(timeout: timeout, attempt)
        }
        storage.withLock { storage in
            // An attempt that timed out may still occupy the radio for a while; the next one waits for that.
            if storage.attempt?.isDecided == true { storage.move(to: .disconnected(nil)) }
        }
        switch outcome {
        case .finished(.success): return
        case .finished(.failure(let error)): throw CentralError(.radio(error), operation: operation)
        case .timedOut: throw CentralError(.timedOut(after: timeout), operation: operation)
        case .cancelled, .finished(nil): throw CentralError(.cancelled, operation: operation)
        }
    }

    /// Connects in its turn; a connection that is established after the timeout is ended at once.
    private func connect(timeout: Duration, _ attempt: Attempt) async -> Result<Void, RadioError>? {
        guard await lane.enter() else { return nil }
        defer { lane.leave() }
        guard !isConnected else { return .success(()) }
        storage.withLock { storage in
            storage.attempt = attempt
            storage.move(to: .connecting)
        }
        do throws(RadioError) {
            // The race has the timeout; the radio's own is a fallback for attempts that it does not cancel.
            let link = try await radio.connect(to: address, timeout: timeout + Self.disconnectTimeout)
            guard !attempt.isDecided else {
                await link.disconnect()
                return nil
            }
            adopt(link)
        } catch {
            storage.withLock { $0.move(to: .disconnected(nil)) }
            return .failure(error)
        }
        guard attempt.decide(.finished(.success(()))) else {
            await storage.withLock(\.connection)?.disconnect(as: .requested, timeout: Self.disconnectTimeout)
            return nil
        }
        return .success(())
    }

    private func adopt(_ link: any RemoteLink) {
        let connection = Connection(link, timekeeper: timekeeper, calls: calls) { [weak self] in self?.lose($0, $1) }
        let interval = storage.withLock { storage in
            storage.connection = connection
            storage.move(to: .connected)
            return storage.watchdogInterval
        }
        connection.start()
        if let interval { connection.watch(interval) }
    }

    private func lose(_ connection: Connection, _ end: ConnectionEnd) {
        storage.withLock { storage in
            guard storage.connection === connection else { return }
            storage.connection = nil
            storage.move(to: .disconnected(end))
        }
    }

    /// Ends the connection, or the attempt to establish one, and returns when it has ended.
    ///
    /// It does so also in a task that is cancelled. After the timeout the peripheral counts as disconnected in any case.
    public func disconnect(timeout: Duration = disconnectTimeout) async {
        if case .disconnected = state { return }
        storage.withLock(\.attempt)?.decide(.cancelled)
        _ = await Race<Void>.run(within: timeout, by: timekeeper, isCancellable: false) { _ in
            guard await self.lane.enter() else { return }
            defer { self.lane.leave() }
            let connection = self.storage.withLock { storage in
                if storage.connection != nil { storage.move(to: .disconnecting) }
                return storage.connection
            }
            await connection?.disconnect(as: .requested, timeout: timeout)
        }
    }

    /// Returns when there is no connection: at once if there is none now.
    /// - Returns: the reason for its end; `nil` if there was none, or if the task was cancelled.
    public func waitForDisconnection() async -> ConnectionEnd? {
        for await case .disconnected(let end) in states { return end }
        return nil
    }

    /// The connection.
    private func connection(for operation: @autoclosure () -> String) throws(CentralError) -> Connection {
        let (connection, state) = storage.withLock { ($0.connection, $0.state) }
        if let connection { return connection }
        if case .disconnected(.some(let end)) = state {
            throw CentralError(.disconnected(end), operation: operation())
        }
        throw CentralError(.notConnected, operation: operation())
    }
}

// MARK: - Attributes

extension Peripheral {
    /// Discovers primary services: all, or only the services of some types, which takes less time.
    public func discoverServices(
        _ types: [BluetoothUUID]? = nil, timeout: Duration = Central.defaultTimeout
    ) async throws(CentralError) -> [Service] {
        let operation = "discover the services of \(address)"
        let connection = try connection(for: operation)
        let found = try await connection.perform(operation, timeout: timeout) { link throws(RemoteError) in
            try await link.discoverServices(types)
        }
        return found.map { Service($0, of: self, on: connection) }
    }

    /// Discovers the first primary service of a type.
    /// - Throws: `CentralError` `.notFound` when the device has none.
    public func discoverService(
        _ type: BluetoothUUID, timeout: Duration = Central.defaultTimeout
    ) async throws(CentralError) -> Service {
        guard let service = try await discoverServices([type], timeout: timeout).first else {
            throw CentralError(.notFound("service \(type)"), operation: "find service \(type) of \(address)")
        }
        return service
    }

    /// The RSSI of the device on the connection.
    public func readRSSI(timeout: Duration = Central.defaultTimeout) async throws(CentralError) -> RSSI {
        let operation = "measure the signal of \(address)"
        let connection = try connection(for: operation)
        // The radio measures it, without a response of the device.
        return try await connection.perform(operation, timeout: timeout, isInTurn: false) { link throws(RemoteError) in
            try await link.readRSSI()
        }
    }

    /// The ATT_MTU of the connection, in bytes: 23 or more. A value of three bytes less fits into
    /// one packet.
    public func maximumTransmissionUnit(
        timeout: Duration = Central.defaultTimeout
    ) async throws(CentralError) -> Int {
        let operation = "agree with \(address) on the longest packet"
        let connection = try connection(for: operation)
        return try await connection.perform(operation, timeout: timeout) { link throws(RemoteError) in
            try await link.maximumTransmissionUnit()
        }
    }
}

// MARK: - Pairing

extension Peripheral {
    /// The default timeout of a pairing: 60 s, since users must read and type.
    public static let pairingTimeout = Duration.seconds(60)

    /// Encrypts the connection: with the keys of a bond if there is one that meets the settings, else by pairing.
    ///
    /// Call it when a device refuses a request with `ATTError.insufficientAuthentication` or
    /// `.insufficientEncryption`, then repeat the request. The input and output of both devices determine the method
    /// (Core 5.4, Vol 3, Part H, table 2.8). The keys last as long as the `Central`, unless it stores bonds.
    /// - Parameters:
    ///   - settings: the input and output of this side, and its requirements.
    ///   - answer: called with each question for the user; without it, only questions that `settings`
    ///     answer are answered.
    /// - Throws: `CentralError`, with `.notPaired` if the devices did not pair.
    @discardableResult
    public func pair(
        _ settings: PairingSettings = PairingSettings(), timeout: Duration = pairingTimeout,
        answer: @escaping @Sendable (PairingQuestion) async -> PairingAnswer = { _ in .cancel }
    ) async throws(CentralError) -> LinkProtection {
        let operation = "pair with \(address)"
        let connection = try connection(for: operation)
        // Not in turn: an earlier operation may be waiting for the pairing.
        return try await connection.perform(operation, timeout: timeout, isInTurn: false) { link throws(RemoteError) in
            guard let link = link as? any PairingLink else { throw .notPaired(PairingError(.unsupported)) }
            do throws(PairingError) {
                return try await link.pair(settings, answer: answer)
            } catch {
                throw .notPaired(error)
            }
        }
    }

    /// Forgets the bond with the device, if there is one. The device still has its own keys.
    public func forgetBond() async { await (radio as? any BondingCentralRadio)?.forgetBond(with: address) }
}

extension CentralError {
    /// Whether an attempt to connect that failed so may succeed the next time.
    fileprivate var isWorthAnotherAttempt: Bool {
        switch reason {
        case .timedOut: true
        case .radio(let error): error.code == .refused
        default: false
        }
    }
}

/// The attempts to connect.
public struct ConnectRetry: Hashable, Sendable {
    /// The number of attempts, at least one, each with the whole timeout.
    public var attempts: Int
    /// The time between two attempts.
    public var pause: Duration

    /// A number of attempts, by default half a second apart.
    public init(attempts: Int, pause: Duration = .milliseconds(500)) {
        self.attempts = max(1, attempts)
        self.pause = pause
    }

    /// One attempt.
    public static let none = ConnectRetry(attempts: 1)
}

/// The reason for the end of a connection.
public enum ConnectionEnd: Hashable, Sendable {
    /// `Peripheral.disconnect()` was called.
    case requested
    /// The device was silent for `Peripheral.watchdogInterval`.
    case watchdog(Duration)
    /// The device or the radio ended it, or it was lost; a clause for people.
    case lost(String)
}

extension ConnectionEnd: CustomStringConvertible {
    /// A clause for people.
    public var description: String {
        switch self {
        case .requested: "it was ended here"
        case .watchdog(let interval): "nothing was received for \(interval)"
        case .lost(let reason): reason
        }
    }
}
