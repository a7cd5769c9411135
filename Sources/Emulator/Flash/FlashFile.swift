// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Devices
import FoundationEssentials

/// One device's flash: a JSON file that holds the last acknowledged settings, whatever happens to the machine.
package struct FlashFile: Sendable {
    /// The file.
    package var path: String { file.path }
    private let profile: String
    private let beacon: String
    private let kind: String
    private let file: DurableFile

    /// What the file is on the medium.
    private struct Document: Codable {
        var v = 1
        var profile: String
        var beacon: String
        var device: String
        var settings: [String: FlashValue]
    }

    /// What was found in a file.
    package enum Contents: Hashable, Sendable {
        /// Nothing was ever written.
        case absent
        /// The settings.
        case image(FlashImage)
        /// Something else; the reason is a clause for people.
        case damaged(reason: String)
    }

    /// The flash of a device of this kind.
    package init(
        path: String, profile: String, beacon: String, kind: String,
        fileSystem: any FlashFileSystem = LocalFileSystem()
    ) {
        file = DurableFile(path: path, fileSystem: fileSystem)
        self.profile = profile
        self.beacon = beacon
        self.kind = kind
    }

    /// What the file holds.
    /// - Throws: `SystemError` when the file is there but cannot be read.
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
        if let reason = DurableFile.mismatch((document.profile, document.beacon), (profile, beacon)) {
            return .damaged(reason: reason)
        }
        return .image(FlashImage(document.settings))
    }

    /// Makes the settings durable. When it returns they are; when it throws, the file holds what it held before.
    /// - Throws: `SystemError`.
    package func store(_ image: FlashImage) throws(SystemError) {
        let document = Document(profile: profile, beacon: beacon, device: kind, settings: image.values)
        try file.store(JSONDocument.encode(document))
    }

    /// Moves a file that cannot be used out of the way, under a name of its own.
    /// - Returns: where it is kept.
    /// - Throws: `SystemError`.
    package func setAside() throws(SystemError) -> String { try file.setAside() }

    /// Forgets the settings, durably.
    /// - Returns: whether there were any.
    /// - Throws: `SystemError`.
    @discardableResult
    package func erase() throws(SystemError) -> Bool { try file.erase() }
}

/// The one encoder of files that people may read.
enum JSONDocument {
    /// A value over several lines, keys in order.
    static func encode(_ document: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(document) else {
            preconditionFailure("strings, numbers and truth values are always JSON")
        }
        return Array(data) + Array("\n".utf8)
    }
}
