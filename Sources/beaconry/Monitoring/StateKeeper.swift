// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Emulator
import Persistence
import Synchronization

/// Keeps the states of a list, each time that they change: in a folder, or only as long as the program runs.
final class StateKeeper: Sendable {
    private struct Memory {
        var kept: [SavedState]?
        var isBroken = false
    }

    private let folder: MonitorFolder?
    private let list: String
    private let isJSON: Bool
    private let memory = Mutex(Memory())

    /// - Parameter folder: where they survive a restart; `nil` for nowhere.
    init(folder: MonitorFolder?, list: String, isJSON: Bool) {
        self.folder = folder
        self.list = list
        self.isJSON = isJSON
    }

    /// What was kept last, by this run or the one before.
    func states() throws -> [SavedState] {
        if let kept = memory.withLock(\.kept) { return kept }
        return try folder?.states(of: list) ?? []
    }

    /// Keeps these states, if they are others. That it cannot be done is said once.
    func keep(_ states: [SavedState]) {
        let isNews = memory.withLock { memory in
            defer { memory.kept = states }
            return memory.kept != states || memory.isBroken
        }
        guard let folder, isNews else { return }
        do throws(SystemError) {
            try folder.keep(states, of: list)
            memory.withLock { $0.isBroken = false }
        } catch {
            let wasBroken = memory.withLock { memory in
                defer { memory.isBroken = true }
                return memory.isBroken
            }
            guard !wasBroken else { return }
            Notice(
                code: "states-not-kept", message: "the states of regions would not survive a restart: \(error)",
                hint: "make room in the state folder, or use another one (--state DIR)"
            ).tell(asJSON: isJSON)
        }
    }
}
