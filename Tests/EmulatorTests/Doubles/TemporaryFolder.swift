// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A folder for one test, removed with this object.
final class TemporaryFolder: Sendable {
    /// The path, short enough for a socket.
    let path: String

    init(in parent: String = FileManager.default.temporaryDirectory.path) throws {
        path = "\(parent)/beaconry-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of a file in the folder.
    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// The sorted names in the folder, or in a subfolder.
    func names(_ folder: String = "") -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: "\(path)/\(folder)")) ?? []).sorted()
    }

    /// Writes a file, and creates the folders above it.
    func write(_ text: String, to name: String) throws {
        let url = URL(fileURLWithPath: file(name))
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    /// Creates a folder in it.
    func makeFolder(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: file(name), withIntermediateDirectories: true)
    }

    /// The text of a file; `nil` if it does not exist.
    func text(_ name: String) -> String? {
        // FileManager's contents(atPath:) leaks its buffer if the file is empty.
        guard let handle = FileHandle(forReadingAtPath: file(name)) else { return nil }
        return (try? handle.readToEnd() ?? Data()).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether a file exists.
    func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: file(name)) }
}
