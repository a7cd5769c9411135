// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconryCentral
import Concurrency
import Devices
import Dispatch
import Emulator
import HCIRadio
import Profiles
import Radio
public import Space
import Synchronization
public import Testing

/// Beacons and receivers on a virtual air in virtual time, for tests.
///
/// ```swift
/// @Test func visitorIsWelcomed() async throws {
///     let air = try await VirtualAir(seed: 7)
///     let door = try await air.beacon("door", iBeacon: ("E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", 1, 7), at: Position(x: 0, y: 0))
///     let phone = try await air.receiver("phone", at: Position(x: 9, y: 0))
///     let app = MyApp(central: phone.central)
///     try await air.run { try await app.start() }
///     try await air.walk(phone, through: [Position(x: 9, y: 0), Position(x: 1, y: 0)], over: .seconds(20))
///     try await air.clock.advance(by: .seconds(20))
///     await air.journal.expect("connected", beacon: door, within: .seconds(5))
/// }
/// ```
///
/// All is in this process. The clock stands still, except during `run`, `clock.advance` and expectations; then it advances from
/// each event to the next at once. The same seed repeats the random numbers of the air. An air ends with its last reference, or
/// earlier with `stop`. Airs are independent of each other, so that tests may run in parallel.
///
/// Code that waits for something that will not happen is an issue of the test after a second of real time: in `run`, when nothing is
/// left to do; outside of `run`, when it waits for time that does not pass.
public final class VirtualAir: Sendable {
    private let simulation: Simulation
    private let radio: VirtualAirRadio
    private let emulator: Emulator
    private let running: Task<Void, any Error>
    private let profiles: AirProfiles
    private let bodies: AirBodies
    /// The open centrals, for reports of what they wait for.
    private let centrals = Mutex<[(name: String, central: Weak<BeaconryCentral.Central>)]>([])
    /// Stalls of code outside of `run`.
    private let stalls = AsyncStream.makeStream(of: AirStall.self)
    /// The number of calls of `clock.sleep` that have not returned.
    private let sleepers = Mutex(0)
    private let reads: RepeatedReads
    /// Where it was made.
    private let origin: SourceLocation
    /// The longest virtual time in which a beacon is on the air.
    private static let patience = Duration.seconds(1)

    /// An air with the beacons of a profile, which are on the air.
    /// - Parameters:
    ///   - profile: the text of a profile (docs/profiles.md) without receivers; `nil` for an air without beacons.
    ///   - seed: of all random numbers; `nil` for another one each time, which the event `radio-ready` has.
    ///   - sourceLocation: of issues of code outside of `run`.
    /// - Throws: `VirtualAirError` if the profile has faults.
    public convenience init(
        profile: String? = nil, seed: UInt64? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await self.init(profile, seed, sourceLocation, realTime: Timekeeper(ContinuousClock()))
    }

    /// - Parameter realTime: in which reads are a loop.
    init(
        _ profile: String? = nil, _ seed: UInt64?, _ sourceLocation: SourceLocation = #_sourceLocation,
        realTime: Timekeeper
    ) async throws {
        reads = RepeatedReads(in: realTime)
        let profiles = try AirProfiles(profile)
        let simulation = Simulation.makeSeparate(rate: .manual)
        let first = try VirtualAirError.parsing { try profiles.load() }
        let (radio, emulator, running) = try await simulation.perform {
            let options = VirtualAirOptions(seed: seed, propagation: Propagation(for: first), servers: [])
            let radio = VirtualAirRadio(options)
            var configuration = Emulator.Configuration(profiles: first) { () throws(ProfileFaults) in
                try profiles.load()
            }
            configuration.hasProfilesInMemory = true
            let emulator = Emulator(configuration, radio: radio, clock: simulation)
            emulator.events.keepJournal()
            return (radio, emulator, Task { try await emulator.run() })
        }
        (self.simulation, self.radio, self.emulator, self.running) = (simulation, radio, emulator, running)
        self.profiles = profiles
        bodies = AirBodies(in: simulation)
        origin = sourceLocation
        watchForStalls()
        let ready = try JournalExpectation(condition: "ready")
        // A device may be off until a button is pressed.
        _ = try await run { await emulator.events.verify([ready], within: Self.patience) }
        guard !journal.has("radio-ready") else { return }
        try await VirtualAirError.rethrowing { try await running.value }
    }

