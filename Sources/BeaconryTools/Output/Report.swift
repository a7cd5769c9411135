// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Emulator
import JSON

/// A result of a command: an object for programs, or lines of text for people.
///
///     struct Distance: Report, Encodable {
///         let metres: Double
///         var lines: [String] { ["\(metres) m"] }
///     }
///     Output.report(Distance(metres: 2.5), as: .json)      // {"metres":2.5,"v":1}
package protocol Report {
    /// The type of the object.
    associatedtype JSON: Encodable

    /// The object, without the version of the format, which is added when it is printed.
    var json: JSON { get }
    /// The text; empty for results that only programs need.
    var lines: [String] { get }
    /// The stream for the text. Objects always go to standard output.
    static var textStream: Output.Stream { get }
}

extension Report {
    package static var textStream: Output.Stream { .results }
}

extension Report where Self: Encodable {
    package var json: Self { self }
}

extension Report {
    /// The object on one line, with the version of the format.
    var object: String { JSONLine.encode(Versioned(value: json)) }
}

/// The form of a command's results.
package enum OutputFormat: Hashable, Sendable {
    /// Lines for people.
    case text
    /// One JSON object a line.
    case json
}

extension Output {
    /// Prints a result in the given form.
    package static func report(_ report: some Report, as format: OutputFormat) {
        switch format {
        case .json: line(report.object)
        case .text:
            switch type(of: report).textStream {
            case .results: lines(report.lines)
            case .notes: report.lines.forEach(note)
            }
        }
    }
}

/// An object with the version of the format, `"v": 1`, beside its own keys.
private struct Versioned<Value: Encodable>: Encodable {
    let value: Value

    private enum Key: CodingKey {
        case v
    }

    func encode(to encoder: any Encoder) throws {
        try value.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(1, forKey: .v)
    }
}

/// An object with a text for people: the records of a run and of `check`.
package struct RecordReport<Record: Encodable>: Report {
    package let json: Record
    package let lines: [String]

    package init(_ record: Record, lines: [String]) {
        json = record
        self.lines = lines
    }
}
