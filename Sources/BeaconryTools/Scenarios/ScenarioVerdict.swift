// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
package import Profiles
import Receiving

/// Whether an expectation was met, and the moment when that was decided.
package struct ScenarioVerdict: Sendable {
    /// What was expected.
    package let expectation: ScenarioExpectation
    /// Since the start.
    package let moment: Duration
    /// What happened instead, as a clause; `nil` if the expectation was met.
    package let fault: String?

    /// Checks an expectation against what happened.
    package init(_ expectation: ScenarioExpectation, _ trace: ScenarioTrace) {
        self.expectation = expectation
        let receiver = expectation.receiver ?? ""
        let outcome: Outcome
        switch expectation.subject {
        case .enters(let region): outcome = Self.events(.entered, region, receiver, trace, expectation.time)
        case .exits(let region): outcome = Self.events(.exited, region, receiver, trace, expectation.time)
        case .sees(let beacon):
            let times = trace.reports(of: beacon, at: receiver).map(\.time)
            outcome = Self.check(times.map { Sample(time: $0, isMet: true, text: "it was seen") }, expectation.time)
        case .nearest(let beacon):
            let samples = (trace.receivers[receiver]?.ranged ?? []).map { ranged in
                let nearest = ranged.beacons.first.map { trace.owners[$0.address] ?? "another beacon" }
                return Sample(
                    time: ranged.time, isMet: nearest == beacon,
                    text: nearest.map { "\($0) was the nearest" } ?? "no beacon was in range")
            }
            outcome = Self.check(samples, expectation.time)
        case .distance(let beacon, let metres):
            let samples = (trace.receivers[receiver]?.ranged ?? []).compactMap { ranged -> Sample? in
                let entry = ranged.beacons.first { trace.owners[$0.address] == beacon }
                guard let distance = entry?.distance else { return nil }
                let text = "it was \((distance * 100).rounded() / 100) m"
                return Sample(time: ranged.time, isMet: metres.contains(distance), text: text)
            }
            outcome = Self.check(samples, expectation.time)
        case .rssi(let beacon, let range):
            let samples = trace.reports(of: beacon, at: receiver).compactMap { report in
                report.rssi.map { Sample(time: report.time, isMet: range.contains($0), text: "it was \(Int($0)) dBm") }
            }
            outcome = Self.check(samples, expectation.time)
        case .reports(let beacon, let count):
            outcome = Self.count(trace.reports(of: beacon, at: receiver).map(\.time), count, expectation.time)
        case .air(let beacon, let isOn):
            outcome = Self.state(trace.air[beacon] ?? [], isOn, expectation.time) { change in
                guard let change else { return "it never was on the air" }
                return "it has been \(change.isOn ? "on" : "off") the air since \(ScenarioTime.text(change.time))"
            }
        case .connected(let beacon):
            let changes = trace.receivers[receiver]?.connections[beacon] ?? []
            outcome = Self.state(changes, true, expectation.time) { change in
                guard let change else { return "it never was connected" }
                let state = change.isOn ? "connected" : "disconnected"
                return "it has been \(state) since \(ScenarioTime.text(change.time))"
            }
        case .value(let beacon, let characteristic, let value):
            let values = trace.receivers[receiver]?.values[beacon] ?? []
            let samples = values.filter { $0.characteristic == characteristic }.map {
                Sample(time: $0.time, isMet: $0.value == value, text: "it was \(Hexadecimal.string($0.value))")
            }
            outcome = Self.check(samples, expectation.time)
        }
        moment = outcome.moment
        fault = outcome.fault
    }

    private typealias Outcome = (moment: Duration, fault: String?)

    /// An observation.
    private struct Sample {
        let time: Duration
        let isMet: Bool
        let text: String
    }

    private static func events(
        _ kind: RegionEvent.Kind, _ region: String, _ receiver: String, _ trace: ScenarioTrace,
        _ time: ScenarioExpectation.Time
    ) -> Outcome {
        let events = trace.receivers[receiver]?.regions ?? []
        let samples = events.filter { $0.kind == kind && $0.region.identifier == region }.map {
            Sample(time: $0.time, isMet: true, text: kind == .entered ? "it entered" : "it exited")
        }
        return check(samples, time)
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
                period.upperBound, other.map { "\($0.text) first at \(ScenarioTime.text($0.time))" } ?? "it never did"
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
        _ times: [Duration], _ range: ClosedRange<Int>, _ time: ScenarioExpectation.Time
    ) -> Outcome {
        guard case .once(let period) = time else { return (time.end, "a number needs a period") }
        let within = times.filter { period.contains($0) }
        if within.count > range.upperBound { return (within[range.upperBound], "there were \(within.count)") }
        return (period.upperBound, range.contains(within.count) ? nil : "there were \(within.count)")
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
