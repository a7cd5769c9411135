// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Concurrency
import Devices
package import Profiles
import Radio

/// The progress of a scenario on a run.
package struct ScenarioRecord: Codable, Hashable, Sendable {
    /// What it does.
    package enum State: String, Codable, CaseIterable, Hashable, Sendable {
        /// It waits for its next change.
        case running
        /// All changes are done, and its duration is over.
        case ended
        /// It was stopped, or replaced by another one.
        case stopped
    }

    /// A change of the timeline.
    package struct Change: Codable, Hashable, Sendable {
        /// The time since the start of the scenario, in seconds.
        package let at: Double
        /// The change in the words of the file.
        package let change: String
        /// Why it was refused; absent if it was not.
        package var message: String?

        fileprivate init(_ step: ScenarioStep, refusedWith message: String? = nil) {
            at = ScenarioRecord.seconds(step.time)
            change = step.text
            self.message = message
        }
    }

    /// The version of the format.
    package var v = 1
    /// The scenario's name.
    package let scenario: String
    /// What it does.
    package let state: State
    /// The time since its start, in seconds of the run.
    package let elapsed: Double
    /// Its duration, in seconds.
    package let duration: Double
    /// The number of changes, and of those that were done or refused.
    package let changes, done: Int
    /// The next change; absent after the last one.
    package let next: Change?
    /// The changes that were refused.
    package let refused: [Change]
    /// The keys of the scenario that have no effect on a run; absent without any.
    package let ignored: [String]?

    /// Seconds with three decimals.
    fileprivate static func seconds(_ duration: Duration) -> Double {
        (duration / .milliseconds(1)).rounded() / 1000
    }

    /// The progress in one line.
    package var sentence: String {
        let refusals = refused.isEmpty ? "" : ", \(refused.count) refused"
        let change = next.map { ", next \"\($0.change)\" at \($0.at) s" } ?? ""
        let unused = ignored.map { "; \($0.joined(separator: ", ")) have no effect on a run" } ?? ""
        return "scenario \(scenario) \(state.rawValue): \(done) of \(changes) changes" + refusals + change + unused
    }
}

/// The scenario whose changes are performed on a run, or the last one.
///
///     none --(start)--> playing --(end)--> over, ended      playing --(stop, or start of another)--> over, stopped
///
/// Confined to the actor of the run. Each change of its state is an event.
final class ScenarioPlayer {
    private enum Phase {
        case playing(Task<Void, Never>)
        case over(ScenarioRecord.State, at: Duration)
    }

    private struct Scenario {
        let timeline: Timeline
        /// The time of the run at its start.
        let start: Duration
        var phase: Phase
        var done = 0
        var refused: [ScenarioRecord.Change] = []
    }

    private var scenario: Scenario?
    private let events: EventHub

    init(events: EventHub) { self.events = events }

    /// Starts a scenario instead of a former one.
    /// - Parameters:
    ///   - now: the time of the run.
    ///   - task: what performs its changes; it is cancelled when the scenario is stopped.
    func start(_ timeline: Timeline, at now: Duration, _ task: Task<Void, Never>) -> ScenarioRecord {
        stop(at: now)
        return post(Scenario(timeline: timeline, start: now, phase: .playing(task)), at: now)
    }

    /// Stops the scenario.
    /// - Returns: its record; `nil` if there was none.
    @discardableResult
    func stop(at now: Duration) -> ScenarioRecord? {
        guard var stopped = scenario, case .playing(let task) = stopped.phase else { return record(at: now) }
        task.cancel()
        stopped.phase = .over(.stopped, at: now)
        return post(stopped, at: now)
    }

    /// The run ends; that the scenario ends with it is no event.
    func cancel() {
        if case .playing(let task) = scenario?.phase { task.cancel() }
    }

    /// A change was performed.
    /// - Parameter message: why it was refused; `nil` if it was not.
    func noteChange(_ step: ScenarioStep, refusedWith message: String?, at now: Duration) {
        guard var current = scenario else { return }
        current.done += 1
        if let message { current.refused.append(ScenarioRecord.Change(step, refusedWith: message)) }
        post(current, at: now)
    }

    /// All changes are done, and the duration is over.
    func end(at now: Duration) {
        guard var ended = scenario else { return }
        ended.phase = .over(.ended, at: now)
        post(ended, at: now)
    }

    @discardableResult
    private func post(_ changed: Scenario, at now: Duration) -> ScenarioRecord {
        scenario = changed
        let record = Self.record(of: changed, at: now)
        events.post(.scenario(record))
        return record
    }

    /// The progress; `nil` if there was no scenario.
    func record(at now: Duration) -> ScenarioRecord? { scenario.map { Self.record(of: $0, at: now) } }

