// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices

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
    ///   - contents: takes the comments that may be the rests of texts.
    func root(
        of kind: String, example: String, noting contents: ReadContents? = nil
    ) throws(ProfileFaults) -> ProfileNode {
        func fault(_ message: String, line: Int = 0, column: Int = 0) -> ProfileFaults {
            ProfileFaults([ProfileFault(file: file, line: line, column: column, field: "", message: message)])
        }
        guard text.utf8.count <= Self.maximumSize else { throw fault("\(kind) has at most \(Self.maximumSize) bytes") }
        let document: YAMLComposer.Document
        do throws(YAMLFailure) {
            document = try YAMLComposer.document(of: text, file: included)
        } catch {
            switch error {
            case .nesting(let place):
                throw fault(
                    "this is nested deeper than \(YAMLComposer.maximumDepth) levels; a bracket or brace may be left open",
                    line: place.line, column: place.column)
            case .aliases(let place):
                throw fault("aliases expand to too many values here", line: place.line, column: place.column)
            case .duplicateKeys(let names, let place):
                throw fault(
                    "the key \(names.joined(separator: ", ")) appears here more than once; keep one of them, or begin "
                        + "another entry", line: place.line, column: place.column)
            case .syntax(let problem, let context, let place):
                let complaint = YAMLComplaint(problem, context, at: place, in: text)
                throw fault(complaint.message, line: complaint.place.line, column: complaint.place.column)
            case .character(let problem, let offset):
                let (line, column) = Self.place(of: offset, in: text)
                throw fault(
                    "this is not YAML: \(problem); remove the character, or write it as an escape in double quotes",
                    line: line, column: column)
            case .memory: throw fault("there is not enough memory for this file")
            }
        }
        contents?.comments.merge(document.comments) { first, _ in first }
        guard let root = document.root else { throw fault("the file is empty; see \(example) for an example") }
        return root
    }

    /// Line and column, counted from 1, of the character after the first `offset` bytes.
    private static func place(of offset: Int, in text: String) -> (line: Int, column: Int) {
        let before = String(decoding: text.utf8.prefix(offset), as: UTF8.self)
        let lines = before.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        return (lines.count, (lines.last?.count ?? 0) + 1)
    }
}
