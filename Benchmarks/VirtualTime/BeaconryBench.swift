// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc

/// Measures what needs neither peers nor a socket: the air in virtual time, and its clock in real time.
///
/// It prints a JSON object a line, for `Benchmarks/bench.py`. Arguments are the names of rows with many receivers, or `crowd`
/// for all of these, or `phones` for the presets of phones; without arguments it measures the other rows. `collisions` prints the
/// table of docs/physics.md instead.
@main
struct BeaconryBench {
    /// A row of the table.
    struct Figure: Encodable {
        var what: String
        var ours: String
        var theirs = ""
        var ratio = ""
        var goal = ""
    }

    static func main() async throws {
        let names = CommandLine.arguments.dropFirst()
        for crowd in Crowd.all where names.contains(crowd.name) || names.contains("crowd") { report(crowd.figure()) }
        if names.contains("phones") { for figure in Phones.figures() { report(figure) } }
        if names.contains("collisions") { for line in Collisions.table() { print(line) } }
        guard names.isEmpty else { return }
        report(VirtualTime.meanInterval())
        report(VirtualTime.hour())
        report(try await LiveEmission.lateness(isReceived: false))
        report(try await LiveEmission.lateness(isReceived: true))
    }

    private static func report(_ figure: Figure) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(figure) else { return }
        print(String(decoding: data, as: UTF8.self))
        fflush(nil)
    }
}

extension Double {
    /// With so many digits after the point.
    func text(_ digits: Int) -> String {
        let scale = pow(10, Double(digits))
        let (whole, rest) = Int((magnitude * scale).rounded()).quotientAndRemainder(dividingBy: Int(scale))
        let fraction = String(rest)
        return "\(self < 0 ? "-" : "")\(whole).\(String(repeating: "0", count: digits - fraction.count))\(fraction)"
    }
}
