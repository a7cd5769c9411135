// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Concurrency
import Devices
import Emulator
import HCIRadio
package import Profiles
import Radio
import Receiving
import Space
import Synchronization

/// How a scenario ended.
package struct ScenarioResult: Sendable {
    /// A change that was refused.
    package struct Refusal: Sendable {
        /// The change.
        package let step: ScenarioStep
        /// Why it was refused.
        package let message: String
    }

    /// A refused change, or an expectation that was not met.
    struct Problem {
        /// The line in the file, counted from 1.
        let line: Int
        let moment: Duration
        let sentence: String
    }

    /// The scenario.
    package let scenario: Scenario
    /// The seed of the air.
    package let seed: UInt64
    /// The verdicts in the order of the file.
    package let verdicts: [ScenarioVerdict]
    /// The changes that were refused, in the order of time.
    package let refusals: [Refusal]
    /// The samples of the receivers whose places were estimated, by their names.
    let samples: [String: [SurveySample]]

    /// Whether all changes were done and all expectations were met.
    package var isPassed: Bool { refusals.isEmpty && verdicts.allSatisfy { $0.fault == nil } }

    /// All that failed, in the order of time.
    var problems: [Problem] {
        let refused = refusals.map {
            Problem(
                line: $0.step.line, moment: $0.step.time,
                sentence: "\"\($0.step.text)\" was refused: \($0.message)")
        }
        let unmet = verdicts.compactMap { verdict in
            verdict.fault.map {
                Problem(
                    line: verdict.expectation.line, moment: verdict.moment,
                    sentence: "expected \(verdict.expectation), but \($0)")
            }
        }
        return (refused + unmet).sorted { ($0.moment, $0.line) < ($1.moment, $1.line) }
    }
}

/// What a run of a scenario has recorded.
struct ScenarioRecording: Sendable {
    let trace: ScenarioTrace
    /// The changes that were refused, in the order of time.
    let refusals: [ScenarioResult.Refusal]
    /// What estimators of places get; `nil` if no place was to be estimated.
    let survey: SurveyTrace?
}

extension ScenarioResult {
    /// Runs a scenario in virtual time, and checks its expectations.
    /// - Parameters:
    ///   - seed: the seed of the air.
    ///   - estimator: what estimates the places of receivers; `nil` for what each receiver has.
    ///   - surveysAll: whether the places of all that moves are estimated; else those of the receivers of expectations.
    ///   - capture: the file of the HCI traffic; `nil` for none.
    /// - Throws: `EmulatorError` or `RadioError` if the beacons cannot run; `Failure` if the command of an estimator fails.
    static func run(
        _ scenario: Scenario, seed: UInt64, estimator: EstimatorChoice? = nil, surveysAll: Bool = false,
        capture: CaptureFile? = nil
    ) async throws -> ScenarioResult {
        let plan =
            surveysAll
            ? SurveyPlan(for: scenario.profile, moved: scenario.movedNames, every: .seconds(1))
            : SurveyPlan(forExpectationsOf: scenario)
        let recording = try await Simulation.run { clock in
            try await ScenarioRunner(clock: clock, capture: capture).run(scenario, seed: seed, surveying: plan)
        }
        let walks = try await recording.survey?.walks { name in
            estimator ?? .ours(scenario.receivers.first { $0.id == name }?.listener?.estimator ?? .strongest)
        }
        let samples = Dictionary(
            (walks ?? []).map { ($0.subject, $0.samples) }, uniquingKeysWith: { first, _ in first })
        return ScenarioResult(
            scenario: scenario, seed: seed,
            verdicts: scenario.expectations.map { ScenarioVerdict($0, recording.trace, samples) },
            refusals: recording.refusals, samples: samples)
    }
}

/// Runs scenarios, each on an air of its own.
struct ScenarioRunner: Sendable {
    private let clock: any Clock<Duration>
    private let capture: CaptureFile?

    /// - Parameters:
    ///   - clock: the time of the scenarios.
    ///   - capture: the file of the HCI traffic; only for one scenario.
    init(clock: any Clock<Duration>, capture: CaptureFile? = nil) {
        self.clock = clock
        self.capture = capture
    }

    /// The trace of a run, which the tasks of all receivers write.
    private final class Recorder: Sendable {
        let trace = Mutex(ScenarioTrace())
    }

