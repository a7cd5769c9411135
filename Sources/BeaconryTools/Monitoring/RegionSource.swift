// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Profiles

/// The source of the watched regions: a file, or the saved list.
package struct RegionSource {
    private let file: String?
    private let folder: MonitorFolder?
    private var lastRead: FileState?

    /// - Parameter file: a file of regions; `nil` for the saved list.
    package init(file: String?, folder: MonitorFolder?) {
        self.file = file
        self.folder = folder
    }

    /// The name under which the states of this list are saved.
    package var listName: String {
        guard let file else { return MonitorFolder.savedListName }
        let name = file.split(separator: "/").last.map { String($0) } ?? file
        let isPlain = { (character: Character) in
            character.isASCII && (character.isLetter || character.isNumber || "._-".contains(character))
        }
        return "file-" + String(name.map { isPlain($0) ? $0 : "_" })
    }

    /// Reads the regions.
    /// - Throws: `ProfileFaults` or `Failure`.
    package mutating func read() throws -> [RegionList.Entry] {
        lastRead = present
        if let file {
            return try RegionList(parsing: ProfileFiles.text(file, examples: "docs/receiving.md"), file: file).entries
        }
        return try folder?.savedRegions().compactMap(\.entry) ?? []
    }

    /// Whether the file has changed since it was last read.
    var hasChanged: Bool { present != lastRead }

    private var present: FileState? { (file ?? folder?.savedListPath).map(FileState.init) }
}
