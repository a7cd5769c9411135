// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Glibc
import TestSupport

/// A parser, and where its input comes from.
struct FuzzTarget: Sendable {
    /// What came of an input.
    enum Outcome: Sendable {
        case parsed, refused
    }

    let name: String
    /// A slow parser gets its share of the iterations.
    var divisor = 1
    /// Makes an input.
    let input: @Sendable (inout SplitMix64) -> [UInt8]
    /// Parses it. What must hold of what was parsed is checked there, and ends the process where it does not.
    let parse: @Sendable ([UInt8]) -> Outcome

    func run(iterations: Int, seed: UInt64, traces: Bool) -> FuzzReport {
        var generator = SplitMix64(seed: seed)
        var report = FuzzReport(target: name, iterations: iterations)
        let start = ContinuousClock.now
        for _ in 0..<iterations {
            let bytes = input(&generator)
            if traces {
                print("\(name) \(Hexadecimal.string(bytes))")
                fflush(nil)
            }
            switch parse(bytes) {
            case .parsed: report.parsed += 1
            case .refused: report.refused += 1
            }
        }
        report.seconds = start.duration(to: .now) / .seconds(1)
        return report
    }
}

/// What came of a target's inputs.
struct FuzzReport {
    let target: String
    let iterations: Int
    var parsed = 0
    var refused = 0
    var seconds = 0.0

    init(target: String, iterations: Int) {
        self.target = target
        self.iterations = iterations
    }

    /// One line for people.
    var line: String {
        let tenths = Int((seconds * 10).rounded())
        let time = "\(tenths / 10).\(tenths % 10) s"
        return "\(target): \(iterations) iterations, \(parsed) parsed, \(refused) refused, \(time)"
    }

    /// Ends the process with a sentence.
    static func fail(_ sentence: String) -> Never {
        let line = Array("beaconry-fuzz: \(sentence)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
        exit(EXIT_FAILURE)
    }
}
