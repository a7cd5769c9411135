// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import CConcurrency
import Dispatch
import Glibc
import HeapModule
import Synchronization

/// Virtual time: a clock, and the thread that runs everything of the process that happens in its time.
///
/// Work is in one queue, first in, first out: jobs of tasks and actors, and functions. When nothing is left to do, the clock
/// advances to the next timer, as fast as the rate allows. So a run depends on nothing but its inputs: the same program with
/// the same seed does the same, at the same times.
///
/// The thread exists while there is work, and for a second after it: a simulation that is not used has none.
///
/// `install` redirects the tasks of the process to the simulation, and `run` those that a body starts. An actor with an
/// executor of its own takes the simulation instead. What runs elsewhere (event loops of sockets, queues of files, the main
/// actor) adds its results to the queue when it has them, while the time goes on; with the rate `.maximum`, its results come
/// late. `Task.sleep` is in real time: what belongs to a run takes its time from `clock`.
package final class Simulation: Clock, SerialExecutor {
    /// How fast virtual time is.
    package enum Rate: Hashable, Sendable {
        /// As fast as the work is done.
        case maximum
        /// This number of virtual seconds in a second of real time, in `limits`.
        case scaled(Double)
        /// The time advances by `advance(by:)` only.
        case manual
    }

    /// A time since the beginning of the simulation.
    package struct Instant: InstantProtocol {
        /// The time since the beginning.
        package let offset: Duration

        /// An instant.
        package init(offset: Duration) { self.offset = offset }

        package func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        package func duration(to other: Instant) -> Duration { other.offset - offset }
        package static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    /// A timer of a simulation.
    package struct Timer: Hashable, Sendable {
        fileprivate let number: UInt64
    }

    /// The beginning of virtual time: 2026-01-01 00:00 UTC, the same in each run. Since 1970-01-01 00:00 UTC.
    package static let epoch = Duration.seconds(1_767_225_600)

    private static let installed = Mutex<Simulation?>(nil)
    private static let redirection: Void = beaconry_redirect_global_jobs { job in
        guard let job else { return false }
        let work = Work.job(unsafeBitCast(job, to: UnownedJob.self))
        if let simulation = ofThread {
            simulation._withUnsafeGuaranteedRef { $0.add(work) }
        } else if let simulation = installed.withLock({ $0 }) {
            simulation.add(work)
        } else {
            return false
        }
        return true
    }

    /// Whether the task is in a body of `perform`, or was started by one. The thread does not show it: an actor that is busy in a
    /// simulation does the work of callers from elsewhere there, too.
    @TaskLocal static var isOfPerform = false

    /// The simulation that this thread runs, else the process's simulation; `nil` in real time.
    package static var current: Simulation? {
        ofThread?.takeUnretainedValue() ?? installed.withLock { $0 }
    }

    /// The simulation that this thread runs, which lasts as long as the thread.
    private static var ofThread: Unmanaged<Simulation>? {
        beaconry_thread_simulation().map { Unmanaged<Simulation>.fromOpaque($0) }
    }

    /// The clock of what begins now: the current simulation, else real time.
    package static var clock: any Clock<Duration> { current ?? ContinuousClock() }

    /// A unit of work.
    private enum Work {
        case job(UnownedJob)
        case function(@Sendable () -> Void)
    }

    private struct Deadline: Comparable {
        let time: Duration
        let number: UInt64

        static func < (left: Deadline, right: Deadline) -> Bool {
            left.time == right.time ? left.number < right.number : left.time < right.time
        }
    }

    private struct Limit {
        let time: Duration
        let number: UInt64
        let function: @Sendable () -> Void
    }

    // Not checked, because work is not sendable: only the thread of the simulation runs it.
    private struct State: @unchecked Sendable {
        var rate: Rate
        var now = Duration.zero
        /// The time up to which a manual rate may advance.
        var limit = Duration.zero
        /// Real time, and the virtual time then, of the last change of the rate.
        var anchor: (real: ContinuousClock.Instant, virtual: Duration)
        var ready: [Work] = []
        /// The place of the next work in `ready`; the ones before are done.
        var first = 0
        var deadlines = Heap<Deadline>()
        /// By number; a cancelled timer has none.
        var timers: [UInt64: @Sendable () -> Void] = [:]
        /// By time; they fire only before something that is due at their time or later.
        var limits: [Limit] = []
        var outsideSleepers = 0
        var idlenessObserver: (@Sendable () -> Void)?
        /// The number of times that the thread has had something to do.
        var activity: UInt64 = 0
        var lastNumber: UInt64 = 0
        /// Resume those who wait for the end of an advance.
        var advances: [@Sendable () -> Void] = []
        /// Whether the thread waits for work.
        var isWaiting = false
        /// Whether the thread ends as soon as nothing is left to do, and not only after `idleTime`.
        var isReleased = false
        /// Whether there is a thread.
        var hasThread = false
    }

    private enum Step: @unchecked Sendable {
        case run(Work)
        /// The time is at the limit of an advance.
        case arrived([@Sendable () -> Void])
        /// For this long in real time, or until there is work.
        case wait(Duration?)
        /// There was no work for `idleTime`.
        case end
    }

    private let state: Mutex<State>
    private let wakeUp = DispatchSemaphore(value: 0)
    /// The real time without work after which the thread ends.
    private static let idleTime = DispatchTimeInterval.seconds(1)

    /// A simulation. Its thread starts with the first work and ends when there is none; later work starts another one.
    package init(rate: Rate) {
        state = Mutex(State(rate: rate, anchor: (.now, .zero)))
    }

    /// Makes the simulation of this process, once, before the tasks that it is meant for start: all tasks of the process run
    /// on it from now on.
    package static func install(rate: Rate) -> Simulation {
        let simulation = Simulation(rate: rate)
        installed.withLock { installed in
            precondition(installed == nil, "a process has one simulation")
            installed = simulation
        }
        _ = redirection
        return simulation
    }

    /// Makes a simulation beside others of the process. What `perform` runs is in it, and nothing else.
    package static func makeSeparate(rate: Rate) -> Simulation {
        _ = redirection
        return Simulation(rate: rate)
    }

    /// Runs a body, and all tasks and actors that it starts, in a simulation of its own; other tasks of the process are not
    /// affected. Afterwards the time stands still, and the thread ends.
    ///
    /// What a thread from elsewhere resumes, such as the queue of an actor, leaves the simulation.
    /// - Throws: the error of the body.
    package static func run<Value: Sendable>(
        rate: Rate = .maximum, _ body: @escaping @Sendable (Simulation) async throws -> Value
    ) async throws -> Value {
        _ = redirection
        let simulation = Simulation(rate: rate)
        let result: Result<Value, any Error> = await withCheckedContinuation { continuation in
            simulation.execute {
                Task.detached {
                    let result: Result<Value, any Error>
                    do { result = .success(try await body(simulation)) } catch { result = .failure(error) }
                    simulation.release()
                    // Not here: what this thread resumes stays in the simulation.
                    DispatchQueue.global().async { continuation.resume(returning: result) }
                }
            }
        }
        return try result.get()
    }
}

// MARK: - Time

extension Simulation {
    package var now: Instant { Instant(offset: state.withLock { Self.present(of: $0) }) }
    package var minimumResolution: Duration { .nanoseconds(1) }

    /// The rate.
    package var rate: Rate { state.withLock(\.rate) }

    /// Changes the rate. With `.manual`, time stands still until it is advanced.
    package func setRate(_ rate: Rate) {
        state.withLock { state in
            state.now = Self.present(of: state)
            state.limit = state.now
            state.anchor = (.now, state.now)
            state.rate = rate
            wakeIfWaiting(&state)
        }
    }

    /// Stops the time, and lets the thread end when nothing is left to do.
    private func release() {
        setRate(.manual)
        state.withLock { $0.isReleased = true }
    }

    /// Advances the time of a manual rate, and returns when all that is due until then is done; at any other rate it waits
    /// until the time has passed.
    ///
    /// A cancelled task advances the time no further. Several advances follow one another.
    package func advance(by duration: Duration) async {
        let start: Duration? = state.withLock { state in
            guard state.rate == .manual else { return nil }
            let start = max(state.limit, state.now)
            state.limit = start + duration
            return start
        }
        guard let start else {
            try? await sleep(for: duration)
            return
        }
        let isInside = isInside
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { state in
                    state.advances.append { Self.resume(continuation, isInside: isInside) }
                    wakeIfWaiting(&state)
                }
            }
        } onCancel: {
            state.withLock { state in
                guard state.rate == .manual, state.now < state.limit else { return }
                let rest = start + duration - max(start, state.now)
                state.limit = max(state.now, state.limit - max(.zero, rest))
            }
        }
    }

    package func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let isInside = isInside
        let isOfOutside = !Self.isOfPerform
        let timer = state.withLock { state in
            if isOfOutside { state.outsideSleepers += 1 }
            return Self.makeTimer(&state)
        }
        defer { if isOfOutside { state.withLock { $0.outsideSleepers -= 1 } } }
        try await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                set(timer, at: deadline.offset) { Self.resume(continuation, isInside: isInside) }
                // The cancellation may have been before the timer was set.
                if Task.isCancelled { fire(timer) }
            }
            try Task.checkCancellation()
        } onCancel: {
            fire(timer)
        }
    }

    /// Whether the present task is in the simulation.
    private var isInside: Bool { isCurrent || Self.installed.withLock { $0 === self } }

    /// Resumes a task; one from outside on another thread, because what the thread of the simulation resumes is in it.
    private static func resume(_ continuation: CheckedContinuation<Void, Never>, isInside: Bool) {
        if isInside { continuation.resume() } else { DispatchQueue.global().async { continuation.resume() } }
    }

    /// Runs a function at a time since the beginning, in the past: as soon as possible.
    package func schedule(at time: Duration, _ function: @escaping @Sendable () -> Void) -> Timer {
        let timer = state.withLock { Self.makeTimer(&$0) }
        set(timer, at: time, function)
        return timer
    }

    /// Runs a function as soon as the time would advance to this time or beyond it. Unlike a timer, a limit lets no time pass: if
    /// nothing is due at this time or later, it does not fire.
    package func limit(at time: Duration, _ function: @escaping @Sendable () -> Void) -> Timer {
        state.withLock { state in
            let timer = Self.makeTimer(&state)
            let place = state.limits.firstIndex { $0.time > time } ?? state.limits.endIndex
            state.limits.insert(Limit(time: time, number: timer.number, function: function), at: place)
            return timer
        }
    }

    /// Lets the time pass at once, if nothing else is due until then or waits for its turn: what the thread of the simulation does next
    /// needs no timer.
    /// - Returns: whether it is that time now.
    package func pass(to time: Duration) -> Bool {
        state.withLock { state in
            guard state.first == state.ready.count, time <= Self.bound(of: state) else { return false }
            Self.removeCancelled(&state)
            if let next = state.deadlines.min, next.time <= time { return false }
            if let limit = state.limits.first, limit.time <= time { return false }
            state.activity &+= 1
            state.now = max(state.now, time)
            return true
        }
    }

    /// Cancels a timer or a limit; one that has fired is ignored.
    package func cancel(_ timer: Timer) {
        state.withLock { state in
            state.timers[timer.number] = nil
            state.limits.removeAll { $0.number == timer.number }
        }
    }

    /// Sets a function that is called, on the thread of the simulation, when nothing has happened in it for a second of real time;
    /// `nil` for none. Other threads may still work for it.
    package func observeIdleness(_ observer: (@Sendable () -> Void)?) {
        state.withLock { $0.idlenessObserver = observer }
    }

    /// The number of tasks that wait for its time to pass and are in no body of `perform`.
    package var outsideSleepers: Int { state.withLock(\.outsideSleepers) }

    /// The number of times that it has had something to do; it does not change while it is idle.
    package var activity: UInt64 { state.withLock(\.activity) }

    /// Runs a function after all work that is in the queue.
    package func execute(_ function: @escaping @Sendable () -> Void) { add(.function(function)) }

    private static func makeTimer(_ state: inout State) -> Timer {
        state.lastNumber += 1
        return Timer(number: state.lastNumber)
    }

    private func set(_ timer: Timer, at time: Duration, _ function: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.timers[timer.number] = function
            state.deadlines.insert(Deadline(time: time, number: timer.number))
            wakeIfWaiting(&state)
        }
    }

    /// Lets a timer fire now, if it is set.
    private func fire(_ timer: Timer) {
        state.withLock { state in
            guard let function = state.timers.removeValue(forKey: timer.number) else { return }
            state.ready.append(.function(function))
            wakeIfWaiting(&state)
        }
    }

    /// The virtual time of this moment; it never goes back.
    private static func present(of state: State) -> Duration {
        guard case .scaled(let factor) = state.rate else { return state.now }
        return max(state.now, state.anchor.virtual + state.anchor.real.duration(to: .now) * factor)
    }
}