    deinit {
        stalls.continuation.finish()
        simulation.observeIdleness(nil)
        let (emulator, simulation, running) = (emulator, simulation, running)
        Task {
            try await simulation.perform {
                simulation.setRate(.maximum)
                defer { simulation.setRate(.manual) }
                await emulator.stop()
                try await running.value
            }
        }
    }

    /// Ends the run of the beacons, and waits for its end. The journal remains.
    /// - Throws: `VirtualAirError` if the run has ended with an error.
    public func stop() async throws {
        try await VirtualAirError.rethrowing {
            try await run { [emulator, running] in
                await emulator.stop()
                try await running.value
            }
        }
    }

    // MARK: - Time

    /// The time of the air.
    public var clock: Clock { Clock(air: self) }

    /// Runs a body in the time of the air, which passes as fast as the work is done; timeouts of centrals are in it, and
    /// `clock.sleep`, but not `Task.sleep`. Bodies may overlap.
    ///
    /// If nothing is left to do in the air for a second of real time, or the limit is over, while the body has not returned, the test
    /// has an issue that names what it waits for; the body is cancelled, and its end is not waited for.
    /// - Parameters:
    ///   - limit: the longest time of the air; `nil` for no limit.
    ///   - waitsInRealTime: whether it waits for something outside of the air, such as `Task.sleep`, a socket or another process, so
    ///     that nothing may be left to do in the air meanwhile.
    ///   - sourceLocation: of the issue.
    ///   - body: the code that takes time of the air.
    /// - Throws: the error of the body; `VirtualAirError` if it does not return.
    public func run<Value: Sendable>(
        within limit: Duration? = .seconds(3600), waitsInRealTime: Bool = false,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let call = AirCall<Value>(isInside: simulation.isCurrent)
        let running = Task { [self] in
            do {
                let value = try await simulation.perform { [self] in
                    // On the thread of the simulation, so that no time passes before the body begins, or after its end.
                    let number = bodies.begin(waitsInRealTime: waitsInRealTime) { call.end(.failure($0)) }
                    defer { bodies.finish(number) }
                    let timer = limit.map { limit in
                        simulation.limit(at: simulation.now.offset + limit) { [weak self] in
                            guard let self else { return }
                            bodies.end(number, .limit(limit, waiting: pendingCalls))
                        }
                    }
                    defer { if let timer { simulation.cancel(timer) } }
                    return try await body()
                }
                call.end(.success(value))
            } catch {
                call.end(.failure(error))
            }
        }
        do {
            return try await withTaskCancellationHandler {
                try await call.value
            } onCancel: {
                running.cancel()
            }
        } catch let stall as AirStall {
            running.cancel()
            Issue.record("\(stall.message)", sourceLocation: sourceLocation)
            throw VirtualAirError(stall.message)
        }
    }

    /// Records stalls as issues of the test in which the air was made.
    private func watchForStalls() {
        simulation.observeIdleness { [weak self, simulation] in
            let activity = simulation.activity
            // After what other threads do now for the simulation, on a busy machine.
            DispatchQueue.global(qos: .background).async { [weak self] in self?.reportStall(unlessActiveSince: activity)
            }
        }
        Task { [weak self, origin, stream = stalls.stream] in
            for await stall in stream {
                guard let self else { return }
                Issue.record("\(stall.message)", sourceLocation: origin)
                // So that the code ends: with what it waits for, or its time limit.
                try? await run { [self] in
                    while simulation.outsideSleepers > 0 { try await clock.sleep(for: .milliseconds(100)) }
                }
            }
        }
    }

    private func reportStall(unlessActiveSince activity: UInt64) {
        guard simulation.activity == activity else { return }
        if !bodies.isEmpty {
            bodies.endIdle(.nothingLeft(waiting: pendingCalls))
        } else if simulation.outsideSleepers > 0 {
            stalls.continuation.yield(.outside(waiting: pendingCalls))
        }
    }

