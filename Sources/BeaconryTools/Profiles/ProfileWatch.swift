// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// The files that profiles were read from: the profiles, what they include, and tracks.
package final class WatchedFiles: Sendable {
    private let paths = Mutex<Set<String>>([])

    package init() {}

    /// Adds a file, which may not exist.
    func insert(_ path: String) { paths.withLock { _ = $0.insert(path) } }

    var all: Set<String> { paths.withLock { $0 } }
}

/// Waits for changes of files.
///
/// It compares the files' states five times a second, which also works where the kernel reports no changes: folders of
/// other machines, and those that a container shares with its host.
package struct ProfileWatch: Sendable {
    private static let period = Duration.milliseconds(200)

    private let files: WatchedFiles

    /// A watch of these files, and of those that are added later.
    package init(_ files: WatchedFiles) { self.files = files }

    /// What differs after an edit, also after one that replaces the file.
    private struct FileState: Hashable {
        var device: dev_t = 0
        var number: ino_t = 0
        var size: off_t = -1
        var seconds = 0
        var nanoseconds = 0

        /// The state now; all zero without such a file.
        init(of path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return }
            device = status.st_dev
            number = status.st_ino
            size = status.st_size
            seconds = status.st_mtim.tv_sec
            nanoseconds = status.st_mtim.tv_nsec
        }
    }

    /// Calls a function after each change, when the files have been at rest for a period; until the task is cancelled.
    package func run(_ changed: () async -> Void) async {
        var known = states()
        var last = known
        while !Task.isCancelled {
            do { try await Task.sleep(for: Self.period) } catch { return }
            let now = states()
            defer { last = now }
            for (path, state) in now where known[path] == nil { known[path] = state }
            guard now == last, now != known else { continue }
            known = now
            await changed()
        }
    }

    private func states() -> [String: FileState] {
        Dictionary(uniqueKeysWithValues: files.all.map { ($0, FileState(of: $0)) })
    }
}
