// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Profiles
package import Radio
package import Space

/// The overrides of paths whose time is limited: a timer for each. Confined to the actor of the run.
final class LinkTimers {
    private var timers: [Set<String>: Task<Void, Never>] = [:]

    /// Replaces the timer of the path between two ends.
    func set(_ timer: Task<Void, Never>?, between one: String, and other: String) {
        timers.removeValue(forKey: [one, other])?.cancel()
        timers[[one, other]] = timer
    }

    /// Forgets all.
    func cancel() {
        for timer in timers.values { timer.cancel() }
        timers = [:]
    }
}

// What clients request of the virtual air that the other clients get as an event.
extension Emulator {
    /// Overrides the path between a beacon and a host, in both directions; `nil` removes the override.
    /// - Throws: as `AirControl.overrideLink`.
    package func overrideLink(
        from one: String, to other: String, _ override: LinkOverride?
    ) async throws(EmulatorError) {
        try await air.overrideLink(from: one, to: other, override)
        let end = override?.duration.map { time in
            Task { [runClock] in
                guard await runClock.sleep(for: time), !Task.isCancelled else { return }
                self.endOverride(from: one, to: other)
            }
        }
        linkTimers.set(end, between: one, and: other)
        events.post(.link(from: one, to: other, override.map(OverrideRecord.init)))
    }

    /// Reports that the time of an override is over.
    private func endOverride(from one: String, to other: String) {
        linkTimers.set(nil, between: one, and: other)
        events.post(.link(from: one, to: other, nil))
    }

    /// Adds a receiver to the virtual air, in order with the changes of the profiles, so that no beacon gets the name
    /// meanwhile.
    /// - Throws: as `AirControl.addReceiver`.
    package func addReceiver(
        _ name: String, at position: Position?, label: LabelChange? = nil, _ traits: ReceiverTraits = ReceiverTraits()
    ) async throws(EmulatorError) -> AirReceiver {
        // On a radio without positions at once, also before the beacons are on it.
        _ = try air.positioning()
        return try await inOrder { emulator throws(EmulatorError) in
            let added = try await emulator.air.addReceiver(name, at: position, traits)
            _ = await emulator.setLabel(label?.label, of: name)
            emulator.events.post(
                .receiver(name, .served(server: added.server, position: added.position.map { [$0.x, $0.y, $0.z] })))
            return added
        }
    }

    /// Removes a receiver that was added during the run, and its hosts from the virtual air.
    /// - Throws: as `AirControl.removeReceiver`.
    package func removeReceiver(_ name: String) async throws(EmulatorError) -> AirReceiver {
        let removed = try await air.removeReceiver(name)
        await listeners.remove(name)
        events.post(.receiver(name, .removed))
        _ = roster.setLabel(nil, of: name)
        return removed
    }
}