    /// What code waits for: `phone: find a device`.
    private var pendingCalls: [String] {
        let calls = centrals.withLock { centrals in
            centrals.flatMap { name, central in (central.value?.pendingCalls ?? []).map { "\(name): \($0)" } }
        }
        return calls + (sleepers.withLock { $0 > 0 } ? ["air.clock.sleep"] : [])
    }

    /// The clock of an air.
    public struct Clock: Sendable {
        fileprivate let air: VirtualAir

        /// The time since the beginning of the air.
        public var elapsed: Duration { air.simulation.now.offset }

        /// Lets this time pass.
        /// - Throws: `CancellationError` if the task is cancelled.
        public func advance(by duration: Duration) async throws {
            try await air.run(within: nil) { try await sleep(for: duration) }
        }

        /// Waits, in a body of `run`.
        /// - Throws: `CancellationError` if the task is cancelled.
        public func sleep(for duration: Duration) async throws {
            air.sleepers.withLock { $0 += 1 }
            defer { air.sleepers.withLock { $0 -= 1 } }
            try await air.simulation.sleep(for: duration)
        }
    }

    // MARK: - Beacons and receivers

    /// The events of the air.
    public var journal: Journal { Journal(air: self) }

    /// The events with their readers.
    var hub: EventHub { emulator.events }

    /// Adds a beacon that advertises an iBeacon, and returns when it is on the air.
    /// - Parameters:
    ///   - name: its id.
    ///   - iBeacon: the UUID as text, the major and the minor number.
    ///   - position: `nil` for 1 m from every receiver.
    ///   - device: its kind (docs/profiles.md): `ibeacon` only advertises, `iot-design-shop` has a service for its settings.
    ///   - keys: further keys of the beacon as lines of a profile, such as `interval: 20ms`.
    /// - Throws: `VirtualAirError` for a value that is not valid, or a name that is in use.
    @discardableResult
    public func beacon(
        _ name: String, iBeacon: (uuid: String, major: UInt16, minor: UInt16), at position: Position? = nil,
        device: String = "ibeacon", keys: String = ""
    ) async throws -> Beacon {
        let frame = "ibeacon: { uuid: \(iBeacon.uuid), major: \(iBeacon.major), minor: \(iBeacon.minor) }"
        return try await beacon(name, at: position, device: device, keys: "\(frame)\n\(keys)")
    }

    /// Adds a beacon, and returns when it is on the air.
    /// - Parameters:
    ///   - name: its id.
    ///   - position: `nil` for 1 m from every receiver.
    ///   - device: its kind (docs/profiles.md), unless the keys have it.
    ///   - keys: the other keys of a beacon as lines of a profile.
    /// - Throws: `VirtualAirError` for a value that is not valid, or a name that is in use.
    @discardableResult
    public func beacon(
        _ name: String, at position: Position? = nil, device: String? = nil, keys: String = ""
    ) async throws -> Beacon {
        let mark = journal.mark
        try profiles.add(name, position, device, keys)
        do {
            try await perform { emulator in try await emulator.reload() }
        } catch {
            profiles.remove(name)
            throw error
        }
        let beacon = Beacon(name: name, air: self)
        let started = try JournalExpectation(condition: "advertising-started,device=\(name)")
        let verdicts = try await run { [emulator] in
            await emulator.events.verify([started], from: { $0.sequence > mark }, within: Self.patience)
        }
        guard verdicts.allSatisfy(\.ok) else {
            throw VirtualAirError(
                "the beacon \(name) is not on the air; the last events are\n\(journal.text(last: 10))")
        }
        return beacon
    }

    /// Removes a beacon that was added with `beacon`.
    /// - Throws: `VirtualAirError` for another one.
    public func remove(_ beacon: Beacon) async throws {
        guard profiles.remove(beacon.name) else {
            throw VirtualAirError("\(beacon.name) is not a beacon that was added to this air")
        }
        try await perform { emulator in try await emulator.reload() }
    }

    /// The beacon of the profile with this id.
    /// - Throws: `VirtualAirError` if there is none.
    public func beacon(named name: String) async throws -> Beacon {
        try await perform { emulator in try await emulator.show(name) }
        return Beacon(name: name, air: self)
    }

