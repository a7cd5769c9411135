// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Concurrency
import Synchronization
import TestTraits
import Testing

/// What happened, in order.
private final class Log: Sendable {
    private let entries = Mutex<[String]>([])

    func add(_ entry: String) { entries.withLock { $0.append(entry) } }

    var all: [String] { entries.withLock { $0 } }
}

/// An actor with the default executor, as most have.
private actor Counter {
    private var value = 0

    func add(_ amount: Int) -> Int {
        value += amount
        return value
    }

    func isOn(_ simulation: Simulation) -> Bool { simulation.isCurrent }
}

/// Tasks and actors in a simulation that is not that of the process.
@Suite(.realTime, .timeLimit(.minutes(10))) struct SimulatedTaskTests {
    /// Actors, streams, groups and unstructured tasks with timers between them.
    private func course() async throws -> [String] {
        let log = Log()
        try await Simulation.run { clock in
            let counter = Counter()
            let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
            let reading = Task {
                for await value in stream { log.add("read \(value), \(await counter.add(value))") }
            }
            await withTaskGroup(of: Int.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        for round in 1...5 {
                            try? await clock.sleep(for: .milliseconds(number % 3 * round))
                            log.add("\(number) in round \(round): \(await counter.add(1))")
                            continuation.yield(number)
                        }
                        return number
                    }
                }
                for await number in group { log.add("done \(number)") }
            }
            Task.detached(priority: .background) {
                log.add("detached")
                continuation.finish()
            }
            await reading.value
        }
        return log.all
    }

    @Test func sameProgramTakesTheSameCourseEachTime() async throws {
        let first = try await course()
        #expect(first.count == 89)
        for _ in 0..<50 { #expect(try await course() == first) }
    }

    @Test func tasksAndActorsRunOnTheThreadOfTheSimulation() async throws {
        let elsewhere = Mutex(0)
        try await Simulation.run { simulation in
            let check = { @Sendable in if !simulation.isCurrent { elsewhere.withLock { $0 += 1 } } }
            await withTaskGroup { group in
                for _ in 0..<10 {
                    group.addTask {
                        check()
                        try? await simulation.sleep(for: .milliseconds(1))
                        check()
                        await Task.yield()
                        check()
                    }
                }
            }
            await Task.detached { check() }.value
            #expect(await Counter().isOn(simulation))
            #expect(Simulation.current === simulation)
        }
        #expect(elsewhere.withLock { $0 } == 0)
    }

    @Test func otherTasksOfTheProcessAreInRealTime() async throws {
        try await Simulation.run { simulation in try await simulation.sleep(for: .seconds(60)) }
        #expect(Simulation.current == nil)
        #expect(await Task.detached { Simulation.current == nil }.value)
    }

    @Test func taskFromOutsideStaysOutside() async throws {
        let simulation = Simulation(rate: .manual)
        try await Simulation.run { _ in }
        await simulation.advance(by: .seconds(1))
        #expect(Simulation.current == nil)
        simulation.setRate(.maximum)
        try await simulation.sleep(for: .seconds(1))
        #expect(Simulation.current == nil)
    }

    @Test func clockOfASimulationIsItsOwn() async throws {
        let elapsed = try await Simulation.run { simulation in
            try await Simulation.clock.sleep(for: .seconds(3600))
            return simulation.now.offset
        }
        #expect(elapsed == .seconds(3600))
    }

    @Test func errorOfTheBodyIsThrown() async {
        struct Fault: Error {}
        await #expect(throws: Fault.self) { try await Simulation.run { _ in throw Fault() } }
    }

    @Test func timeStandsStillAfterTheBody() async throws {
        let log = Log()
        let simulation = try await Simulation.run { simulation in
            Task {
                try await simulation.sleep(for: .seconds(1))
                log.add("late")
            }
            return simulation
        }
        await simulation.advance(by: .milliseconds(500))
        #expect(log.all == [] && simulation.now.offset == .milliseconds(500))
        await simulation.advance(by: .milliseconds(500))
        #expect(log.all == ["late"])
    }
}
