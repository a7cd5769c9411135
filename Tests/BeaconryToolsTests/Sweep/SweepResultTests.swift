// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import JSON
import Profiles
import Testing

@testable import BeaconryTools

/// Lines of results, their table, and the report.
struct SweepResultTests {
    private static let header = """
        {"v":1,"sweep":"0123","name":"rooms","version":"beaconry 1","seeds":"1..20","variants":["wall=3dB","wall=9dB"],"baselines":[null,0]}
        """

    private func node(_ text: String) throws -> JSONNode { try JSONNode(parsing: Array(text.utf8), .own) }

    private func table() throws -> SweepTable {
        try SweepTable(try #require(SweepHeader(try node(Self.header))))
    }

    private func lines() throws -> [SweepLine] {
        try ["wall=3dB", "wall=9dB"].enumerated().flatMap { number, variant in
            try (1...20).map { seed in
                let error = 1 + Double(seed % 5) / 7 - Double(number) * 0.4
                let text = """
                    {"v":1,"sweep":"0123","variant":"\(variant)","seed":\(seed),"passed":true,"figures":{"z: seen":\(seed % 3 == 0 ? 0 : 1),\
                    "a: near":\(number),"x":\(error),"none":null}}
                    """
                return try #require(SweepLine(try node(text)))
            }
        }
    }

    @Test func linesAndHeadersAreReadAsTheyAreWritten() throws {
        let header = try #require(SweepHeader(try node(Self.header)))
        #expect(SweepHeader(try node(header.line)) == header)
        for line in try lines() {
            let again = try #require(SweepLine(try node(line.text)))
            #expect(again.text == line.text && again.figures.map(\.name) == ["z: seen", "a: near", "x", "none"])
        }
        let large =
            #"{"v":1,"sweep":"0","variant":"\"a\"","seed":"18446744073709551615","passed":false,"figures":{"a \"b\"":1}}"#
        let line = try #require(SweepLine(try node(large)))
        #expect(line.text == large)
        for wrong in ["{}", "[1]", #"{"sweep":"0","variant":"a","seed":-1,"passed":true,"figures":{}}"#, "1"] {
            let node = try node(wrong)
            #expect(SweepLine(node) == nil && SweepHeader(node) == nil)
        }
    }

    @Test func reportDoesNotDependOnTheOrderOfTheLines() throws {
        var generator = SplitMix64(seed: 5)
        let lines = try lines()
        var reports: Set<[String]> = []
        for _ in 0..<20 {
            var table = try table()
            for line in lines.shuffled(using: &generator) { table.add(line, of: try table.number(of: line)) }
            let report = SweepReport(table)
            reports.insert(report.lines + report.markdown)
        }
        #expect(reports.count == 1)
        let report = try #require(reports.first)
        #expect(report[0] == "sweep rooms: 40 runs, 2 variants, seeds 1..20")
        // In the order of the file, and without figures that have no values.
        #expect(
            report.filter { !$0.contains(" ") || $0.contains(": ") }.prefix(4).dropFirst() == [
                "z: seen", "a: near", "x",
            ])
        #expect(report.contains { $0.hasPrefix("  20    100 %") && $0.contains("+100") && $0.contains("better") })
    }

    @Test func missingRunsAreListed() throws {
        var table = try table()
        for line in try lines() where line.seed > 12 || line.variant == "wall=9dB" && line.seed != 4 {
            table.add(line, of: try table.number(of: line))
        }
        let report = SweepReport(table).lines
        #expect(report[0] == "sweep rooms: 27 of 40 runs, 2 variants, seeds 1..20")
        #expect(report[1] == "missing: wall=3dB with seeds 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, … (12 in all)")
        #expect(report[2] == "missing: wall=9dB with seed 4")
        // Comparisons are of pairs.
        #expect(report.contains { $0.contains("wall=9dB against wall=3dB") })
    }

    @Test func aRunIsCountedOnce() throws {
        var table = try table()
        let line = try lines()[3]
        for _ in 0..<3 { table.add(line, of: try table.number(of: line)) }
        #expect(table.doneCount == 1 && table.isDone.count { $0 } == 1)
    }

    @Test func shardsHaveEachRunOnceAndEachVariantAlike() throws {
        for count in 1...7 {
            var known: [Int] = []
            for number in 1...count {
                var order = SweepOrder(
                    variants: 3, seeds: 50, shard: try SweepShard("\(number)/\(count)"),
                    isDone: Array(repeating: false, count: 150))
                var own: [Int] = []
                while let run = order.next() { own.append(run) }
                let counts = (0..<3).map { variant in own.count { $0 / 50 == variant } }
                #expect((counts.max() ?? 0) - (counts.min() ?? 0) <= 1)
                known += own
            }
            #expect(known.sorted() == Array(0..<150))
        }
    }

    @Test(arguments: ["", "1", "0/4", "5/4", "a/b", "1/0", "1/2/3", "-1/4"]) func wrongShardsAreRefused(_ text: String)
    {
        #expect(throws: (any Error).self) { try SweepShard(text) }
    }

    @Test func runsOfAllVariantsComeFirstForTheFirstSeeds() {
        var order = SweepOrder(variants: 2, seeds: 20, shard: .whole, isDone: Array(repeating: false, count: 40))
        var runs: [Int] = []
        while let run = order.next() { runs.append(run) }
        #expect(runs == Array(0..<16) + Array(20..<36) + Array(16..<20) + Array(36..<40))
    }
}
