// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices

/// A file, or a place in it with line and column from 1.
package struct FilePlace: Hashable, Sendable {
    /// The path.
    package let file: String
    /// The line.
    package let line: Int
    /// The column in characters.
    package let column: Int

    /// A place; line and column are 0 for the whole file.
    package init(file: String, line: Int, column: Int) {
        self.file = file
        self.line = line
        self.column = column
    }
}

extension Profile {
    /// The places of the beacons' entries, by id and by PROFILE/ID; empty if the text is not valid.
    package static func places(in text: String, file: String, sources: ProfileSources) -> [String: FilePlace] {
        let root = try? ProfileExpansion.root(
            of: YAMLText(text, file: file), in: file, sources, kind: .profile, example: "profiles/")
        var places: [String: FilePlace] = [:]
        for entry in root?.mapping?["beacons"]?.sequence ?? [] {
            guard let id = entry.mapping?["id"]?.text else { continue }
            let place = entry.place
            places[id] = FilePlace(file: place.file?.path ?? file, line: place.line, column: place.column)
            if let profile = root?.mapping?["profile"]?.text { places["\(profile)/\(id)"] = places[id] }
        }
        return places
    }
}
