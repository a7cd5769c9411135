// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Yams

/// What the YAML parser has to say of a text that is none, for people: where it really is, what it is, and what to do.
struct YAMLComplaint {
    /// Line and column, counted from 1.
    private(set) var place: (line: Int, column: Int)
    /// What is wrong, and what to do.
    private(set) var message = ""

    private let lines: [[Unicode.Scalar]]
    private let context: YamlError.Context?

    /// A complaint of the parser's.
    /// - Parameters:
    ///   - problem: its words.
    ///   - context: what it was at, and where that began.
    ///   - mark: where it noticed.
    ///   - text: the text.
    init(_ problem: String, _ context: YamlError.Context?, at mark: Mark, in text: String) {
        lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { Array($0) }
        self.context = context
        place = (mark.line, mark.column)
        message = "this is not YAML: " + sentence(problem)
    }

    private mutating func sentence(_ problem: String) -> String {
        if isBehindTab { return "a tab is no indentation; write spaces in its place" }
        if problem.contains("mapping values are not allowed") { return misplacedColon() }
        if problem.contains("could not find expected ':'") { return missingColon() }
        if problem == "did not find expected key" { return misplacedKey }
        if problem.contains("did not find expected '-' indicator") { return misplacedEntry }
        if problem.contains("block sequence entries are not allowed") {
            return "a list cannot begin in the middle of a line; write its \"- \" on a line of its own"
        }
        if problem.contains("cannot start any token") {
            return "a value cannot begin with \(quoted(present)); put it in quotes"
        }
        if problem.contains("undefined alias") {
            return "\"*\" begins the name of an anchor, and there is none of this name; put a text that begins so in "
                + "quotes"
        }
        if problem.contains("another document") {
            return "a file has one document; leave this \"---\" and what follows out"
        }
        if problem.contains("escape") {
            return "\"\\\" begins an escape in double quotes, and this is none; write single quotes"
        }
        return unclosed(problem)
            ?? "\(problem); look at this line and the one above, and put texts with : # & * ! | > ' \" % @ ` { } [ ] in quotes"
    }

    // MARK: - Kinds

    /// A quote or a bracket that nothing closes is told where it opens.
    private mutating func unclosed(_ problem: String) -> String? {
        if context?.text.contains("quoted scalar") == true {
            goToContext()
            return "the text that begins here has no closing quote; write \(quoted(present)) behind it"
        }
        guard let context, context.text.contains("flow") else { return nil }
        let closing = context.text.contains("mapping") || problem.contains("'}'") ? "}" : "]"
        if problem.contains("did not find expected ',' or"), place.line > context.mark.line || isAtEnd {
            goToContext()
            return "what opens with \(quoted(present)) here is not closed; write \"\(closing)\" behind it, and commas "
                + "between"
        }
        if problem.contains("did not find expected ',' or") {
            return "a comma is missing here, or \"\(closing)\"; write it, or put a text that has , : [ ] { } in quotes"
        }
        guard problem.contains("expected node content") else { return nil }
        return "a value or a closing bracket is missing here; write it, or put a text that has , [ ] { } in quotes"
    }

    private mutating func misplacedColon() -> String {
        if Self.hasKey(line(place.line).prefix(place.column - 1)) {
            return "the text before this colon has another one; put the whole value in quotes, such as \"Shop: door\""
        }
        let above = lines.prefix(place.line - 1).lastIndex { !Self.isEmpty($0) }
        if let above, !Self.hasKey(lines[above][...]), lines[above].last != ":" {
            place = (above + 1, (lines[above].firstIndex { $0 != " " && $0 != "-" } ?? 0) + 1)
            return Self.noColon
        }
        place.column = line(place.line).prefix { $0 == " " }.count + 1
        return "the key above has a value already, so nothing can stand below it; begin this key in the column of the "
            + "others"
    }

    private static let noColon = "a key is expected here, with a colon and a space behind it; write KEY: VALUE"

    /// Whether a colon and a space are in a line.
    private static func hasKey(_ line: ArraySlice<Unicode.Scalar>) -> Bool {
        zip(line, line.dropFirst()).contains { $0 == (":", " ") }
    }

    /// Whether a line has nothing but a remark, if that.
    private static func isEmpty(_ line: [Unicode.Scalar]) -> Bool {
        let first = line.first { $0 != " " && $0 != "\r" }
        return first == nil || first == "#"
    }

    private mutating func missingColon() -> String {
        goToContext()
        return Self.noColon
    }

    private var misplacedKey: String {
        tooMuch
            ?? "the indentation of this line fits nothing above it; begin it in the column of the keys that it belongs to"
            + contextColumn
    }

    private var misplacedEntry: String {
        if present == "-" { return "a list's entry begins with \"-\" and a space; write the space" }
        return tooMuch
            ?? "the indentation of this line fits no entry of the list above; begin it in the column of the entry's keys, or a "
            + "new entry with \"- \"" + contextColumn
    }

    /// What is said when the place is behind something else of its line.
    private var tooMuch: String? {
        guard line(place.line).prefix(place.column - 1).contains(where: { $0 != " " }) else { return nil }
        return "more follows here than one value; put all of it in double quotes, or take away what is too much"
    }

    /// Where what is around the mistake began.
    private var contextColumn: String {
        context.map { " (column \($0.mark.column), as in line \($0.mark.line))" } ?? ""
    }

    // MARK: - Looking at the text

    private func line(_ number: Int) -> [Unicode.Scalar] {
        lines.indices.contains(number - 1) ? lines[number - 1] : []
    }

    /// Whether indentation with a tab in it stands before the mark, or at it.
    private var isBehindTab: Bool {
        let line = line(place.line)
        let indentation = line.prefix { $0 == " " || $0 == "\t" || $0 == "-" }
        return indentation.contains("\t") && place.column <= indentation.count + 1
    }

    private var isAtEnd: Bool {
        lines.dropFirst(place.line).allSatisfy { Self.isEmpty($0) }
            && line(place.line).dropFirst(place.column - 1).allSatisfy { $0 == " " }
    }

    /// The character at the place.
    private var present: Unicode.Scalar? { line(place.line).dropFirst(place.column - 1).first }

    private func quoted(_ character: Unicode.Scalar?) -> String {
        switch character {
        case "\""?: "a double quote"
        case let character?: "\"\(character)\""
        case nil: "nothing"
        }
    }

    private mutating func goToContext() {
        if let context { place = (context.mark.line, context.mark.column) }
    }
}
