// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Advertising
public import BluetoothCore

/// Why a calibration gave no measured power.
public enum CalibrationError: Error, Hashable, CustomStringConvertible {
    /// Two beacons of the region were heard; the strength of one of them is wanted.
    case moreThanOneBeacon(BeaconIdentity, BeaconIdentity)
    /// It was stopped before its end.
    case cancelled
    /// No strength of a beacon of the region was heard; so many advertisements were, but without a strength.
    case noneFound(withoutStrength: Int)
    /// It runs already.
    case alreadyRunning

    /// One sentence, without its full stop.
    public var description: String {
        switch self {
        case .moreThanOneBeacon(let first, let second):
            "more than one beacon was heard, \(first) and \(second); switch the others off, or name the one to "
                + "calibrate by its major and minor number"
        case .cancelled: "the calibration was cancelled before its end"
        case .noneFound(0): "no beacon of this kind was heard; is it on, and one metre away?"
        case .noneFound(let count):
            "the beacon was heard \(count) time\(count == 1 ? "" : "s"), but the radio did not tell how strong it was"
        case .alreadyRunning: "a calibration is running already; wait for its end, or cancel it"
        }
    }
}

/// What a calibration found.
public struct CalibrationResult: Hashable, Sendable {
    /// The beacon, with the measured power that it claims so far.
    public let beacon: IBeacon
    /// The strength received at one metre.
    public let measuredPower: MeasuredPower
    /// How many strengths were heard.
    public let samples: Int
    /// How many of them were left out at each end.
    public let trimmed: Int

    /// A result of these values.
    public init(beacon: IBeacon, measuredPower: MeasuredPower, samples: Int, trimmed: Int) {
        self.beacon = beacon
        self.measuredPower = measuredPower
        self.samples = samples
        self.trimmed = trimmed
    }
}

/// Finds the strength at which a beacon is received at one metre, in the way of Apple's sample AirLocate.
///
/// The receiver is held one metre away for 20 seconds. The strengths heard are sorted, a tenth of them, truncated, is
/// left out at each end, and the integer part of the others' mean is the measured power. Every advertisement gives a
/// strength; those that the radio does not know are none. A second beacon ends it at once. A value without a clock.
public struct Calibration: Sendable {
    /// How it ends.
    public typealias Outcome = Result<CalibrationResult, CalibrationError>

    /// The beacon's region.
    public let region: BeaconRegion
    /// How long it listens.
    public let duration: Duration

    private struct Run {
        let start: Duration
        var beacon: IBeacon?
        var withoutStrength = 0
        var samples = TrimmedSamples()
    }

    private var run: Run?

    /// A calibration of the one beacon of a region, which is not running yet.
    public init(_ region: BeaconRegion, duration: Duration = .seconds(20)) {
        self.region = region
        self.duration = duration
    }

    /// Whether it runs.
    public var isRunning: Bool { run != nil }
    /// When it ends; `nil` when it does not run.
    public var nextDeadline: Duration? { run.map { $0.start + duration } }

    /// How much of it is done at a time while it runs, from 0 to 1; 0 when it does not run.
    public func progress(at time: Duration) -> Double {
        guard let run else { return 0 }
        guard duration > .zero else { return 1 }
        return min(max((time - run.start) / duration, 0), 1)
    }

    /// Begins. It can be done again when it has ended.
    /// - Throws: `CalibrationError.alreadyRunning`.
    public mutating func start(at time: Duration) throws(CalibrationError) {
        guard run == nil else { throw .alreadyRunning }
        run = Run(start: time)
    }

    /// Ends it early.
    /// - Returns: `CalibrationError.cancelled`, when it was running.
    public mutating func cancel() -> Outcome? {
        guard run != nil else { return nil }
        run = nil
        return .failure(.cancelled)
    }

    /// An advertisement was heard.
    /// - Returns: how it ended, if it did.
    public mutating func hear(_ beacon: IBeacon, rssi: RSSI?, at time: Duration) -> Outcome? {
        if let outcome = advance(to: time) { return outcome }
        guard run != nil, region.contains(beacon) else { return nil }
        if let first = run?.beacon, BeaconIdentity(first) != BeaconIdentity(beacon) {
            run = nil
            return .failure(.moreThanOneBeacon(BeaconIdentity(first), BeaconIdentity(beacon)))
        }
        run?.beacon = beacon
        if let rssi = rssi.known {
            run?.samples.add(rssi)
        } else {
            run?.withoutStrength += 1
        }
        return nil
    }

    /// Time has passed.
    /// - Returns: how it ended, if it did.
    public mutating func advance(to time: Duration) -> Outcome? {
        guard let ended = run, time >= ended.start + duration else { return nil }
        run = nil
        guard let beacon = ended.beacon, let mean = ended.samples.mean else {
            return .failure(.noneFound(withoutStrength: ended.withoutStrength))
        }
        return .success(
            CalibrationResult(
                beacon: beacon, measuredPower: MeasuredPower(Int8(mean)), samples: ended.samples.count,
                trimmed: ended.samples.trimmed))
    }
}
