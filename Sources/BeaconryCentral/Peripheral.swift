// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
public import Radio
import Synchronization

/// A device that was heard, or whose address is known: there is one object for each address.
///
/// Operations stand on the object that they belong to: here connecting and finding services, there
/// (`Service.discoverCharacteristics`) finding characteristics, and so on. Each returns or throws within its timeout, and
/// at once when its task is cancelled.
public final class Peripheral: Sendable {
    /// What the connection is up to.
    public enum State: Hashable, Sendable {
        /// There is none; with the reason why the last one is gone, if there was one.
        case disconnected(ConnectionEnd?)
        /// It is being made.
        case connecting
        /// It is there.
        case connected
        /// It is being ended.
        case disconnecting
    }

    private typealias Attempt = Race<Result<Void, RadioError>?>

    private struct Storage {
        var advertisement: ReceivedAdvertisement?
        var state = State.disconnected(nil)
        var connection: Connection?
        /// The attempt to connect that is under way.
        var attempt: Attempt?
        var watchdogInterval: Duration?
        var observers: [UInt64: AsyncStream<State>.Continuation] = [:]
        var lastObserver: UInt64 = 0

        mutating func move(to state: State) {
            guard self.state != state else { return }
            self.state = state
            if state != .connecting { attempt = nil }
            for observer in observers.values { observer.yield(state) }
        }
    }

    /// How long a disconnection may take at most: 5 s.
    public static let disconnectTimeout = Duration.seconds(5)

    /// Its address.
    public let address: RemoteAddress
    let radio: any CentralRadio
    private let timekeeper: Timekeeper
    private let lane = Lane()
    private let storage = Mutex(Storage())

    init(_ address: RemoteAddress, radio: any CentralRadio, timekeeper: Timekeeper) {
        self.address = address
        self.radio = radio
        self.timekeeper = timekeeper
    }

    /// What was heard of it last; `nil` when nothing was.
    public var advertisement: ReceivedAdvertisement? { storage.withLock(\.advertisement) }

    /// Its name as it advertises it, complete or shortened.
    public var name: String? { advertisement?.localName }

    /// Takes an advertisement of it.
    /// - Returns: all that it advertises now.
    func take(_ sighting: Sighting, at time: Duration) -> ReceivedAdvertisement {
        storage.withLock { storage in
            var advertisement = storage.advertisement ?? ReceivedAdvertisement(sighting, at: time)
            advertisement.take(sighting, at: time)
            storage.advertisement = advertisement
            return advertisement
        }
    }

    // MARK: - The connection

    /// What the connection is up to now.
    public var state: State { storage.withLock(\.state) }

    /// Whether there is a connection.
    public var isConnected: Bool { state == .connected }

    /// What the connection is up to: now, and at each change. It goes on over several connections, and never ends by
    /// itself; a consumer that falls 64 changes behind misses the oldest.
    public var states: AsyncStream<State> {
        let (stream, continuation) = AsyncStream.makeStream(of: State.self, bufferingPolicy: .bufferingNewest(64))
        let number = storage.withLock { storage in
            storage.lastObserver += 1
            storage.observers[storage.lastObserver] = continuation
            continuation.yield(storage.state)
            return storage.lastObserver
        }
        continuation.onTermination = { [weak self] _ in self?.storage.withLock { $0.observers[number] = nil } }
        return stream
    }

    /// How long the device may be silent while it is connected, before the connection is ended with
    /// `ConnectionEnd.watchdog`; `nil`, as at first, for as long as the link lives.
    ///
    /// Every answer and every notification counts as a sign of life. Setting it begins the interval anew.
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
    ///   - timeout: how long each attempt may take.
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
        let outcome = await Attempt.run(within: timeout, by: timekeeper) { attempt in
            await self.connect(timeout: timeout, attempt)
        }
        storage.withLock { storage in
            // What is given up may still occupy the radio for a while; the next attempt waits for that.
            if storage.attempt?.isDecided == true { storage.move(to: .disconnected(nil)) }
        }
        switch outcome {
        case .finished(.success): return
        case .finished(.failure(let error)): throw CentralError(.radio(error), operation: operation)
        case .timedOut: throw CentralError(.timedOut(after: timeout), operation: operation)
        case .cancelled, .finished(nil): throw CentralError(.cancelled, operation: operation)
        }
    }

    /// Connects in its turn; a connection that comes after its race is decided is ended at once.
    private func connect(timeout: Duration, _ attempt: Attempt) async -> Result<Void, RadioError>? {
        guard await lane.enter() else { return nil }
        defer { lane.leave() }
        guard !isConnected else { return .success(()) }
        storage.withLock { storage in
            storage.attempt = attempt
            storage.move(to: .connecting)
        }
        do throws(RadioError) {
            // Our own deadline is the one that counts; the radio's is for radios that do not hear of it.
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
        let connection = Connection(link, timekeeper: timekeeper) { [weak self] in self?.lose($0, $1) }
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

    /// Ends the connection, or the attempt to make one, and returns when it is gone.
    ///
    /// It does so also in a task that is cancelled. What has not confirmed after the timeout is given up: the peripheral
    /// counts as disconnected in any case.
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
    /// - Returns: why it is gone; `nil` when there was none, or when the task was cancelled.
    public func waitForDisconnection() async -> ConnectionEnd? {
        for await case .disconnected(let end) in states { return end }
        return nil
    }

    /// The connection.
    func connection(for operation: @autoclosure () -> String) throws(CentralError) -> Connection {
        let (connection, state) = storage.withLock { ($0.connection, $0.state) }
        if let connection { return connection }
        if case .disconnected(.some(let end)) = state {
            throw CentralError(.disconnected(end), operation: operation())
        }
        throw CentralError(.notConnected, operation: operation())
    }
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
