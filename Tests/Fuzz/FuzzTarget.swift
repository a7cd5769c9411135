// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Glibc
import TestSupport

/// A parser with the source of its input.
struct FuzzTarget: Sendable {
    /// The result of an input.
    enum Outcome: Sendable {
        case parsed, refused
    }

    let name: String
    /// The share of the iterations beside other targets: less for a slow parser.
    var divisor = 1
    /// Generates an input.
    let input: @Sendable (inout SplitMix64) -> [UInt8]
    /// Parses an input and checks the result; a violation ends the process.
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

/// The results of a target's inputs.
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

    /// A line for the console.
    var line: String {
        let tenths = Int((seconds * 10).rounded())
        let time = "\(tenths / 10).\(tenths % 10) s"
        return "\(target): \(iterations) iterations, \(parsed) parsed, \(refused) refused, \(time)"
    }

    /// Ends the process with a message.
    static func fail(_ sentence: String) -> Never {
        let line = Array("beaconry-fuzz: \(sentence)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
        exit(EXIT_FAILURE)
    }
}

/// The arguments of the command line.
struct FuzzArguments {
    struct Fault: Error { let message: String }

    private(set) var iterations = 1_000_000
    private(set) var seed: UInt64 = 1
    private(set) var target: String?
    private(set) var traces = false

    init(_ arguments: some Sequence<String>) throws(Fault) {
        var rest = Array(arguments)[...]
        while let option = rest.popFirst() {
            switch option {
            case "--iterations": iterations = try Self.number(rest.popFirst(), of: option)
            case "--seed": seed = try Self.number(rest.popFirst(), of: option)
            case "--target": target = rest.popFirst()
            case "--trace": traces = true
            default: throw Fault(message: "there is no option \(option)")
            }
        }
    }

    private static func number<Value: FixedWidthInteger>(_ text: String?, of option: String) throws(Fault) -> Value {
        guard let number = text.flatMap(Value.init), number >= 0 else {
            throw Fault(message: "\(option) needs a number")
        }
        return number
    }
}

/// Damage to bytes of any format.
enum Mutation {
    private static let extremes: [UInt8] = [0, 1, 0x7F, 0x80, 0xFE, 0xFF]

    /// Up to `maximum` random bytes.
    static func noise(_ maximum: Int, _ generator: inout SplitMix64) -> [UInt8] {
        generator.bytes(Int.random(in: 0...maximum, using: &generator))
    }

    /// One of the samples, damaged in up to `count` places, sometimes in none.
    static func damaged(_ samples: [[UInt8]], count: Int = 4, _ generator: inout SplitMix64) -> [UInt8] {
        var bytes = samples.randomElement(using: &generator) ?? []
        for _ in 0..<Int.random(in: 0...count, using: &generator) { damage(&bytes, samples, &generator) }
        return bytes
    }

    private static func damage(_ bytes: inout [UInt8], _ samples: [[UInt8]], _ generator: inout SplitMix64) {
        guard let index = bytes.indices.randomElement(using: &generator) else {
            bytes = noise(8, &generator)
            return
        }
        let end = min(bytes.endIndex, index + Int.random(in: 1...8, using: &generator))
        switch Int.random(in: 0...8, using: &generator) {
        case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
        case 1: bytes[index] ^= 1 << UInt8.random(in: 0...7, using: &generator)
        case 2: bytes[index] = extremes.randomElement(using: &generator) ?? 0
        case 3: bytes.insert(contentsOf: noise(8, &generator), at: index)
        case 4: bytes.removeSubrange(index..<end)
        case 5: bytes.removeSubrange(index...)
        case 6: bytes.insert(contentsOf: bytes[index..<end], at: index)
        case 7:
            let extreme = extremes.randomElement(using: &generator) ?? 0
            for place in index..<min(bytes.endIndex, index + 4) { bytes[place] = extreme }
        default:
            let other = samples.randomElement(using: &generator) ?? []
            guard let cut = other.indices.randomElement(using: &generator) else { return }
            bytes.replaceSubrange(index..., with: other[cut...])
        }
    }
}