    /// Runs a scenario.
    /// - Parameters:
    ///   - seed: the seed of the air.
    ///   - survey: whose places are recorded for estimators; `nil` for none.
    /// - Throws: `EmulatorError` or `RadioError` if the beacons cannot run.
    func run(_ scenario: Scenario, seed: UInt64, surveying survey: SurveyPlan?) async throws -> ScenarioRecording {
        let propagation = Propagation(for: [scenario.profile])
        let options = VirtualAirOptions(seed: seed, propagation: propagation, servers: [])
        let air = AirRun([scenario.profile], on: options, clock: clock, capture: capture)
        let elapsed = Timekeeper(clock).now
        let regions = Self.regions(of: scenario)
        let recorder = Recorder()
        recorder.trace.withLock { trace in
            for receiver in scenario.receivers { trace.receivers[receiver.id] = ScenarioTrace.Receiver(regions) }
        }
        let events = air.emulator.events.listen()
        let recordings = [
            Task {
                for await posted in events { recorder.trace.withLock { $0.note(posted.event, at: elapsed()) } }
            }
        ]
        for receiver in scenario.receivers {
            try await air.emulator.addListener(
                receiver,
                Self.settings(
                    of: receiver, regions, hasRegions: !scenario.regions.isEmpty, exponent: propagation.pathExponent)
            ) { observation in recorder.trace.withLock { $0.receivers[receiver.id]?.take(observation) } }
        }
        let (refusals, trace, places) = try await air.run {
            let connections = ScenarioConnections(
                air.radio, clock: clock,
                address: { pair in recorder.trace.withLock { $0.address(of: pair.beacon, at: pair.receiver) } },
                report: { event, pair in recorder.trace.withLock { $0.note(event, pair, at: elapsed()) } })
            async let places = Self.places(survey, until: scenario.duration, on: air.emulator, clock, elapsed)
            var refusals = await perform(scenario.steps, on: air.emulator, connections, elapsed)
            try? await clock.sleep(for: max(.zero, scenario.duration - elapsed()))
            refusals += await connections.finish()
            for receiver in air.emulator.listeners.all { await receiver.settle() }
            refusals.sort { ($0.step.time, $0.step.line) < ($1.step.time, $1.step.line) }
            return (refusals, recorder.trace.withLock { $0 }, await places)
        }
        for recording in recordings {
            recording.cancel()
            await recording.value
        }
        return ScenarioRecording(
            trace: trace, refusals: refusals,
            survey: survey.map { SurveyTrace($0, of: scenario.profile, propagation, trace, places) })
    }

    /// Where the subjects of a survey are, once a period; `nil` for one without a place.
    private static func places(
        _ survey: SurveyPlan?, until end: Duration, on emulator: Emulator, _ clock: any Clock<Duration>,
        _ elapsed: @Sendable () -> Duration
    ) async -> [String: [Position?]] {
        var places: [String: [Position?]] = [:]
        guard let survey else { return places }
        var time = survey.period
        while time <= end, (try? await clock.sleep(for: max(.zero, time - elapsed()))) != nil {
            for subject in survey.subjects {
                places[subject, default: []].append(await emulator.air.position(of: subject))
            }
            time += survey.period
        }
        return places
    }

    /// The settings of a receiver, which monitors the regions of the scenario. Without a phone it receives all packets without
    /// scan requests, and estimates distances with the exponent of the air.
    private static func settings(
        of receiver: ReceiverDefinition, _ regions: [RegionList.Entry], hasRegions: Bool, exponent: Double
    ) -> ListenerSettings {
        var settings: ListenerSettings
        if let listener = receiver.listener {
            settings = listener
        } else {
            settings = ListenerSettings(scan: ScanParameters(isActive: false))
            settings.phone.ranging = Ranging.Settings(model: .logDistance(exponent: exponent))
            settings.traits = receiver.traits
        }
        // The regions of beacons that expectations name are no filter of an app.
        settings.isFiltered = !settings.regions.isEmpty || hasRegions
        settings.regionLimit = nil
        settings.regions += regions
        return settings
    }

    /// The regions of the scenario, and one for each beacon that an expectation names instead of a region.
    private static func regions(of scenario: Scenario) -> [RegionList.Entry] {
        let named = Set(scenario.regions.map(\.identifier))
        let own = scenario.profile.beacons.compactMap { beacon -> RegionList.Entry? in
            guard !named.contains(beacon.id), let identity = beacon.device.identity,
                let identifiers = BeaconRegion.Identifiers(of: identity)
            else { return nil }
            return RegionList.Entry(identifier: beacon.id, identifiers)
        }
        return scenario.regions + own
    }

    private func perform(
        _ steps: [ScenarioStep], on emulator: Emulator, _ connections: ScenarioConnections,
        _ elapsed: @Sendable () -> Duration
    ) async -> [ScenarioResult.Refusal] {
        var refusals: [ScenarioResult.Refusal] = []
        for step in steps {
            let rest = step.time - elapsed()
            if rest > .zero { try? await clock.sleep(for: rest) }
            if case .onConnection(let change, let receiver, let beacon) = step.action {
                await connections.begin(step, change, ScenarioConnections.Pair(receiver: receiver, beacon: beacon))
                continue
            }
            do throws(EmulatorError) {
                try await emulator.perform(step.action)
            } catch {
                refusals.append(ScenarioResult.Refusal(step: step, message: "\(error)"))
            }
        }
        return refusals
    }
}
