// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
package import Devices
package import Space

/// Reads the picture of a profile, by its path relative to the profile's folder.
package typealias PictureReader = @Sendable (String) throws(ValueFault) -> Picture

/// Refuses every picture.
@Sendable package func noPictures(_ path: String) throws(ValueFault) -> Picture {
    throw ValueFault(
        "the picture \"\(path)\" cannot be read here, since a text that is sent names no files; leave map out: the map of the "
            + "profile's file stays")
}

/// The floor plan of a profile, which the page of a run has under its map.
package struct GroundPlan: Hashable, Sendable {
    /// The picture.
    package let picture: Picture
    /// The path of the file, as in the profile.
    package let name: String
    /// The width in metres.
    package let width: Double
    /// The position of the lower left corner; `z` is not used.
    package let origin: Position

    /// The height in metres: pixels are squares.
    package var height: Double { width * Double(picture.height) / Double(picture.width) }

    /// `map: { image: plan.png, width: 30m, origin: [0, 0] }`; `nil` without the key, or with faults, which are added to the reader.
    static func read(from reader: inout ProfileReader, _ pictures: PictureReader) -> GroundPlan? {
        // In an included file, paths are relative to its folder.
        let folder = reader.present("map")?.place.file?.folder ?? ""
        return reader.part("map") { reader -> GroundPlan? in
            var name = ""
            let picture = reader.required("image", example: "plan.png") { text throws(ValueFault) -> Picture in
                name = text
                guard !text.isEmpty else {
                    throw ValueFault("the name of a picture is expected here, such as plan.png")
                }
                return try pictures(text.hasPrefix("/") ? text : folder + text)
            }
            let width = reader.required("width", example: "30m", ValueText.width)
            let origin =
                reader.has("origin")
                ? BuildingParser.corner(
                    "origin", of: &reader, example: "[0, 0]",
                    rule: "the lower left corner of the picture is two numbers of metres, such as [0, 0]")
                : Position(x: 0, y: 0)
            guard let picture, let width, let origin else { return nil }
            return GroundPlan(picture: picture, name: name, width: width, origin: origin)
        }
    }
}
