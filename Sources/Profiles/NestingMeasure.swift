// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import CYaml

/// Measures how deeply a YAML text is nested, before a recursive parser reads it.
///
/// libyaml produces its events in a loop, with a stack on the heap, so that threads with small stacks can measure, too.
enum NestingMeasure {
    /// More than any profile needs.
    static let limit = 64

    /// The line and column, from 1, where a text is nested deeper than the limit; `nil` if it is not, or if it is
    /// invalid YAML up to there.
    static func excess(in text: String) -> (line: Int, column: Int)? {
        // On the heap, because the parser contains a pointer to itself.
        let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
        defer { parser.deallocate() }
        guard yaml_parser_initialize(parser) == 1 else { return nil }
        defer { yaml_parser_delete(parser) }
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        var text = text
        return text.withUTF8 { bytes in
            guard let start = bytes.baseAddress else { return nil }
            yaml_parser_set_input_string(parser, start, bytes.count)
            return excess(of: parser)
        }
    }

    private static func excess(of parser: UnsafeMutablePointer<yaml_parser_t>) -> (line: Int, column: Int)? {
        var depth = 0
        while true {
            var event = yaml_event_t()
            guard yaml_parser_parse(parser, &event) == 1 else {
                // The parser reads ahead of its events, and fails at 1,000 levels.
                let problem = parser.pointee.problem.map { String(cString: $0) } ?? ""
                return problem.contains("nesting level") ? place(parser.pointee.mark) : nil
            }
            defer { yaml_event_delete(&event) }
            switch event.type {
            case YAML_SEQUENCE_START_EVENT, YAML_MAPPING_START_EVENT: depth += 1
            case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: depth -= 1
            case YAML_STREAM_END_EVENT: return nil
            default: break
            }
            if depth > limit { return place(event.start_mark) }
        }
    }

    private static func place(_ mark: yaml_mark_t) -> (line: Int, column: Int) {
        (Int(mark.line) + 1, Int(mark.column) + 1)
    }
}
