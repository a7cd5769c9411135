// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconryCentral
import Concurrency
import Devices
import Emulator
import HCIRadio
import Profiles
public import Space
import Synchronization
import Testing

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
public final class VirtualAir: Sendable {
    private let simulation: Simulation
    private let radio: VirtualAirRadio
    private let emulator: Emulator
    private let running: Task<Void, any Error>
    private let profiles: AirProfiles
    /// The number of bodies for which the clock runs.
    private let bodies = Mutex(0)
    /// The longest virtual time in which a beacon is on the air.
    private static let patience = Duration.seconds(1)

    /// An air with the beacons of a profile, which are on the air.
    /// - Parameters:
    ///   - profile: the text of a profile (docs/profiles.md) without receivers; `nil` for an air without beacons.
    ///   - seed: of all random numbers; `nil` for another one each time, which the event `radio-ready` has.
    /// - Throws: `VirtualAirError` if the profile has faults.
    public init(profile: String? = nil, seed: UInt64? = nil) async throws {
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
        let ready = try JournalExpectation(condition: "ready")
        // A device may be off until a button is pressed.
        _ = try await run { await emulator.events.verify([ready], within: Self.patience) }
        guard journal.find("radio-ready").isEmpty else { return }
        try await VirtualAirError.rethrowing { try await running.value }
    }

    deinit {
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
    /// - Throws: the error of the body.
    public func run<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        try await simulation.perform {
            // On the thread of the simulation, so that no time passes before the body begins, or after its end.
            change(by: 1)
            defer { change(by: -1) }
            return try await body()
        }
    }

    private func change(by number: Int) {
        bodies.withLock { count in
            count += number
            simulation.setRate(count > 0 ? .maximum : .manual)
        }
    }

    /// The clock of an air.
    public struct Clock: Sendable {
        fileprivate let air: VirtualAir

        /// The time since the beginning of the air.
        public var elapsed: Duration { air.simulation.now.offset }

        /// Lets this time pass.
        /// - Throws: `CancellationError` if the task is cancelled.
        public func advance(by duration: Duration) async throws { try await air.run { try await sleep(for: duration) } }

        /// Waits, in a body of `run`.
        /// - Throws: `CancellationError` if the task is cancelled.
        public func sleep(for duration: Duration) async throws { try await air.simulation.sleep(for: duration) }
    }

    // MARK: - Beacons and receivers

    /// The events of the air.
    public var journal: Journal { Journal(air: self) }

    /// The events with their readers.
    var hub: EventHub { emulator.events }

    /// Adds a beacon with the kind of device `ibeacon`, which only advertises, and returns when it is on the air.
    /// - Parameters:
    ///   - name: its id.
    ///   - iBeacon: the UUID as text, the major and the minor number.
    ///   - position: `nil` for 1 m from every receiver.
    ///   - keys: further keys of the beacon as lines of a profile, such as `interval: 20ms`.
    /// - Throws: `VirtualAirError` for a value that is not valid, or a name that is in use.
    @discardableResult
    public func beacon(
        _ name: String, iBeacon: (uuid: String, major: UInt16, minor: UInt16), at position: Position? = nil,
        keys: String = ""
    ) async throws -> Beacon {
        let frame = "ibeacon: { uuid: \(iBeacon.uuid), major: \(iBeacon.major), minor: \(iBeacon.minor) }"
        return try await beacon(name, at: position, keys: "device: ibeacon\n\(frame)\n\(keys)")
    }

    /// Adds a beacon, and returns when it is on the air.
    /// - Parameters:
    ///   - name: its id.
    ///   - position: `nil` for 1 m from every receiver.
    ///   - keys: the other keys of a beacon as lines of a profile (docs/profiles.md), `device` first.
    /// - Throws: `VirtualAirError` for a value that is not valid, or a name that is in use.
    @discardableResult
    public func beacon(_ name: String, at position: Position? = nil, keys: String) async throws -> Beacon {
        let mark = journal.mark
        try profiles.add(name, position, keys)
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
        guard journal.find("stopping").isEmpty else { throw VirtualAirError("the air has ended") }
        return try await VirtualAirError.rethrowing {
            try await simulation.perform { [emulator] in try await request(emulator) }
        }
    }
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
