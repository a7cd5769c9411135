// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The removal of saved settings and bonds of several beacons: all of them, or none.
///
/// `begin` renames the files, which `cancel` undoes; `finish` removes them.
package struct StateReset: Sendable {
    private var files: [AtomicFile] = []

    /// A removal of no files yet.
    package init() {}

    /// The paths of the files that existed.
    package var paths: [String] { files.map(\.path) }

    /// Begins to remove a file, if it exists.
    /// - Returns: Whether it exists.
    /// - Throws: `SystemError` if it cannot be removed; call `cancel` then.
    @discardableResult
    package mutating func begin(_ file: AtomicFile) throws(SystemError) -> Bool {
        guard try file.beginErasing() else { return false }
        files.append(file)
        return true
    }

    /// Puts all files back.
    package func cancel() { for file in files { file.cancelErasing() } }

    /// Removes all files.
    /// - Returns: The errors; then the next start may find what was not removed.
    package func finish() -> [SystemError] {
        files.compactMap { file in
            do throws(SystemError) {
                try file.finishErasing()
                return nil
            } catch {
                return error
            }
        }
    }
}
