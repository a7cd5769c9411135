// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Devices
import FoundationEssentials

/// One device's flash: a JSON file that holds the last acknowledged settings, whatever happens to the machine.
///
/// A write goes to a temporary file, which is made durable and then renamed over the old one; the folder is made durable
/// too before the write counts. So the file is always one write or the next, never half of one.
public struct FlashFile: Sendable {
    /// The file.
    public let path: String
    private let profile: String
    private let beacon: String
    private let kind: String
    private let fileSystem: any FlashFileSystem

    /// What the file is on the medium.
    private struct Document: Codable {
        var v = 1
        var profile: String
        var beacon: String
        var device: String
        var settings: [String: FlashValue]
    }

    /// What was found in a file.
    public enum Contents: Hashable, Sendable {
        /// Nothing was ever written.
        case absent
        /// The settings.
        case image(FlashImage)
        /// Something else; the reason is a clause for people.
        case damaged(reason: String)
    }

    /// The flash of a device of this kind.
    public init(
        path: String, profile: String, beacon: String, kind: String,
        fileSystem: any FlashFileSystem = LocalFileSystem()
    ) {
        self.path = path
        self.profile = profile
        self.beacon = beacon
        self.kind = kind
        self.fileSystem = fileSystem
    }

    /// What the file holds.
    /// - Throws: `SystemError` when the file is there but cannot be read.
    public func load() throws(SystemError) -> Contents {
        guard let bytes = try fileSystem.read(path) else { return .absent }
        guard let document = try? JSONDecoder().decode(Document.self, from: Data(bytes)) else {
            return .damaged(reason: "it is not a settings file")
        }
        guard document.v == 1 else { return .damaged(reason: "it is of version \(document.v), not 1") }
        guard document.device == kind else {
            return .damaged(reason: "it is of a device \"\(document.device)\", not \"\(kind)\"")
        }
        return .image(FlashImage(document.settings))
    }

    /// Makes the settings durable. When it returns they are; when it throws, the file holds what it held before.
    /// - Throws: `SystemError`.
    public func store(_ image: FlashImage) throws(SystemError) {
        let previous = try fileSystem.read(path)
        let document = Document(profile: profile, beacon: beacon, device: kind, settings: image.values)
        try fileSystem.replace(path, with: Self.encode(document))
        do throws(SystemError) {
            try fileSystem.synchronizeFolder(folder)
        } catch {
            // The new name may or may not survive now; the peer will be told that it did not, so make that true.
            if let previous { try? fileSystem.replace(path, with: previous) } else { try? fileSystem.remove(path) }
            throw error
        }
    }

    /// Moves a file that cannot be used out of the way, under a name of its own.
    /// - Returns: where it is kept.
    /// - Throws: `SystemError`.
    public func setAside() throws(SystemError) -> String {
        var number = 1
        while try fileSystem.read("\(path).damaged-\(number)") != nil { number += 1 }
        let kept = "\(path).damaged-\(number)"
        try fileSystem.rename(path, to: kept)
        try fileSystem.synchronizeFolder(folder)
        return kept
    }

    /// Forgets the settings, durably.
    /// - Returns: whether there were any.
    /// - Throws: `SystemError`.
    @discardableResult
    public func erase() throws(SystemError) -> Bool {
        guard try fileSystem.read(path) != nil else { return false }
        try fileSystem.remove(path)
        try fileSystem.synchronizeFolder(folder)
        return true
    }

    private var folder: String {
        String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    }

    private static func encode(_ document: Document) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(document) else {
            preconditionFailure("strings and integers are always JSON")
        }
        return Array(data) + Array("\n".utf8)
    }
}
