// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The files that profiles were read from: the profiles, what they include, and tracks; each with its state when it was read.
package final class WatchedFiles: Sendable {
    private let read = Mutex<[String: FileState]>([:])

    package init() {}

    /// Notes that a file, which may not exist, is read next: a change from now on is one of what was read.
    package func insert(_ path: String) {
        let state = FileState(of: path)
        read.withLock { $0[path] = state }
    }

    /// The present states.
    fileprivate var present: [String: FileState] {
        let paths = read.withLock { Array($0.keys) }
        return Dictionary(uniqueKeysWithValues: paths.map { ($0, FileState(of: $0)) })
    }

    /// Keeps these states as the states of the files that were read, and returns whether the state of a file changed.
    fileprivate func update(to states: [String: FileState]) -> Bool {
        read.withLock { read in
            let isChanged = states.contains { read[$0.key] != $0.value }
            read.merge(states) { $1 }
            return isChanged
        }
    }
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

    /// Calls a function after each change since the files were read, when the files have been at rest for a period; until the
    /// task is cancelled.
    package func run(_ changed: () async -> Void) async {
        var last = files.present
        while !Task.isCancelled {
            do { try await Task.sleep(for: Self.period) } catch { return }
            let now = files.present
            defer { last = now }
            if now == last, files.update(to: now) { await changed() }
        }
    }
}
