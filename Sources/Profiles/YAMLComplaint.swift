// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices

/// An error of the YAML parser, rewritten for people: the actual place, the mistake and the fix.
struct YAMLComplaint {
    /// The line and column, counted from 1.
    private(set) var place: (line: Int, column: Int)
    /// The mistake and the fix.
    private(set) var message = ""

    private let lines: [[Unicode.Scalar]]
    private let context: YAMLFailure.Context?

    /// Rewrites an error of the parser.
    /// - Parameters:
    ///   - problem: the parser's message.
    ///   - context: the construct that the parser was reading, and where it began.
    ///   - mark: where the parser noticed the error.
    ///   - text: the text.
    init(_ problem: String, _ context: YAMLFailure.Context?, at mark: TextPlace, in text: String) {
        lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { Array($0) }
        self.context = context
        place = (mark.line, mark.column)
        message = "this is not YAML: " + sentence(problem)
    }

    private mutating func sentence(_ problem: String) -> String {
        if isBehindTab { return "YAML does not allow tabs in indentation; write spaces instead" }
        if problem.contains("mapping values are not allowed") { return misplacedColon() }
        if problem.contains("could not find expected ':'") { return missingColon() }
        if problem == "did not find expected key" { return misplacedKey }
        if problem.contains("did not find expected '-' indicator") { return misplacedEntry }
        if problem.contains("block sequence entries are not allowed") {
            return "a list cannot begin in the middle of a line; write its \"- \" on a new line"
        }
        if problem.contains("cannot start any token") {
            return "a value cannot begin with \(quoted(present)); put it in quotes"
        }
        if problem.contains("undefined alias") {
            return "\"*\" begins the name of an anchor, and no anchor has this name; put a text that begins with "
                + "\"*\" in quotes"
        }
        if problem.contains("another document") {
            return "a file has only one document; remove this \"---\" and what follows it"
        }
        if problem.contains("escape") {
            return "in double quotes \"\\\" begins an escape, and this is not a valid one; write single quotes"
        }
        return unclosed(problem)
            ?? "\(problem); look at this line and the one above, and put texts with : # & * ! | > ' \" % @ ` { } [ ] "
            + "in quotes"
    }

    // MARK: - Kinds

    /// The message for a quote or a bracket that is not closed; its place is where it opens.
    private mutating func unclosed(_ problem: String) -> String? {
        if context?.text.contains("quoted scalar") == true {
            goToContext()
            return "the text that begins here has no closing quote; write \(quoted(present)) after it"
        }
        guard let context, context.text.contains("flow") else { return nil }
        let closing = context.text.contains("mapping") || problem.contains("'}'") ? "}" : "]"
        if let comment = comment(from: context.place.line) {
            place = comment
            return
                "\" #\" begins a comment, so the bracket of line \(context.place.line) is not closed; put the text in quotes, "
                + "such as \"Hall #4\""
        }
        if problem.contains("did not find expected ',' or"), place.line > context.place.line || isAtEnd {
            goToContext()
            return "the \(quoted(present)) here is not closed; write \"\(closing)\" after the last value, and commas "
                + "between"
        }
        if problem.contains("did not find expected ',' or") {
            return "a comma or \"\(closing)\" is missing here; write it, or put a text with , : [ ] { } in quotes"
        }
        guard problem.contains("expected node content") else { return nil }
        return "a value or a closing bracket is missing here; write it, or put a text with , [ ] { } in quotes"
    }

    /// The first "#" with one blank before it and none behind it, from a line to the place of the error: part of a text, by all
    /// appearances.
    private func comment(from first: Int) -> (line: Int, column: Int)? {
        for number in first...max(first, place.line) {
            let line = line(number)
            for index in line.indices.dropFirst(2).dropLast() where line[index] == "#" && line[index - 1] == " " {
                if line[index - 2] != " ", line[index + 1] != " " { return (number, index + 1) }
            }
        }
        return nil
    }

    private mutating func misplacedColon() -> String {
        if Self.hasKey(line(place.line).prefix(place.column - 1)) {
            return "this value contains a colon; put the whole value in quotes, such as \"Shop: door\""
        }
        let above = lines.prefix(place.line - 1).lastIndex { !Self.isEmpty($0) }
        if let above, !Self.hasKey(lines[above][...]), lines[above].last != ":" {
            place = (above + 1, (lines[above].firstIndex { $0 != " " && $0 != "-" } ?? 0) + 1)
            return Self.noColon
        }
        place.column = line(place.line).prefix { $0 == " " }.count + 1
        return "the key above has a value already, so it cannot have keys below it; begin this key in the column of "
            + "the others"
    }

    private static let noColon = "a key is expected here, followed by a colon and a space; write KEY: VALUE"

    /// Whether a line contains a colon followed by a space.
    private static func hasKey(_ line: ArraySlice<Unicode.Scalar>) -> Bool {
        zip(line, line.dropFirst()).contains { $0 == (":", " ") }
    }

    /// Whether a line has nothing, or only a comment.
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
            ?? "the indentation of this line matches nothing above it; begin it in the column of the keys that it "
            + "belongs to" + contextColumn
    }

    private var misplacedEntry: String {
        if present == "-" { return "a list's entry begins with \"-\" and a space; write the space" }
        return tooMuch
            ?? "the indentation of this line matches no entry of the list above; begin it in the column of the entry's "
            + "keys, or a new entry with \"- \"" + contextColumn
    }

    /// The message if the place follows other text on its line.
    private var tooMuch: String? {
        guard line(place.line).prefix(place.column - 1).contains(where: { $0 != " " }) else { return nil }
        return "another text follows the value here; put all of it in double quotes, or remove the rest"
    }

    /// The column in which the construct around the mistake began.
    private var contextColumn: String {
        context.map { " (column \($0.place.column), as in line \($0.place.line))" } ?? ""
    }

    // MARK: - Looking at the text

    private func line(_ number: Int) -> [Unicode.Scalar] {
        lines.indices.contains(number - 1) ? lines[number - 1] : []
    }

    /// Whether the place is in or after indentation that contains a tab.
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
        if let context { place = (context.place.line, context.place.column) }
    }
}
