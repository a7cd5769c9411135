// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import CYaml

/// Measures how deep a YAML text is nested, before a parser that recurses reads it.
///
/// libyaml's events come from a loop with a stack of its own on the heap, so the measure works on any thread's stack.
enum NestingMeasure {
    /// More than any profile needs.
    static let limit = 64

    /// Line and column, from 1, where a text is nested deeper than the limit; `nil` where it is not, or where it stops to be YAML before that.
    static func excess(in text: String) -> (line: Int, column: Int)? {
        // On the heap, since the parser has a pointer to itself.
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
                // It reads ahead of its events, and gives up at 1,000 levels.
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
