// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A file that holds one content or the next, never half of one, whatever happens to the machine. Its owner alone may read
/// it, since it may hold keys.
///
/// A write goes to a temporary file, which is made durable and then renamed over the old one; the folder is made durable
/// too before the write counts.
struct DurableFile: Sendable {
    let path: String
    private let fileSystem: any FlashFileSystem

    /// The file at a path; it is made when it is first written.
    init(path: String, fileSystem: any FlashFileSystem) {
        self.path = path
        self.fileSystem = fileSystem
    }

    /// What a read of the file found.
    enum Reading {
        /// There is no such file.
        case absent
        /// The bytes of the file.
        case bytes([UInt8])
        /// The file is larger than the limit, so it was not read; the reason is a clause for people.
        case tooLarge(reason: String)
    }

    /// Reads the file.
    /// - Throws: `SystemError` when the file exists but cannot be read.
    func read() throws(SystemError) -> Reading {
        do throws(SystemError) {
            return try fileSystem.read(path).map(Reading.bytes) ?? .absent
        } catch {
            guard error.isTooLarge else { throw error }
            return .tooLarge(reason: error.reason ?? "it is too large")
        }
    }

    /// Why a file that names this beacon is not the file of the one that is expected; `nil` if it is.
    static func mismatch(
        _ found: (profile: String, beacon: String), _ expected: (profile: String, beacon: String)
    ) -> String? {
        guard found != expected else { return nil }
        return "it is of \"\(found.profile)/\(found.beacon)\", not \"\(expected.profile)/\(expected.beacon)\""
    }

    /// Makes bytes durable. When it returns they are; when it throws, the file holds what it held before.
    func store(_ bytes: [UInt8]) throws(SystemError) {
        let previous = try fileSystem.read(path)
        try fileSystem.replace(path, with: bytes, isPrivate: true)
        do throws(SystemError) {
            try fileSystem.synchronizeFolder(folder)
        } catch {
            // The new name may or may not survive now; whoever waits will be told that it did not, so make that true.
            if let previous {
                try? fileSystem.replace(path, with: previous, isPrivate: true)
            } else {
                try? fileSystem.remove(path)
            }
            throw error
        }
    }

    /// Moves a file that cannot be used out of the way, under a name of its own.
    /// - Returns: where it is kept.
    func setAside() throws(SystemError) -> String {
        var number = 1
        while try exists("\(path).damaged-\(number)") { number += 1 }
        let kept = "\(path).damaged-\(number)"
        try fileSystem.rename(path, to: kept)
        try fileSystem.synchronizeFolder(folder)
        return kept
    }

    /// Removes the file, durably.
    /// - Returns: whether there was one.
    func erase() throws(SystemError) -> Bool {
        guard try exists(path) else { return false }
        try fileSystem.remove(path)
        try fileSystem.synchronizeFolder(folder)
        return true
    }

    /// Whether there is such a file, also one that is too large to be read.
    private func exists(_ path: String) throws(SystemError) -> Bool {
        if case .absent = try DurableFile(path: path, fileSystem: fileSystem).read() { return false }
        return true
    }

    private var folder: String {
        String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    }
}
