// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Emulator

/// Keeps the states of a list, each time that they change.
struct StateKeeper: Sendable {
    private let folder: MonitorFolder
    private let list: String
    private let isJSON: Bool
    private var kept: [SavedState]?
    private var isBroken = false

    init(folder: MonitorFolder, list: String, isJSON: Bool) {
        self.folder = folder
        self.list = list
        self.isJSON = isJSON
    }

    /// What was kept.
    func states() throws -> [SavedState] { try folder.states(of: list) }

    /// Keeps these states, if they are others. That it cannot be done is said once.
    mutating func keep(_ states: [SavedState]) {
        guard states != kept else { return }
        do throws(SystemError) {
            try folder.keep(states, of: list)
            kept = states
            isBroken = false
        } catch {
            guard !isBroken else { return }
            isBroken = true
            Notice(
                code: "states-not-kept", message: "the states of regions would not survive a restart: \(error)",
                cure: "make room in the state folder, or use another one (--state DIR)"
            ).tell(asJSON: isJSON)
        }
    }
}
