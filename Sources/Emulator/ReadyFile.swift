// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Persistence
import SystemPackage

/// The empty file that exists while everything that should be on the air is on the air.
///
/// A device or a pipe in its place is opened and closed each time, and never removed.
struct ReadyFile: Sendable {
    let path: String

    /// Removes the file; without effect for another kind of file, or one that is not empty.
    func remove() {
        if let status, status.st_mode & S_IFMT == S_IFREG, status.st_size == 0 { unlink(path) }
    }

    /// Creates the file, unless it exists.
    /// - Throws: `EmulatorError` `.cannotCreate`.
    func create() throws(EmulatorError) {
        try check()
        do throws(SystemError) {
            if OutputFile.isWrittenInPlace(path) {
                try OutputFile.write([], to: path)
            } else {
                let files = LocalFileSystem()
                files.close(try files.create(path))
            }
        } catch {
            throw EmulatorError(.cannotCreate, "\(error)", hint: Self.hint)
        }
    }

    /// - Throws: `EmulatorError` `.cannotCreate` for a file with content, which is no ready file.
    func check() throws(EmulatorError) {
        guard let status, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else { return }
        throw EmulatorError(.cannotCreate, "the ready file \(path) exists, and is not empty", hint: Self.hint)
    }

    private static let hint = "choose another --ready-file"

    /// The status of the file itself, not of the target of a symbolic link; `nil` if there is none.
    private var status: stat? {
        var status = stat()
        return lstat(path, &status) == 0 ? status : nil
    }
}