    /// Adds a receiver: a host with a central, which is open.
    /// - Parameters:
    ///   - name: its name on the air; one in use gets a number after it.
    ///   - position: `nil` for 1 m from every beacon.
    /// - Throws: `VirtualAirError` if the air has ended.
    public func receiver(_ name: String, at position: Position? = nil) async throws -> Receiver {
        let (central, host) = try await VirtualAirError.rethrowing {
            try await run { [radio] in
                let host = try await radio.addHost(AirHost(name, motion: position.map(Motion.rest)))
                let central = Central(radio: host)
                try await central.open()
                return (central, host.name)
            }
        }
        centrals.withLock { centrals in
            centrals.removeAll { $0.central.value == nil }
            centrals.append((host, Weak(central)))
        }
        return Receiver(name: host, central: central, air: self)
    }

    /// Moves a beacon or a receiver along a path at one speed, from now on; `clock.advance` lets the time pass.
    /// - Parameters:
    ///   - path: at least two positions.
    ///   - duration: the time until it is at the last one.
    /// - Throws: `VirtualAirError`.
    public func walk(_ thing: some AirMember, through path: [Position], over duration: Duration) async throws {
        try await perform { emulator in try await emulator.air.walk(thing.name, through: path, over: duration) }
    }

    /// Performs a request of the run, in its time.
    /// - Throws: `VirtualAirError`.
    @discardableResult
    func perform<Outcome: Sendable>(
        _ request: @escaping @Sendable (Emulator) async throws -> Outcome
    ) async throws -> Outcome {
        reads.forget()
        return try await send(request)
    }

    private func send<Outcome: Sendable>(
        _ request: @escaping @Sendable (Emulator) async throws -> Outcome
    ) async throws -> Outcome {
        guard !journal.has("stopping") else { throw VirtualAirError("the air has ended") }
        return try await VirtualAirError.rethrowing {
            try await simulation.perform { [emulator] in try await request(emulator) }
        }
    }

    /// Reads from the run.
    /// - Parameters:
    ///   - subject: what is read, such as `the state of the region shop`.
    ///   - sourceLocation: of the issue if code outside of `run` reads it again and again.
    /// - Throws: `VirtualAirError`.
    func read<Value: Sendable>(
        _ subject: String, _ sourceLocation: SourceLocation,
        _ read: @escaping @Sendable (Emulator) async throws -> Value
    ) async throws -> Value {
        if let stall = noteRead(of: subject, sourceLocation) { throw VirtualAirError(stall.message) }
        return try await send(read)
    }

    /// Notes a read.
    /// - Parameters:
    ///   - detail: which part of the subject is read.
    ///   - sourceLocation: of the issue if code outside of `run` reads it again and again.
    /// - Returns: why the code that reads would not end; `nil` if it is no loop.
    @discardableResult
    func noteRead(of subject: String, detail: String = "", _ sourceLocation: SourceLocation) -> AirStall? {
        guard bodies.isEmpty else { return nil }
        let kind = reads.note("\(subject) \(detail) \(sourceLocation)", at: clock.elapsed)
        if kind == .single { return nil }
        let stall = AirStall.repeated(subject)
        if kind == .ofLoop { Issue.record("\(stall.message)", sourceLocation: sourceLocation) }
        return stall
    }
}

/// A reference that does not keep its object.
private struct Weak<Value: AnyObject & Sendable>: Sendable {
    weak let value: Value?

    init(_ value: Value) { self.value = value }
}

/// Something on an air that has a name: a beacon or a receiver.
public protocol AirMember: Sendable {
    /// The name on the air.
    var name: String { get }
}

/// A request that an air refuses, or its end.
public struct VirtualAirError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, and what to do instead.
    public let description: String

    init(_ description: String) { self.description = description }

    /// Errors of a profile become this type.
    static func parsing<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch { throw converted(error) }
    }

    /// Errors of a run become this type.
    static func rethrowing<Value>(_ body: () async throws -> Value) async throws -> Value {
        do { return try await body() } catch { throw converted(error) }
    }

    private static func converted(_ error: any Error) -> any Error {
        switch error {
        case let error as EmulatorError: VirtualAirError("\(error)")
        case let error as ValueFault: VirtualAirError(error.message)
        case let error as ProfileFaults: VirtualAirError(error.faults.map(\.description).joined(separator: "\n"))
        default: error
        }
    }
}
