// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices

/// Replaces environment variables and merge keys in the nodes of one file.
///
/// `${NAME}` is the value of a variable, `${NAME:-text}` has a default, and `$${` is `${`. The key `<<` has a mapping, or a
/// list of mappings, whose keys are added to those beside it (https://yaml.org/type/merge.html).
struct NodeRewriter {
    /// The faults so far.
    private(set) var faults: [ProfileFault] = []
    private let file: String
    private let environment: ProfileEnvironment?

    /// A rewriter for the nodes of a file.
    init(file: String, environment: ProfileEnvironment?) {
        self.file = file
        self.environment = environment
    }

    /// A node with all below it.
    mutating func rewritten(_ node: ProfileNode) -> ProfileNode {
        switch node.content {
        case .scalar(let text):
            text.contains("${") ? ProfileNode(.scalar(replaced(text, at: node.place)), at: node.place) : node
        case .sequence(let parts): ProfileNode(.sequence(parts.map { rewritten($0) }), at: node.place)
        case .mapping(let mapping): ProfileNode(.mapping(merged(mapping)), at: node.place)
        }
    }

    private mutating func add(_ message: String, at place: TextPlace) {
        faults.append(
            ProfileFault(
                file: place.file?.path ?? file, line: place.line, column: place.column, field: "", message: message))
    }

    // MARK: - Merge keys

    private mutating func merged(_ mapping: ProfileNode.Mapping) -> ProfileNode.Mapping {
        var pairs = mapping.pairs.filter { $0.key.text != "<<" }.map { (key: $0.key, value: rewritten($0.value)) }
        if let value = mapping["<<"] {
            for source in value.sequence ?? [value] {
                guard let others = rewritten(source).mapping else {
                    add("a mapping, or a list of mappings, is expected after <<, such as *name", at: source.place)
                    continue
                }
                pairs += others.pairs.filter { other in !pairs.contains { $0.key.text == other.key.text } }
            }
        }
        return ProfileNode.Mapping(pairs)
    }

    // MARK: - Variables

    private mutating func replaced(_ text: String, at place: TextPlace) -> String {
        var result = ""
        var rest = text[...]
        while let start = rest.firstRange(of: "${") {
            if start.lowerBound > rest.startIndex, rest[rest.index(before: start.lowerBound)] == "$" {
                result += rest[..<start.lowerBound].dropLast() + "${"
                rest = rest[start.upperBound...]
                continue
            }
            result += rest[..<start.lowerBound]
            rest = rest[start.upperBound...]
            guard let end = rest.firstIndex(of: "}") else {
                add("\"${\" has no \"}\"; write $${ for the characters themselves", at: place)
                return text
            }
            result += value(of: String(rest[..<end]), at: place) ?? ""
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }

    private mutating func value(of expression: String, at place: TextPlace) -> String? {
        let parts = expression.firstRange(of: ":-")
        let name = String(expression[..<(parts?.lowerBound ?? expression.endIndex)])
        let isName =
            !name.isEmpty && !(name.first?.isNumber ?? true)
            && name.utf8.allSatisfy { Self.isAlphanumeric($0) || $0 == UInt8(ascii: "_") }
        guard isName else {
            add("\"\(name)\" is not the name of a variable; write ${NAME}, or ${NAME:-default}", at: place)
            return nil
        }
        guard let environment else {
            add("environment variables are not available here; write the value of \(name)", at: place)
            return nil
        }
        if let value = environment(name), !(value.isEmpty && parts != nil) { return value }
        if let parts { return String(expression[parts.upperBound...]) }
        add("the environment variable \(name) is not set; set it, or write ${\(name):-default}", at: place)
        return nil
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }
}