// MARK: - Work

extension Simulation {
    package func enqueue(_ job: consuming ExecutorJob) { add(.job(UnownedJob(job))) }

    package func checkIsolated() { precondition(isCurrent, "this runs outside of the simulation") }

    /// Whether this is the thread of the simulation.
    package var isCurrent: Bool { beaconry_thread_simulation() == Unmanaged.passUnretained(self).toOpaque() }

    private func add(_ work: Work) {
        state.withLock { state in
            state.ready.append(work)
            wakeIfWaiting(&state)
        }
    }

    private func wakeIfWaiting(_ state: inout State) {
        guard state.hasThread else {
            state.hasThread = true
            return startThread()
        }
        guard state.isWaiting else { return }
        state.isWaiting = false
        wakeUp.signal()
    }

    private func startThread() {
        let box = Unmanaged.passRetained(self)
        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Simulation>.fromOpaque(argument).takeRetainedValue().runWork()
                return nil
            }, box.toOpaque())
        precondition(status == 0, "cannot start the thread of the simulation: \(status)")
        pthread_detach(thread)
    }

    private func runWork() {
        beaconry_set_thread_simulation(Unmanaged.passUnretained(self).toOpaque())
        var isIdle = false
        while true {
            if isIdle { state.withLock(\.idlenessObserver)?() }
            switch state.withLock({ Self.nextStep(&$0, isIdle: isIdle) }) {
            case .run(.job(let job)): job.runSynchronously(on: asUnownedSerialExecutor())
            case .run(.function(let function)): function()
            case .arrived(let advances): for resume in advances { resume() }
            case .wait(nil):
                isIdle = wakeUp.wait(timeout: .now() + Self.idleTime) == .timedOut
                continue
            case .wait(let time?):
                // A signal that comes after the time is taken by the next wait, which then does nothing.
                let nanoseconds = min(time, Self.longestWait) / .nanoseconds(1)
                _ = wakeUp.wait(timeout: .now() + .nanoseconds(Int(nanoseconds)))
                state.withLock { $0.isWaiting = false }
            case .end: return
            }
            isIdle = false
        }
    }

    /// After this time, the thread computes again how long it has to wait.
    private static let longestWait = Duration.seconds(3600)

    /// - Parameter isIdle: whether the thread has waited for work in vain.
    private static func nextStep(_ state: inout State, isIdle: Bool) -> Step {
        if state.first < state.ready.count {
            let work = state.ready[state.first]
            state.first += 1
            state.activity &+= 1
            if state.first == state.ready.count {
                state.ready.removeAll(keepingCapacity: state.first < 4096)
                state.first = 0
            }
            return .run(work)
        }
        removeCancelled(&state)
        if let first = state.deadlines.min, first.time <= bound(of: state) {
            if let limit = state.limits.first, limit.time <= first.time {
                return .run(.function(state.limits.removeFirst().function))
            }
            state.activity &+= 1
            state.now = max(state.now, first.time)
            state.deadlines.removeMin()
            return state.timers.removeValue(forKey: first.number).map { .run(.function($0)) } ?? .wait(.zero)
        }
        if state.rate == .manual, state.now < state.limit || !state.advances.isEmpty {
            state.now = max(state.now, state.limit)
            defer { state.advances = [] }
            return .arrived(state.advances)
        }
        if state.isReleased {
            state.hasThread = false
            return .end
        }
        guard case .scaled(let factor) = state.rate, let first = state.deadlines.min else {
            state.isWaiting = !isIdle
            state.hasThread = !isIdle
            return isIdle ? .end : .wait(nil)
        }
        state.isWaiting = true
        return .wait((first.time - present(of: state)).divided(by: factor))
    }

    /// Removes the deadlines before the next timer that is set.
    private static func removeCancelled(_ state: inout State) {
        while let first = state.deadlines.min, state.timers[first.number] == nil { state.deadlines.removeMin() }
    }

    /// The time up to which timers may fire now.
    private static func bound(of state: State) -> Duration {
        switch state.rate {
        case .maximum: .seconds(Int64.max)
        case .manual: state.limit
        case .scaled: present(of: state)
        }
    }
}

// MARK: - Text

extension Simulation.Rate: CustomStringConvertible {
    /// The lowest and the highest number.
    package static let limits = 0.001...10_000

    /// What a rate may be, for messages.
    package static let choices = "max, manual, or a number from 0.001 to 10000"

    /// `max`, `manual`, or a number in `limits`; `nil` for other texts.
    package init?(_ text: String) {
        switch text {
        case "max": self = .maximum
        case "manual": self = .manual
        default:
            guard let factor = Double(text), Self.limits.contains(factor) else { return nil }
            self = .scaled(factor)
        }
    }

    package var description: String {
        switch self {
        case .maximum: "max"
        case .manual: "manual"
        case .scaled(let factor): factor == factor.rounded() ? "\(Int(factor))" : "\(factor)"
        }
    }
}
