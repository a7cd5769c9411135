// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
package import Bluetooth

/// Why a calibration has no result.
package enum CalibrationError: Error, Hashable, CustomStringConvertible {
    /// Two beacons were received; the RSSI must come from only one.
    case moreThanOneBeacon(BeaconIdentity, BeaconIdentity)
    /// It was stopped before its end.
    case cancelled
    /// No advertisement of the beacon had an RSSI. The count is the number of advertisements without one.
    case noneFound(withoutRSSI: Int)
    /// A calibration is running already.
    case alreadyRunning

    /// One sentence, without its full stop.
    package var description: String {
        switch self {
        case .moreThanOneBeacon(let first, let second):
            "more than one beacon was received, \(first) and \(second); switch the others off, or name the one to "
                + "calibrate by its major and minor number"
        case .cancelled: "the calibration was cancelled before its end"
        case .noneFound(0): "no beacon of this kind was received; is it on, and one metre away?"
        case .noneFound(let count):
            "the beacon was received \(count) time\(count == 1 ? "" : "s"), but the radio reported no RSSI"
        case .alreadyRunning: "a calibration is running already; wait for its end, or cancel it"
        }
    }
}

/// The result of a calibration.
package struct CalibrationResult: Hashable, Sendable {
    /// The beacon, with the measured power that it advertises now.
    package let beacon: IBeacon
    /// The RSSI at one metre.
    package let measuredPower: MeasuredPower
    /// The number of RSSI samples.
    package let samples: Int
    /// The number of samples that were left out at each end.
    package let trimmed: Int

    package init(beacon: IBeacon, measuredPower: MeasuredPower, samples: Int, trimmed: Int) {
        self.beacon = beacon
        self.measuredPower = measuredPower
        self.samples = samples
        self.trimmed = trimmed
    }
}

/// Determines the RSSI of a beacon at one metre, in the way of Apple's sample AirLocate.
///
/// The receiver is held one metre away for 20 seconds. The RSSI samples are sorted, a tenth of them, truncated, is
/// left out at each end, and the integer part of the others' mean is the measured power. Every advertisement is a
/// sample, unless the radio does not report its RSSI. A second beacon ends it at once. A value without a clock.
package struct Calibration: Sendable {
    /// How a calibration ends.
    package typealias Outcome = Result<CalibrationResult, CalibrationError>

    /// The beacons of which one is received.
    package let filter: BeaconFilter
    /// The time of sampling.
    package let duration: Duration

    private struct Run {
        let start: Duration
        var beacon: IBeacon?
        var withoutRSSI = 0
        var samples = TrimmedSamples()
    }

    private var run: Run?

    /// A calibration of the one beacon that the filter lets through, which is not running yet.
    package init(_ filter: BeaconFilter, duration: Duration = .seconds(20)) {
        self.filter = filter
        self.duration = duration
    }

    /// A calibration of the one beacon of a region, which is not running yet.
    package init(_ region: BeaconRegion, duration: Duration = .seconds(20)) {
        self.init(.regions([region]), duration: duration)
    }

    /// Whether it is running.
    package var isRunning: Bool { run != nil }
    /// When it ends; `nil` if it is not running.
    package var nextDeadline: Duration? { run.map { $0.start + duration } }

    /// The progress at a time, from 0 to 1; 0 if it is not running.
    package func progress(at time: Duration) -> Double {
        guard let run else { return 0 }
        guard duration > .zero else { return 1 }
        return min(max((time - run.start) / duration, 0), 1)
    }

    /// Begins; again after it has ended.
    /// - Throws: `CalibrationError.alreadyRunning`.
    package mutating func start(at time: Duration) throws(CalibrationError) {
        guard run == nil else { throw .alreadyRunning }
        run = Run(start: time)
    }

    /// Ends it early.
    /// - Returns: `CalibrationError.cancelled`, if it was running.
    package mutating func cancel() -> Outcome? {
        guard run != nil else { return nil }
        run = nil
        return .failure(.cancelled)
    }

    /// Takes an input.
    /// - Returns: the outcome, if this input ended the calibration.
    package mutating func take(_ reception: Reception) -> Outcome? {
        if let outcome = advance(to: reception.time) { return outcome }
        guard case .received(let sighting, let time) = reception else { return nil }
        for beacon in sighting.beacons {
            if let outcome = receive(beacon, rssi: sighting.rssi, at: time) { return outcome }
        }
        return nil
    }

    /// Takes an advertisement.
    /// - Returns: the outcome, if the calibration has ended.
    package mutating func receive(_ beacon: IBeacon, rssi: RSSI?, at time: Duration) -> Outcome? {
        if let outcome = advance(to: time) { return outcome }
        guard run != nil, filter.contains(beacon) else { return nil }
        if let first = run?.beacon, BeaconIdentity(first) != BeaconIdentity(beacon) {
            run = nil
            return .failure(.moreThanOneBeacon(BeaconIdentity(first), BeaconIdentity(beacon)))
        }
        run?.beacon = beacon
        if let rssi = rssi.known {
            run?.samples.add(rssi)
        } else {
            run?.withoutRSSI += 1
        }
        return nil
    }

    /// Advances the time.
    /// - Returns: the outcome, if the calibration has ended.
    package mutating func advance(to time: Duration) -> Outcome? {
        guard let ended = run, time >= ended.start + duration else { return nil }
        run = nil
        guard let beacon = ended.beacon, let mean = ended.samples.mean else {
            return .failure(.noneFound(withoutRSSI: ended.withoutRSSI))
        }
        return .success(
            CalibrationResult(
                beacon: beacon, measuredPower: MeasuredPower(Int8(mean)), samples: ended.samples.count,
                trimmed: ended.samples.trimmed))
    }
}
