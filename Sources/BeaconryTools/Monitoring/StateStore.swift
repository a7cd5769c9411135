// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Persistence
import Synchronization

/// Saves the states of a list whenever they change: in a folder, or only in memory.
final class StateStore: Sendable {
    private struct Memory {
        var saved: [SavedState]?
        var hasFailed = false
    }

    private let folder: MonitorFolder?
    private let list: String
    private let format: OutputFormat
    private let memory = Mutex(Memory())

    /// - Parameter folder: the folder for the states; `nil` to save none.
    init(folder: MonitorFolder?, list: String, format: OutputFormat) {
        self.folder = folder
        self.list = list
        self.format = format
    }

    /// The states last saved, by this run or the previous one.
    func states() throws -> [SavedState] {
        if let saved = memory.withLock(\.saved) { return saved }
        return try folder?.states(of: list) ?? []
    }

    /// Saves the states if they have changed. A failure is reported once.
    func save(_ states: [SavedState]) {
        let isNew = memory.withLock { memory in
            defer { memory.saved = states }
            return memory.saved != states || memory.hasFailed
        }
        guard let folder, isNew else { return }
        do throws(SystemError) {
            try folder.save(states, of: list)
            memory.withLock { $0.hasFailed = false }
        } catch {
            let hadFailed = memory.withLock { memory in
                defer { memory.hasFailed = true }
                return memory.hasFailed
            }
            guard !hadFailed else { return }
            let notice = Notice(
                code: "states-not-kept", message: "the states of regions would not survive a restart: \(error)",
                hint: "make room in the state folder, or use another one (--state DIR)")
            Output.report(notice, as: format)
        }
    }
}
