// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A text in which `¦` marks a place.
struct MarkedText {
    /// The text without its marks.
    let text: String
    /// Line and column of every mark, counted from 1, in the order of the text.
    let places: [(line: Int, column: Int)]

    init(_ marked: String) {
        var text = String.UnicodeScalarView()
        var places: [(line: Int, column: Int)] = []
        var line = 1
        var column = 1
        for scalar in marked.unicodeScalars {
            if scalar == "¦" {
                places.append((line, column))
                continue
            }
            text.append(scalar)
            line += scalar == "\n" ? 1 : 0
            column = scalar == "\n" ? 1 : column + 1
        }
        self.text = String(text)
        self.places = places
    }
}
