// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// A file that holds either its old content or its new content, never a mixture, whatever happens to the machine. Only its
/// owner may read it, since it may hold keys.
///
/// A write goes to a temporary file, which is flushed to the medium and then renamed over the old file. The write has
/// succeeded when the folder is flushed, too.
///
/// A removal has two steps, so that several files are removed together or not at all: `beginErasing` renames the file to
/// `PATH.reset`; `finishErasing` removes it, and `cancelErasing` puts it back. What a process that was killed between the two
/// has left is put back by the next read.
package struct AtomicFile: Sendable {
    package let path: String
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
            if let bytes = try fileSystem.read(path) { return .bytes(bytes) }
            guard try recover() else { return .absent }
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
        try prepare(bytes)
        try storePrepared()
    }

    /// Writes bytes to the medium, beside the file.
    func prepare(_ bytes: [UInt8]) throws(SystemError) {
        try fileSystem.prepareReplacement(of: path, by: bytes, isPrivate: true)
    }

    /// Removes what was prepared.
    func cancelPrepared() { fileSystem.cancelReplacement(of: path) }

    /// Saves what was prepared, as `store`; after an error nothing is prepared any more.
    func storePrepared() throws(SystemError) {
        let previous: [UInt8]?
        do throws(SystemError) {
            previous = try fileSystem.read(path)
        } catch {
            cancelPrepared()
            throw error
        }
        try fileSystem.commitReplacement(of: path)
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

    /// The files that `setAside` keeps, of those with the same path.
    private static let keptFiles = 10

    /// Renames a file that cannot be used, so that it is neither lost nor overwritten. Of more than ten such files, the oldest is
    /// removed.
    /// - Returns: Its new path.
    func setAside() throws(SystemError) -> String {
        let prefix = "\(path).damaged-"
        let numbers = Folder.names(in: folder).compactMap { name -> Int? in
            let path = "\(folder)/\(name)"
            return path.hasPrefix(prefix) ? Int(path.dropFirst(prefix.count)) : nil
        }.sorted()
        let newPath = "\(prefix)\((numbers.last ?? 0) + 1)"
        try fileSystem.rename(path, to: newPath)
        for number in numbers.dropLast(Self.keptFiles - 1) { try? fileSystem.remove("\(prefix)\(number)") }
        try fileSystem.synchronizeFolder(folder)
        return newPath
    }

    /// Removes the file, and flushes the folder.
    /// - Returns: Whether the file existed.
    func erase() throws(SystemError) -> Bool {
        guard try beginErasing() else { return false }
        try finishErasing()
        return true
    }

    /// Renames the file, which the next read does not undo unless the process ends before.
    /// - Returns: Whether the file existed.
    /// - Throws: `SystemError`, also for what is no regular file; then nothing has changed.
    package func beginErasing() throws(SystemError) -> Bool {
        if try !exists(path), try !recover() { return false }
        try fileSystem.rename(path, to: pathWhileErasing)
        return true
    }

    /// Puts back what a killed process has left.
    /// - Returns: Whether there was something.
    private func recover() throws(SystemError) -> Bool {
        guard try exists(pathWhileErasing) else { return false }
        try fileSystem.rename(pathWhileErasing, to: path)
        return true
    }

    /// Puts the file back, unless it was saved again meanwhile.
    package func cancelErasing() {
        if (try? exists(path)) == true {
            try? fileSystem.remove(pathWhileErasing)
        } else {
            try? fileSystem.rename(pathWhileErasing, to: path)
        }
    }

    /// Removes the renamed file, and what was saved meanwhile, and flushes the folder.
    package func finishErasing() throws(SystemError) {
        if try exists(path) { try fileSystem.remove(path) }
        try fileSystem.remove(pathWhileErasing)
        try fileSystem.synchronizeFolder(folder)
    }

    /// Whether a file exists, even one that is too large to read.
    private func exists(_ path: String) throws(SystemError) -> Bool {
        do throws(SystemError) {
            return try fileSystem.read(path) != nil
        } catch {
            guard error.isTooLarge else { throw error }
            return true
        }
    }

    private var pathWhileErasing: String { "\(path).reset" }
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
