// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices
import Yams

/// A YAML text, parsed into nodes with their places.
struct YAMLText {
    /// The limit of a file's size, in bytes; a larger file is rejected unread.
    static let maximumSize = 1 << 20

    private let text: String
    private let file: String
    private let included: IncludedFile?

    /// A text with the path of its file, for messages.
    init(_ text: String, file: String, included: IncludedFile? = nil) {
        self.included = included
        // Some editors write a byte order mark at the start, which the YAML parser would take for text.
        self.text = text.hasPrefix("\u{FEFF}") ? String(text.dropFirst()) : text
        self.file = file
    }

    /// Whether there may be variables, merge keys or root keys that begin with `x-`.
    var mayHaveShortForms: Bool { text.contains("${") || text.contains("<<") || text.contains("x-") }

    /// The root node.
    /// - Parameters:
    ///   - kind: the kind of file, with its article, for messages.
    ///   - example: the path of an example.
    func root(of kind: String, example: String) throws(ProfileFaults) -> ProfileNode {
        func fault(_ message: String, line: Int = 0, column: Int = 0) -> ProfileFaults {
            ProfileFaults([ProfileFault(file: file, line: line, column: column, field: "", message: message)])
        }
        guard text.utf8.count <= Self.maximumSize else { throw fault("\(kind) has at most \(Self.maximumSize) bytes") }
        if let mark = NestingMeasure.excess(in: text) {
            throw fault(
                "this is nested deeper than \(NestingMeasure.limit) levels; a bracket or brace may be left open",
                line: mark.line, column: mark.column)
        }
        do {
            if let mark = try AliasMeasure.excess(in: text) {
                throw fault("aliases expand to too many values here", line: mark.line, column: mark.column)
            }
            let parser = try Yams.Parser(yaml: text)
            guard let node = try parser.singleRoot() else {
                throw fault("the file is empty; see \(example) for an example")
            }
            // Nodes refer to their anchors weakly; the parser owns them.
            return withExtendedLifetime(parser) {
                var converter = NodeConverter(file: included)
                return converter.node(node)
            }
        } catch let faults as ProfileFaults {
            throw faults
        } catch let error as YamlError {
            switch error {
            case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
                .composer(let context, let problem, let mark, _):
                let complaint = YAMLComplaint(problem, context, at: mark, in: text)
                throw fault(complaint.message, line: complaint.place.line, column: complaint.place.column)
            case .duplicatedKeysInMapping(let duplicates, let context):
                let names = duplicates.map { "\($0)" }.joined(separator: ", ")
                throw fault(
                    "the key \(names) appears here more than once; keep one of them, or begin another entry",
                    line: context.mark.line, column: context.mark.column)
            case .reader(let problem, let offset, _, _):
                let (line, column) = offset.map { Self.place(of: $0, in: text) } ?? (0, 0)
                throw fault(
                    "this is not YAML: \(problem); remove the character, or write it as an escape in double quotes",
                    line: line, column: column)
            default:
                throw fault("this is not YAML: \(error)")
            }
        } catch {
            throw fault("this is not YAML: \(error)")
        }
    }

    /// Line and column, counted from 1, of the character after the first `offset` ones.
    private static func place(of offset: Int, in text: String) -> (line: Int, column: Int) {
        let lines = text.prefix(offset).unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        return (lines.count, (lines.last?.count ?? 0) + 1)
    }
}

/// Converts the nodes of Yams; a node that several aliases refer to is converted once and shared.
private struct NodeConverter {
    private struct Key: Hashable {
        let anchor: String
        let line: Int
        let column: Int
    }

    private let file: IncludedFile?
    private var shared: [Key: ProfileNode] = [:]

    init(file: IncludedFile?) { self.file = file }

    mutating func node(_ node: Node) -> ProfileNode {
        let place = TextPlace(line: node.mark?.line ?? 0, column: node.mark?.column ?? 0, file: file)
        let key = node.anchor.map { Key(anchor: $0.rawValue, line: place.line, column: place.column) }
        if let key, let known = shared[key] { return known }
        let converted = ProfileNode(content(of: node), at: place)
        if let key { shared[key] = converted }
        return converted
    }

    private mutating func content(of node: Node) -> ProfileNode.Content {
        switch node {
        case .scalar(let scalar): return .scalar(scalar.string)
        case .sequence(let sequence): return .sequence(sequence.map { self.node($0) })
        case .mapping(let mapping):
            return .mapping(ProfileNode.Mapping(mapping.map { (self.node($0.key), self.node($0.value)) }))
        case .alias(let alias): return .scalar(alias.anchor.rawValue)
        }
    }
}
