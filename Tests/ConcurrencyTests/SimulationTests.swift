// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Concurrency
import Dispatch
import Foundation
import Synchronization
import TestTraits
import Testing

/// What happened, in order.
private final class Log: Sendable {
    private let entries = Mutex<[String]>([])

    func add(_ entry: String) { entries.withLock { $0.append(entry) } }

    var all: [String] { entries.withLock { $0 } }
}

/// A simulation that may have ended.
private struct WeakSimulation: Sendable {
    weak let simulation: Simulation?
}

@Suite(.realTime, .timeLimit(.minutes(10))) struct SimulationTests {
    @Test func simulationOfABodyEndsWithIt() async throws {
        let ended = try await Simulation.run { clock in
            try await clock.sleep(for: .seconds(1))
            return WeakSimulation(simulation: clock)
        }
        // Its thread has held it.
        while ended.simulation != nil { try await Task.sleep(for: .milliseconds(5)) }
    }

    @Test func workAfterTheEndOfABodyIsDone() async throws {
        let clock = try await Simulation.run { clock in clock }
        for _ in 0..<20 {
            let isCurrent = await withCheckedContinuation { continuation in
                clock.execute {
                    let isCurrent = clock.isCurrent
                    DispatchQueue.global().async { continuation.resume(returning: isCurrent) }
                }
            }
            #expect(isCurrent)
        }
    }

    /// The time passes without a timer only if nothing is due until then, which includes that time, or waits.
    @Test func timePassesAtOnceIfNothingElseIsDue() async throws {
        let passed = try await Simulation.run { simulation in
            await withCheckedContinuation { (continuation: CheckedContinuation<[Bool], Never>) in
                simulation.execute {
                    var passed = [simulation.pass(to: .seconds(1))]
                    let timer = simulation.schedule(at: .seconds(3)) {}
                    passed += [simulation.pass(to: .seconds(3)), simulation.pass(to: .seconds(2))]
                    simulation.cancel(timer)
                    passed.append(simulation.pass(to: .seconds(3)))
                    let limit = simulation.limit(at: .seconds(4)) {}
                    passed.append(simulation.pass(to: .seconds(4)))
                    simulation.cancel(limit)
                    passed.append(simulation.now.offset == .seconds(3))
                    simulation.execute {}
                    passed.append(simulation.pass(to: .seconds(4)))
                    continuation.resume(returning: passed)
                }
            }
        }
        #expect(passed == [true, false, true, true, false, true, false])
    }

    @Test func timeOfAManualRatePassesUpToTheEndOfTheAdvance() async {
        let log = Log()
        let simulation = Simulation(rate: .manual)
        _ = simulation.schedule(at: .seconds(1)) {
            log.add("\(simulation.pass(to: .seconds(2))) \(simulation.pass(to: .seconds(3)))")
        }
        await simulation.advance(by: .seconds(2))
        #expect(log.all == ["true false"] && simulation.now.offset == .seconds(2))
    }

    @Test func timersFireInTheOrderOfTheirTimesAndThenOfTheirCreation() async {
        let log = Log()
        let simulation = Simulation(rate: .manual)
        for (name, seconds) in [("c", 3), ("a", 1), ("b", 2), ("a2", 1)] {
            _ = simulation.schedule(at: .seconds(seconds)) { log.add("\(name) at \(simulation.now.offset)") }
        }
        await simulation.advance(by: .seconds(2))
        #expect(log.all == ["a at 1.0 seconds", "a2 at 1.0 seconds", "b at 2.0 seconds"])
        await simulation.advance(by: .seconds(2))
        #expect(log.all.last == "c at 3.0 seconds" && simulation.now.offset == .seconds(4))
    }

    @Test func simulationWithoutWorkHasNoThread() async {
        await #expect(processExitsWith: .success) {
            func threads() -> Int {
                (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0
            }
            let simulations = (0..<100).map { _ in Simulation(rate: .manual) }
            for simulation in simulations {
                // A timer that never fires is no work.
                _ = simulation.schedule(at: .seconds(60)) {}
                await simulation.advance(by: .seconds(1))
            }
            // Those of the runtime remain.
            while threads() > 50 { usleep(10_000) }
            await simulations[0].advance(by: .seconds(1))
            precondition(simulations[0].now.offset == .seconds(2))
        }
    }

    @Test func hourWithoutWorkTakesNoRealTime() async throws {
        let simulation = Simulation(rate: .maximum)
        for hour in 1...24 {
            try await simulation.sleep(for: .seconds(3600))
            #expect(simulation.now.offset == .seconds(3600 * hour))
        }
    }

    @Test func workAddedMeanwhileRunsBeforeTheClockAdvances() async {
        let log = Log()
        let simulation = Simulation(rate: .manual)
        _ = simulation.schedule(at: .seconds(1)) {
            log.add("first")
            simulation.execute { log.add("added at \(simulation.now.offset)") }
        }
        _ = simulation.schedule(at: .seconds(2)) { log.add("second") }
        await simulation.advance(by: .seconds(3))
        #expect(log.all == ["first", "added at 1.0 seconds", "second"])
    }

    @Test func cancelledTimerDoesNotFire() async {
        let log = Log()
        let simulation = Simulation(rate: .manual)
        let timers = (0..<1000).map { number in simulation.schedule(at: .seconds(1)) { log.add("\(number)") } }
        for (number, timer) in timers.enumerated() where number != 77 { simulation.cancel(timer) }
        await simulation.advance(by: .seconds(2))
        #expect(log.all == ["77"])
    }

    @Test func cancelledSleepEndsAtOnce() async {
        let simulation = Simulation(rate: .manual)
        let sleeping = Task { try await simulation.sleep(for: .seconds(10)) }
        sleeping.cancel()
        await #expect(throws: CancellationError.self) { try await sleeping.value }
        #expect(simulation.now.offset == .zero)
    }

    @Test func cancelledAdvanceEndsWhereTheTimeIs() async {
        let simulation = Simulation(rate: .manual)
        let (reached, signal) = AsyncStream.makeStream(of: Void.self)
        let mayContinue = DispatchSemaphore(value: 0)
        _ = simulation.schedule(at: .seconds(3)) {
            // What the thread of the simulation resumes is in it.
            DispatchQueue.global().async { signal.yield() }
            mayContinue.wait()
        }
        let first = Task { await simulation.advance(by: .seconds(10)) }
        for await _ in reached { break }
        first.cancel()
        let second = Task { await simulation.advance(by: .seconds(4)) }
        mayContinue.signal()
        await first.value
        await second.value
        #expect(simulation.now.offset == .seconds(7))
    }

    @Test func pausedClockContinuesWhereItStood() async throws {
        let simulation = Simulation(rate: .maximum)
        try await simulation.sleep(for: .seconds(5))
        simulation.setRate(.manual)
        let paused = simulation.now
        await simulation.advance(by: .seconds(2))
        #expect(paused.duration(to: simulation.now) == .seconds(2))
        simulation.setRate(.maximum)
        try await simulation.sleep(for: .seconds(60))
        #expect(paused.duration(to: simulation.now) == .seconds(62))
    }

    @Test func scaledClockIsFasterByItsFactor() async throws {
        let simulation = Simulation(rate: .scaled(100))
        let start = ContinuousClock.now
        try await simulation.sleep(for: .seconds(10))
        #expect(start.duration(to: .now) >= .milliseconds(99))
        #expect(simulation.now.offset >= .seconds(10))
    }

    @Test func executorIsTheThreadOfTheSimulation() async {
        let simulation = Simulation(rate: .maximum)
        #expect(!simulation.isCurrent)
        let isCurrent = await withCheckedContinuation { continuation in
            simulation.execute {
                let isCurrent = simulation.isCurrent
                // Not here: what the thread of the simulation resumes is in it.
                DispatchQueue.global().async { continuation.resume(returning: isCurrent) }
            }
        }
        #expect(isCurrent)
    }

    @Test(arguments: [
        ("max", "max"), ("manual", "manual"), ("10", "10"), ("0.5", "0.5"), ("0.001", "0.001"), ("10000", "10000"),
    ])
    func ratesAreParsed(_ text: String, _ written: String) {
        #expect(Simulation.Rate(text).map(\.description) == written)
    }

    @Test(arguments: ["", "0", "-1", "nan", "inf", "10001", "fast", "1x", "0.0009", "1e-300", "5e-324"])
    func otherRatesAreNot(_ text: String) { #expect(Simulation.Rate(text) == nil) }

    /// The real time until such a timer exceeds the range of durations.
    @Test func lowestRateWaitsForTheFarthestTimer() async {
        let simulation = Simulation(rate: .scaled(Simulation.Rate.limits.lowerBound))
        _ = simulation.schedule(at: .seconds(Int64.max)) {}
        await withCheckedContinuation { continuation in
            _ = simulation.schedule(at: .zero) { DispatchQueue.global().async { continuation.resume() } }
        }
        let clock = ScaledClock(rate: Simulation.Rate.limits.lowerBound)
        let sleeping = Task { try await clock.sleep(until: .init(offset: .seconds(Int64.max))) }
        sleeping.cancel()
        await #expect(throws: CancellationError.self) { try await sleeping.value }
    }

    @Test func scaledClockOfRealTimeHasItsFactor() async throws {
        let clock = ScaledClock(rate: 50)
        let (start, real) = (clock.now, ContinuousClock.now)
        try await clock.sleep(for: .seconds(5))
        #expect(start.duration(to: clock.now) >= .seconds(5))
        #expect(real.duration(to: .now) >= .milliseconds(99))
    }
}
