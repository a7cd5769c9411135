// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices
import TestSupport
import Testing

@Suite struct QuantityTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let name: String
        let quantity: Quantity
        /// Milliseconds since power came, and the value then.
        let values: [(Int, Double)]
        /// Milliseconds since power came, and when it changes next.
        let changes: [(Int, Int?)]
        var testDescription: String { name }
    }

    private static func waveform(_ shape: Waveform.Shape, phase: Double = 0) -> Quantity {
        .waveform(Waveform(shape, range: 10...20, period: .seconds(4), phase: phase, every: .seconds(1)))
    }

    private static func counter(_ step: Int64, wraps: Bool) -> Quantity {
        .counter(Counter(start: 4, step: step, every: .milliseconds(500), range: 0...9, wraps: wraps))
    }

    private static func trace(repeats: Bool) -> Quantity {
        let points = [(1, 5.0), (2, 7.0), (4, 6.0)].map { Trace.Point(.seconds($0.0), $0.1) }
        return Trace(points, repeats: repeats).map { .trace($0) } ?? .fixed(0)
    }

    static let rows = [
        Row(name: "fixed", quantity: .fixed(3.5), values: [(0, 3.5), (100_000, 3.5)], changes: [(0, nil)]),
        Row(
            name: "counter that wraps", quantity: counter(4, wraps: true),
            values: [(0, 4), (499, 4), (500, 8), (1000, 2), (1500, 6), (2000, 0)],
            changes: [(0, 500), (499, 500), (500, 1000)]),
        Row(
            name: "counter that wraps downwards", quantity: counter(-3, wraps: true),
            values: [(0, 4), (500, 1), (1000, 8), (1500, 5)], changes: [(700, 1000)]),
        Row(
            name: "counter that stays", quantity: counter(-2, wraps: false),
            values: [(0, 4), (500, 2), (1000, 0), (90_000_000, 0)], changes: [(500, 1000), (1000, nil), (90_000, nil)]),
        Row(
            name: "counter without a step", quantity: counter(0, wraps: true), values: [(5000, 4)],
            changes: [(0, nil)]),
        Row(
            name: "sine", quantity: waveform(.sine), values: [(0, 15), (999, 15), (1000, 20), (2000, 15), (3000, 10)],
            changes: [(0, 1000), (999, 1000), (1000, 2000)]),
        Row(
            name: "triangle", quantity: waveform(.triangle),
            values: [(0, 10), (1000, 15), (2000, 20), (3000, 15), (4000, 10), (4_000_001_000, 15)], changes: []),
        Row(
            name: "square", quantity: waveform(.square), values: [(0, 20), (1999, 20), (2000, 10), (4000, 20)],
            changes: []),
        Row(
            name: "sawtooth", quantity: waveform(.sawtooth), values: [(0, 10), (1000, 12.5), (3999, 17.5), (4000, 10)],
            changes: []),
        Row(
            name: "phase", quantity: waveform(.sawtooth, phase: 1.5), values: [(0, 15), (1000, 17.5), (2000, 10)],
            changes: []),
        Row(
            name: "trace that stays", quantity: trace(repeats: false),
            values: [(0, 5), (1000, 5), (1999, 5), (2000, 7), (3999, 7), (4000, 6), (90_000, 6)],
            changes: [(0, 1000), (1000, 2000), (2500, 4000), (4000, nil)]),
        Row(
            name: "trace that repeats", quantity: trace(repeats: true),
            values: [(0, 5), (4000, 6), (5999, 6), (6000, 5), (8000, 7), (10_000, 6), (12_000, 5)],
            changes: [(0, 1000), (4000, 6000), (6000, 7000), (7000, 8000)]),
    ]

    @Test(arguments: rows)
    func valuesAreThoseOfTheTime(_ row: Row) throws {
        for (time, value) in row.values {
            let actual = row.quantity.value(at: .milliseconds(time))
            #expect(abs(actual - value) < 1e-9, "at \(time) ms: \(actual), not \(value)")
            #expect(row.quantity.bounds.contains(actual))
        }
        for (time, change) in row.changes {
            #expect(row.quantity.nextChange(after: .milliseconds(time)) == change.map { .milliseconds($0) })
        }
    }

    /// Between two changes nothing changes, and every change is announced: looking at each of them misses nothing.
    @Test(arguments: rows)
    func nothingChangesUnannounced(_ row: Row) {
        var announced: Set<Duration> = []
        var time = Duration.zero
        while let next = row.quantity.nextChange(after: time), next < .seconds(20) {
            #expect(next > time)
            announced.insert(next)
            time = next
        }
        for millisecond in 1..<20_000
        where row.quantity.value(at: .milliseconds(millisecond))
            != row.quantity.value(at: .milliseconds(millisecond - 1))
        {
            #expect(announced.contains(.milliseconds(millisecond)), "\(row.name) at \(millisecond) ms")
        }
    }

    private static func walk(seed: UInt64 = 1) -> RandomWalk {
        RandomWalk(seed: seed, start: 50, step: 2, range: 40...55, every: .milliseconds(100))
    }

    @Test func walkStaysWithinItsBoundsAndSteps() {
        let walk = Self.walk()
        var last = 50.0
        var seen: ClosedRange<Double> = 50...50
        for step in 0..<5000 {
            let value = walk.value(at: .milliseconds(100 * step + 50))
            #expect(walk.range.contains(value))
            #expect(abs(value - last) <= 2)
            seen = min(seen.lowerBound, value)...max(seen.upperBound, value)
            last = value
        }
        // It gets around.
        #expect(seen.lowerBound < 42 && seen.upperBound > 53)
        #expect(walk.value(at: .zero) == 50)
    }

    @Test func walkIsTheSameForItsSeedWhereverItIsLookedAt() {
        var settled = Quantity.randomWalk(Self.walk())
        let fresh = settled
        for second in stride(from: 0, to: 3000, by: 37) {
            settled.settle(at: .seconds(second))
            #expect(settled.value(at: .seconds(second + 5)) == fresh.value(at: .seconds(second + 5)))
        }
        // Also of a time before it was settled, as after power comes back.
        #expect(settled.value(at: .seconds(3)) == fresh.value(at: .seconds(3)))
        #expect(fresh.value(at: .seconds(90)) != Quantity.randomWalk(Self.walk(seed: 2)).value(at: .seconds(90)))
        #expect(fresh.nextSettling(after: .seconds(1)) == .seconds(1001))
    }

    @Test(arguments: [Duration.zero, .seconds(-5), .seconds(1 << 60)])
    func anyTimeHasAValue(_ time: Duration) {
        for row in Self.rows {
            #expect(row.quantity.bounds.contains(row.quantity.value(at: time)), "\(row.name)")
            if let next = row.quantity.nextChange(after: time) { #expect(next > time) }
        }
        let extreme = Counter(start: .max, step: .min, every: .zero, range: .min ... .max)
        #expect(extreme.value(at: .milliseconds(1)) == -1)
        #expect(extreme.value(at: .milliseconds(2)) == .max)
    }

    @Test(
        arguments: [
            [], [(-1, 1)], [(1, 1), (1, 2)], [(2, 1), (1, 2)], [(0, .nan)], [(0, .infinity)],
        ] as [[(Int, Double)]])
    func whatIsNoTraceIsNone(_ points: [(Int, Double)]) {
        #expect(Trace(points.map { Trace.Point(.seconds($0.0), $0.1) }, repeats: true) == nil)
    }

    @Test func traceOfOneValueIsFixed() throws {
        let trace = Quantity.trace(try #require(Trace([Trace.Point(.seconds(3), 8)], repeats: true)))
        #expect(trace.value(at: .zero) == 8)
        #expect(trace.value(at: .seconds(100)) == 8)
        #expect(trace.nextChange(after: .seconds(3)) == nil)
    }
}
