// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Suggests names for misspelled ones.
package enum Spelling {
    /// The name that is closest to a text, in upper or lower case; `nil` when none is close enough to be a guess worth
    /// making: a third of the characters may differ, and at least one.
    package static func closest(to text: String, among names: some Sequence<String>) -> String? {
        let typed = Array(text.lowercased())
        let candidates = names.map { (name: $0, distance: distance(typed, Array($0.lowercased()))) }
        guard let best = candidates.min(by: { $0.distance < $1.distance }) else { return nil }
        let limit = max(1, min(typed.count, best.name.count) / 3)
        return best.distance <= limit && best.distance < typed.count ? best.name : nil
    }

    /// The greatest number of names that a message lists, where these are of things and not of keys.
    private static let most = 10

    /// `a, b, c`; of more than ten names, the first ten and the number of the others.
    package static func few(_ names: [String]) -> String {
        let listed = names.prefix(most).joined(separator: ", ")
        return names.count > most ? "\(listed) and \(names.count - most) more" : listed
    }

    /// `did you mean "door"? beacons are door, gate`, of at most ten names; `there are no beacons` without one.
    package static func hint(_ text: String, _ kind: String, _ names: [String]) -> String {
        guard !names.isEmpty else { return "there are no \(kind)" }
        let guess = closest(to: text, among: names).map { "did you mean \"\($0)\"? " } ?? ""
        return "\(guess)\(kind) are \(few(names))"
    }

    /// `; did you mean "run"?`, or nothing.
    package static func question(_ text: String, among names: some Sequence<String>) -> String {
        closest(to: text, among: names).map { "; did you mean \"\($0)\"?" } ?? ""
    }

    /// `there is no key "mayor" here; did you mean "major"? keys are uuid, major`
    /// - Parameters:
    ///   - problem: such as `there is no key "mayor" here`.
    ///   - kind: what the names are names of, in the plural.
    package static func unknown(_ problem: String, _ text: String, _ kind: String, _ names: [String]) -> String {
        unknown(problem, text, kind, names, names.joined(separator: ", "))
    }

    /// The same for names of things, of which at most ten are listed.
    package static func unknown(_ problem: String, _ text: String, _ kind: String, things: [String]) -> String {
        unknown(problem, text, kind, things, few(things))
    }

    private static func unknown(
        _ problem: String, _ text: String, _ kind: String, _ names: [String], _ list: String
    ) -> String {
        let question = question(text, among: names)
        return "\(problem)\(question)\(question.isEmpty ? ";" : "") \(kind) are \(list)"
    }

    /// `"encripted" is not one of open, encrypted; did you mean "encrypted"?`
    package static func notOne(_ text: String, of names: [String]) -> String {
        "\"\(text)\" is not one of \(names.joined(separator: ", "))\(question(text, among: names))"
    }

    /// How many characters must be inserted, removed, replaced, or exchanged with their neighbour to make one text of
    /// the other (the optimal string alignment distance).
    package static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var beforePrevious: [Int] = []
        var previous = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                let replaced = previous[column] + (left[row] == right[column] ? 0 : 1)
                var least = min(replaced, previous[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    least = min(least, beforePrevious[column - 1] + 1)
                }
                current.append(least)
            }
            (beforePrevious, previous) = (previous, current)
        }
        return previous[right.count]
    }
}
