// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Devices
import FoundationEssentials

/// The flash of one device: a JSON file with the last acknowledged settings.
package struct FlashFile: Sendable {
    /// The file's path.
    package var path: String { file.path }
    private let profile: String
    private let beacon: String
    private let kind: String
    /// The file, for a removal together with others.
    package let file: AtomicFile
    private let isInUsualFolder: Bool

    /// The format of the file.
    private struct Document: Codable {
        var v = 1
        var profile: String
        var beacon: String
        var device: String
        var settings: [String: FlashValue]
    }

    /// What the file holds.
    package enum Contents: Hashable, Sendable {
        /// The file does not exist: nothing was saved.
        case absent
        /// The saved settings.
        case image(FlashImage)
        /// The file cannot be used; the reason is a clause.
        case damaged(reason: String)
    }

    /// The flash of a device of this kind.
    /// - Parameter isInUsualFolder: Whether commands of the user use its state folder unless they get another one.
    package init(
        path: String, profile: String, beacon: String, kind: String, isInUsualFolder: Bool = false,
        fileSystem: any FileSystem = LocalFileSystem()
    ) {
        self.isInUsualFolder = isInUsualFolder
        file = AtomicFile(path: path, fileSystem: fileSystem)
        self.profile = profile
        self.beacon = beacon
        self.kind = kind
    }

    /// The command that removes the saved settings: `beaconry reset museum/entrance --state /var/lib/beaconry`.
    package var resetCommand: String {
        StateFolder(Folder.containing(Folder.containing(path)), isUsual: isInUsualFolder)
            .resetCommand(of: "\(profile)/\(beacon)")
    }

    /// Reads the file.
    /// - Throws: `SystemError` if the file exists but cannot be read.
    package func load() throws(SystemError) -> Contents {
        let bytes: [UInt8]
        switch try file.read() {
        case .absent: return .absent
        case .tooLarge(let reason): return .damaged(reason: reason)
        case .bytes(let content): bytes = content
        }
        guard let document = try? JSONDecoder().decode(Document.self, from: Data(bytes)) else {
            return .damaged(reason: "it is not a settings file")
        }
        guard document.v == 1 else { return .damaged(reason: "it is of version \(document.v), not 1") }
        guard document.device == kind else {
            return .damaged(reason: "it is of a device \"\(document.device)\", not \"\(kind)\"")
        }
        if let reason = AtomicFile.mismatch((document.profile, document.beacon), (profile, beacon)) {
            return .damaged(reason: reason)
        }
        return .image(FlashImage(document.settings))
    }

    /// Saves the settings. On return they are on the medium; after an error the file holds its old content.
    /// - Throws: `SystemError`.
    package func store(_ image: FlashImage) throws(SystemError) {
        try prepare(image)
        try storePrepared()
    }

    /// Writes settings to the medium, beside the file, so that saving them needs no more room.
    /// - Throws: `SystemError`.
    package func prepare(_ image: FlashImage) throws(SystemError) {
        let document = Document(profile: profile, beacon: beacon, device: kind, settings: image.values)
        try file.prepare(JSONDocument.encode(document))
    }

    /// Saves the settings that were prepared, as `store`; after an error none are prepared any more.
    /// - Throws: `SystemError`.
    package func storePrepared() throws(SystemError) { try file.storePrepared() }

    /// Removes the settings that were prepared.
    package func cancelPrepared() { file.cancelPrepared() }

    /// Renames a file that cannot be used, so that it is neither lost nor overwritten.
    /// - Returns: Its new path.
    /// - Throws: `SystemError`.
    package func setAside() throws(SystemError) -> String { try file.setAside() }

    /// Removes the saved settings.
    /// - Returns: Whether there were any.
    /// - Throws: `SystemError`.
    @discardableResult
    package func erase() throws(SystemError) -> Bool { try file.erase() }
}
