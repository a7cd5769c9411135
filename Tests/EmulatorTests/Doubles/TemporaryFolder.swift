// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A folder of its own for one test, which goes with the test.
final class TemporaryFolder: Sendable {
    /// The folder; short enough for the path of a socket.
    let path: String

    init(in parent: String = FileManager.default.temporaryDirectory.path) throws {
        path = "\(parent)/beaconry-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// A file in it.
    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// The names in it, or in a folder of it, in order.
    func names(_ folder: String = "") -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: "\(path)/\(folder)")) ?? []).sorted()
    }

    /// Puts a file there, with the folders above it.
    func write(_ text: String, to name: String) throws {
        let url = URL(fileURLWithPath: file(name))
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    /// What a file holds; `nil` when there is none.
    func text(_ name: String) -> String? {
        // Not FileManager's contents(atPath:), which leaks its buffer where the file is empty.
        guard let handle = FileHandle(forReadingAtPath: file(name)) else { return nil }
        return (try? handle.readToEnd() ?? Data()).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether there is such a file.
    func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: file(name)) }
}
