// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// A file that holds either its old content or its new content, never a mixture, whatever happens to the machine. Only its
/// owner may read it, since it may hold keys.
///
/// A write goes to a temporary file, which is flushed to the medium and then renamed over the old file. The write has
/// succeeded when the folder is flushed, too.
struct AtomicFile: Sendable {
    let path: String
    private let fileSystem: any FileSystem

    /// The file at a path; the first write creates it.
    init(path: String, fileSystem: any FileSystem) {
        self.path = path
        self.fileSystem = fileSystem
    }

    /// The result of reading the file.
    enum Content {
        /// The file does not exist.
        case absent
        /// The bytes of the file.
        case bytes([UInt8])
        /// The file is larger than the limit, so it was not read; the reason is a clause.
        case tooLarge(reason: String)
    }

    /// Reads the file.
    /// - Throws: `SystemError` if the file exists but cannot be read.
    func read() throws(SystemError) -> Content {
        do throws(SystemError) {
            return try fileSystem.read(path).map(Content.bytes) ?? .absent
        } catch {
            guard error.isTooLarge else { throw error }
            return .tooLarge(reason: error.reason ?? "it is too large")
        }
    }

    /// Why a file that names one beacon is not the file of the expected one; `nil` if it is.
    static func mismatch(
        _ found: (profile: String, beacon: String), _ expected: (profile: String, beacon: String)
    ) -> String? {
        guard found != expected else { return nil }
        return "it is of \"\(found.profile)/\(found.beacon)\", not \"\(expected.profile)/\(expected.beacon)\""
    }

    /// Saves bytes. On return they are on the medium; after an error the file holds its old content.
    func store(_ bytes: [UInt8]) throws(SystemError) {
        let previous = try fileSystem.read(path)
        try fileSystem.replace(path, with: bytes, isPrivate: true)
        do throws(SystemError) {
            try fileSystem.synchronizeFolder(folder)
        } catch {
            // The new name may or may not survive. The caller gets an error, so restore the old content.
            if let previous {
                try? fileSystem.replace(path, with: previous, isPrivate: true)
            } else {
                try? fileSystem.remove(path)
            }
            throw error
        }
    }

    /// Renames a file that cannot be used, so that it is neither lost nor overwritten.
    /// - Returns: Its new path.
    func setAside() throws(SystemError) -> String {
        var number = 1
        while try exists("\(path).damaged-\(number)") { number += 1 }
        let newPath = "\(path).damaged-\(number)"
        try fileSystem.rename(path, to: newPath)
        try fileSystem.synchronizeFolder(folder)
        return newPath
    }

    /// Removes the file, and flushes the folder.
    /// - Returns: Whether the file existed.
    func erase() throws(SystemError) -> Bool {
        guard try exists(path) else { return false }
        try fileSystem.remove(path)
        try fileSystem.synchronizeFolder(folder)
        return true
    }

    /// Whether a file exists, even one that is too large to read.
    private func exists(_ path: String) throws(SystemError) -> Bool {
        if case .absent = try AtomicFile(path: path, fileSystem: fileSystem).read() { return false }
        return true
    }

    private var folder: String { Folder.containing(path) }
}

/// The encoder of saved files, which people may read.
enum JSONDocument {
    /// A value as indented JSON with sorted keys.
    static func encode(_ document: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(document) else {
            preconditionFailure("strings, numbers and truth values are always JSON")
        }
        return Array(data) + Array("\n".utf8)
    }
}
