// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
package import Profiles
import Receiving
import Space

/// Whether an expectation was met, and the moment when that was decided.
package struct ScenarioVerdict: Sendable {
    /// What was expected.
    package let expectation: ScenarioExpectation
    /// Since the start.
    package let moment: Duration
    /// What happened instead, as a clause; `nil` if the expectation was met.
    package let fault: String?

    /// Checks an expectation against what happened.
    package init(_ expectation: ScenarioExpectation, _ trace: ScenarioTrace) { self.init(expectation, trace, [:]) }

    /// Checks an expectation against what happened.
    /// - Parameter samples: the places of receivers and their estimates, by the names of the receivers.
    init(_ expectation: ScenarioExpectation, _ trace: ScenarioTrace, _ samples: [String: [SurveySample]]) {
        self.expectation = expectation
        let outcome = Self.outcome(of: expectation, trace, samples[expectation.receiver ?? ""] ?? [])
        moment = outcome.moment
        fault = outcome.fault
    }

    private static func outcome(
        of expectation: ScenarioExpectation, _ trace: ScenarioTrace, _ estimates: [SurveySample]
    ) -> Outcome {
        let time = expectation.time
        let receiver = trace.receivers[expectation.receiver ?? ""] ?? ScenarioTrace.Receiver()
        var samples: [Sample]
        switch expectation.subject {
        case .enters(let region): samples = regionEvents(.entered, region, receiver, "it entered")
        case .exits(let region): samples = regionEvents(.exited, region, receiver, "it exited")
        case .announces(let region, let kind):
            samples = receiver.announcements.filter { $0.region == region && $0.kind == kind }.map {
                Sample(time: $0.time, isMet: true, text: "it got the \(kind.rawValue)")
            }
        case .sees(let beacon):
            samples = reports(of: beacon, expectation, trace).map {
                Sample(time: $0.time, isMet: true, text: "it was seen")
            }
        case .nearest(let beacon):
            samples = receiver.ranged.map { ranged in
                let nearest = ranged.beacons.first.map { trace.owners[$0.address] ?? "another beacon" }
                return Sample(
                    time: ranged.time, isMet: nearest == beacon,
                    text: nearest.map { "\($0) was the nearest" } ?? "no beacon was in range")
            }
        case .distance(let beacon, let metres):
            samples = receiver.ranged.compactMap { ranged in
                let entry = ranged.beacons.first { trace.owners[$0.address] == beacon }
                guard let distance = entry?.distance else { return nil }
                let text = "it was \((distance * 100).rounded() / 100) m"
                return Sample(time: ranged.time, isMet: metres.contains(distance), text: text)
            }
        case .proximity(let beacon, let proximities):
            samples = receiver.ranged.map { ranged in
                let proximity = ranged.beacons.first { trace.owners[$0.address] == beacon }?.proximity
                return Sample(
                    time: ranged.time, isMet: proximity.map(proximities.contains) ?? false,
                    text: proximity.map { "it was \($0.rawValue)" } ?? "it was not in range")
            }
        case .rssi(let beacon, let range):
            samples = reports(of: beacon, expectation, trace).compactMap { report in
                report.rssi.map { Sample(time: report.time, isMet: range.contains($0), text: "it was \(Int($0)) dBm") }
            }
        case .reports(let beacon, let count):
            return Self.count(reports(of: beacon, expectation, trace).map(\.time), count, time)
        case .air(let beacon, let isOn):
            return state(trace.air[beacon] ?? [], isOn, time) { change in
                guard let change else { return "it never was on the air" }
                return "it has been \(change.isOn ? "on" : "off") the air since \(DeviceWriter.text(change.time))"
            }
        case .connected(let beacon):
            return state(receiver.connections[beacon] ?? [], true, time) { change in
                guard let change else { return "it never was connected" }
                let state = change.isOn ? "connected" : "disconnected"
                return "it has been \(state) since \(DeviceWriter.text(change.time))"
            }
        case .strongest(let strongest):
            samples = levels(of: expectation.beacon ?? "", trace, until: time.end).map { sample in
                Sample(
                    time: sample.time, isMet: sample.receiver == strongest,
                    text: "it was strongest at \(sample.receiver)")
            }
        case .roomError(let bound):
            let figures = figures(estimates, time)
            return (
                time.end,
                bounded(figures.roomError, of: figures, by: bound, none: "the receiver was in no room") {
                    "it was \(PassRate.percent($0))"
                }
            )
        case .medianError(let bound):
            let figures = figures(estimates, time)
            return (
                time.end,
                bounded(figures.median, of: figures, by: bound, none: "no place was estimated") {
                    "it was \(Formatting.metres($0)) m"
                }
            )
        case .value(let beacon, let characteristic, let value):
            samples = (receiver.values[beacon] ?? []).filter { $0.characteristic == characteristic }.map {
                Sample(time: $0.time, isMet: $0.value == value, text: "it was \(Hexadecimal.string($0.value))")
            }
        }
        if let count = expectation.count {
            return Self.count(samples.filter(\.isMet).map(\.time), count, time, listsTimes: true)
        }
        return expectation.hold.map { checkHeld(samples, for: $0, time) } ?? check(samples, time)
    }

    private typealias Outcome = (moment: Duration, fault: String?)

    /// An observation.
    private struct Sample {
        let time: Duration
        let isMet: Bool
        let text: String
    }

    private static func regionEvents(
        _ kind: RegionEvent.Kind, _ region: String, _ receiver: ScenarioTrace.Receiver, _ text: String
    ) -> [Sample] {
        receiver.regions.filter { $0.kind == kind && $0.region.identifier == region }.map {
            Sample(time: $0.time, isMet: true, text: text)
        }
    }

    /// The figures of the samples in a period.
    private static func figures(_ samples: [SurveySample], _ time: ScenarioExpectation.Time) -> SurveyFigures {
        SurveyFigures([samples.filter { time.period.contains($0.time) }], every: .seconds(1), isGrid: false)
    }

    /// What is wrong with a value, as a clause; `nil` for one within the bound.
    private static func bounded(
        _ value: Double?, of figures: SurveyFigures, by bound: Double, none: String, _ text: (Double) -> String
    ) -> String? {
        guard figures.samples > 0 else { return "no estimate is in this period: there is one a second" }
        guard let value else { return none }
        return value <= bound ? nil : text(value)
    }

    /// The receiver with the highest mean RSSI of a beacon, once a second; of a time at which none receives it, there is none.
    private static func levels(
        of beacon: String, _ trace: ScenarioTrace, until end: Duration
    ) -> [(time: Duration, receiver: String)] {
        let readings = trace.receivers.keys.sorted().flatMap { receiver in
            trace.levels(of: beacon, at: receiver).map { AnchorReading(at: $0.time, receiver, rssi: $0.rssi) }
        }.sorted { $0.time < $1.time }
        let places = trace.receivers.keys.sorted().map { (name: $0, position: Position(x: 0, y: 0)) }
        let map = AnchorMap(places, in: Building(), SignalModel(exponent: 2))
        var estimator = PlaceEstimator(.strongest, map)
        var next = readings.startIndex
        var found: [(time: Duration, receiver: String)] = []
        var time = Duration.seconds(1)
        while time <= end {
            while next < readings.endIndex, readings[next].time <= time {
                estimator.take(readings[next])
                next += 1
            }
            if let receiver = estimator.strongestAnchor(at: time) { found.append((time, receiver)) }
            time += .seconds(1)
        }
        return found
    }

    private static func reports(
        of beacon: String, _ expectation: ScenarioExpectation, _ trace: ScenarioTrace
    ) -> [(time: Duration, rssi: Double?)] {
        trace.reports(of: beacon, at: expectation.receiver ?? "")
    }

    /// Checks whether all samples of some duration within the period are met.
    private static func checkHeld(
        _ samples: [Sample], for duration: Duration, _ time: ScenarioExpectation.Time
    ) -> Outcome {
        var since: Duration?
        var longest: Duration?
        let held = samples.filter { time.period.contains($0.time) }.map { sample in
            since = sample.isMet ? since ?? sample.time : nil
            let lasted = since.map { sample.time - $0 }
            longest = [longest, lasted].compactMap(\.self).max()
            return Sample(
                time: sample.time, isMet: lasted.map { $0 >= duration } ?? false,
                text: lasted.map { "it was so for \(DeviceWriter.text($0))" } ?? sample.text)
        }
        let outcome = check(held, time)
        guard case .once = time, outcome.fault != nil, let longest else { return outcome }
        return (
            outcome.moment,
            longest == .zero ? "it was so in one report only" : "it was so for \(DeviceWriter.text(longest)) at most"
        )
    }

    private static func check(_ samples: [Sample], _ time: ScenarioExpectation.Time) -> Outcome {
        switch time {
        case .at(let moment):
            // The latest observation; an old one is not of this moment.
            guard let sample = samples.last(where: { $0.time <= moment }), moment - sample.time <= .seconds(15) else {
                return (moment, "nothing was received")
            }
            return (moment, sample.isMet ? nil : sample.text)
        case .once(let period):
            let within = samples.filter { period.contains($0.time) }
            if let met = within.first(where: \.isMet) { return (met.time, nil) }
            if let last = within.last { return (period.upperBound, last.text) }
            let other = samples.first { $0.isMet }
            return (
                period.upperBound, other.map { "\($0.text) first at \(DeviceWriter.text($0.time))" } ?? "it never did"
            )
        case .throughout(let period):
            let within = samples.filter { period.contains($0.time) }
            if let unmet = within.first(where: { !$0.isMet }) { return (unmet.time, unmet.text) }
            return (period.upperBound, within.isEmpty ? "nothing was received" : nil)
        case .never(let period):
            guard let met = samples.first(where: { period.contains($0.time) && $0.isMet }) else {
                return (period.upperBound, nil)
            }
            return (met.time, met.text)
        }
    }

    private static func count(
        _ times: [Duration], _ range: ClosedRange<Int>, _ time: ScenarioExpectation.Time, listsTimes: Bool = false
    ) -> Outcome {
        let within = times.filter { time.period.contains($0) }
        guard !range.contains(within.count) else { return (time.end, nil) }
        var text = within.count == 1 ? "there was 1" : "there were \(within.count)"
        if listsTimes, !within.isEmpty {
            let first = within.prefix(5).map(DeviceWriter.text).joined(separator: ", ")
            text += ", at \(first)\(within.count > 5 ? ", …" : "")"
        }
        return (within.count > range.upperBound ? within[range.upperBound] : time.end, text)
    }

    /// Checks a state that lasts, which is off at the start.
    /// - Parameter text: the clause about the latest change; `nil` for none.
    private static func state(
        _ changes: [(time: Duration, isOn: Bool)], _ isOn: Bool, _ time: ScenarioExpectation.Time,
        text: ((time: Duration, isOn: Bool)?) -> String
    ) -> Outcome {
        func last(at moment: Duration) -> (time: Duration, isOn: Bool)? { changes.last { $0.time <= moment } }
        func isMet(at moment: Duration) -> Bool { (last(at: moment)?.isOn ?? false) == isOn }
        switch time {
        case .at(let moment): return (moment, isMet(at: moment) ? nil : text(last(at: moment)))
        case .once(let period):
            if isMet(at: period.lowerBound) { return (period.lowerBound, nil) }
            if let met = changes.first(where: { period.contains($0.time) && $0.isOn == isOn }) {
                return (met.time, nil)
            }
            return (period.upperBound, text(last(at: period.upperBound)))
        case .throughout(let period):
            guard isMet(at: period.lowerBound) else { return (period.lowerBound, text(last(at: period.lowerBound))) }
            guard let change = changes.first(where: { period.contains($0.time) && $0.isOn != isOn }) else {
                return (period.upperBound, nil)
            }
            return (change.time, text(change))
        case .never(let period):
            if isMet(at: period.lowerBound) { return (period.lowerBound, text(last(at: period.lowerBound))) }
            guard let change = changes.first(where: { period.contains($0.time) && $0.isOn == isOn }) else {
                return (period.upperBound, nil)
            }
            return (change.time, text(change))
        }
    }
}
