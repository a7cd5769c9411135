// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Emulator

/// Samples the paths of a run into a `LinkHistory`, once a second of the run's time.
///
/// It begins when the run is ready, pauses while there are no paths and no receiver listens, and continues with the next event that
/// may make one: so it neither keeps an idle machine busy nor drives virtual time on its own. A phone that listens scans from time
/// to time: between its scans there are no paths.
actor LinkSampler {
    private static let period = Duration.seconds(1)
    /// The paths that are looked at in a second, on average; with more, there are fewer samples.
    private static let pathsPerSecond = 1000

    private let emulator: Emulator
    private var history = LinkHistory()
    private var sampling: Task<Void, Never>?
    /// Whether a path may have begun since the paths were last looked at.
    private var isDue = false

    init(_ emulator: Emulator) { self.emulator = emulator }

    /// The samples after a time of the run.
    func record(at elapsed: Double, after start: Double, of name: String?) -> LinkHistory.Record {
        history.record(at: elapsed, after: start, of: name)
    }

    /// Follows the events of the run until their end.
    func follow(_ events: AsyncStream<PostedEvent>) async {
        var isReady = false
        for await posted in events {
            switch posted.event {
            case .ready: isReady = true
            case .host, .receiver, .beacon(_, .advertising): break
            default: continue
            }
            isDue = true
            if isReady, sampling == nil { sampling = Task { await sample() } }
        }
        sampling?.cancel()
    }

    /// Samples while there are paths.
    private func sample() async {
        defer { sampling = nil }
        var pause = Self.period
        while await emulator.sleep(for: pause) {
            isDue = false
            guard let paths = try? await emulator.air.paths() else { return }
            history.add(paths, at: await emulator.clockRecord.elapsed)
            let hasListeners = await self.hasListeners
            guard !paths.isEmpty || isDue || hasListeners else { return }
            pause = Self.period * max(1, (paths.count + Self.pathsPerSecond - 1) / Self.pathsPerSecond)
        }
    }

    private var hasListeners: Bool {
        get async {
            for listener in emulator.listeners.all where await listener.isListening { return true }
            return false
        }
    }
}