    private static func record(of scenario: Scenario, at now: Duration) -> ScenarioRecord {
        let timeline = scenario.timeline
        let next = scenario.done < timeline.steps.count ? ScenarioRecord.Change(timeline.steps[scenario.done]) : nil
        let (state, end): (ScenarioRecord.State, Duration) =
            switch scenario.phase {
            case .playing: (.running, now)
            case .over(let state, let end): (state, end)
            }
        return ScenarioRecord(
            scenario: timeline.name, state: state, elapsed: ScenarioRecord.seconds(end - scenario.start),
            duration: ScenarioRecord.seconds(timeline.duration), changes: timeline.steps.count, done: scenario.done,
            next: state == .running ? next : nil, refused: scenario.refused,
            ignored: timeline.ignoredKeys.isEmpty ? nil : timeline.ignoredKeys)
    }
}

extension Emulator {
    /// The scenario of the run, or the last one; `nil` if there was none.
    package var scenarioRecord: ScenarioRecord? { scenario.record(at: uptime) }

    /// Performs the timeline of a scenario from now on, instead of a former one.
    /// - Parameters:
    ///   - text: the scenario, in YAML or JSON.
    ///   - file: the path of its file, for messages; `nil` if there is none.
    /// - Throws: `EmulatorError` with the faults of the text; then nothing has changed.
    package func startScenario(_ text: String, file: String? = nil) async throws(EmulatorError) -> ScenarioRecord {
        let timeline: Timeline
        let receivers = await receiverNames()
        await directory.handover?.value
        do throws(ProfileFaults) {
            timeline = try await LongWork.profiles.perform { [names] () throws(ProfileFaults) in
                try Timeline(parsing: text, file: file ?? "scenario", beacons: names, receivers: receivers)
            }
        } catch {
            throw EmulatorError(error)
        }
        let start = uptime
        return scenario.start(timeline, at: start, Task { [weak self] in await self?.perform(timeline, from: start) })
    }

    /// The names of the hosts and receivers on the virtual air, which a scenario may have.
    private func receiverNames() async -> [String] {
        let hosts = ((try? await air.hosts()) ?? []).map(\.name)
        let served = ((try? await air.receivers()) ?? []).map(\.name)
        return hosts + served.filter { !hosts.contains($0) }
    }

    /// The scenarios among these that can be performed on the run: those with a timeline whose names the run has.
    package func fitting(_ scenarios: [ScenarioFile]) async -> [FittingScenario] {
        let receivers = await receiverNames()
        return await LongWork.profiles.perform { [names] in
            scenarios.compactMap { each in
                (try? Timeline(parsing: each.text, file: each.file, beacons: names, receivers: receivers))
                    .map { FittingScenario(each, $0) }
            }
        }
    }

    /// Ends the scenario; what it has changed stays.
    /// - Returns: its record; `nil` if there was none.
    @discardableResult
    package func stopScenario() -> ScenarioRecord? { scenario.stop(at: uptime) }

    /// Performs a change of a scenario; what a receiver does on a connection is none of the run.
    /// - Throws: `EmulatorError`, as the method for the change.
    package func perform(_ action: ScenarioAction) async throws(EmulatorError) {
        switch action {
        case .move(let name, let position): try await air.move(name, to: position)
        case .set(let beacon, let values): try await change(beacon, BeaconChange(settings: values))
        case .enable(let beacon): try await change(beacon, BeaconChange(isEnabled: true))
        case .disable(let beacon): try await change(beacon, BeaconChange(isEnabled: false))
        case .mute(let beacon, let time):
            try await change(beacon, BeaconChange(muting: time.map(BeaconChange.Muting.during) ?? .on))
        case .unmute(let beacon): try await change(beacon, BeaconChange(muting: .off))
        case .battery(let beacon, let state): try await change(beacon, BeaconChange(battery: state))
        case .link(let beacon, let receiver, let change):
            try await overrideLink(from: beacon, to: receiver, change)
        case .disconnect(let name, let peer, let reason): _ = try await disconnect(name, from: peer, reason)
        case .radio(let power): try await setRadio(power)
        case .onConnection: break
        }
    }

    /// - Parameter start: the time of the run at the start of the scenario.
    private func perform(_ timeline: Timeline, from start: Duration) async {
        for step in timeline.steps {
            guard await sleep(until: start + step.time) else { return }
            var message: String?
            do throws(EmulatorError) {
                try await perform(step.action)
            } catch {
                message = "\(error)"
            }
            guard !Task.isCancelled else { return }
            scenario.noteChange(step, refusedWith: message, at: uptime)
        }
        guard await sleep(until: start + timeline.duration) else { return }
        scenario.end(at: uptime)
    }
}
