// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// What was read from the files that a profile names: each is parsed once, however many beacons name it.
///
/// The readers of one profile share it; it belongs to the thread that reads the profile.
package final class ReadContents {
    /// The limit of the points of all tracks and traces in files.
    package static let maximumPoints = 1_000_000

    /// Comments that may be the rests of texts, by the places of these texts.
    package var comments: [TextPlace: String] = [:]
    /// The texts that such a comment has cut.
    package private(set) var cutTexts: [CutText] = []
    private var values: [String: Result<any Sendable, ValueFault>] = [:]
    private var points = 0

    /// No contents.
    package init() {}

    /// The value of a key, which is made only once; so is the fault of a value that cannot be made.
    package func value<Value: Sendable>(
        _ key: String, _ make: () throws(ValueFault) -> Value
    ) throws(ValueFault) -> Value {
        if let known = try values[key]?.get() as? Value { return known }
        do throws(ValueFault) {
            let made = try make()
            values[key] = .success(made)
            return made
        } catch {
            values[key] = .failure(error)
            throw error
        }
    }

    /// Adds a text that a comment has cut; copies of an entry have the same text.
    func add(_ cut: CutText) {
        let isKnown = cutTexts.contains { $0.file == cut.file && $0.line == cut.line && $0.column == cut.column }
        if !isKnown { cutTexts.append(cut) }
    }

    /// Counts points that were read from a file.
    /// - Throws: `ValueFault` if they are more than the limit, together with those before.
    package func add(points count: Int) throws(ValueFault) {
        points += count
        guard points > Self.maximumPoints else { return }
        throw ValueFault(
            "\(ValueText.grouped(points)) points of tracks and traces in all; a profile has at most "
                + "\(ValueText.grouped(Self.maximumPoints)) in files; write fewer files, or shorter ones")
    }
}
