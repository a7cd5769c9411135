// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The keys of a SensorTag, with their bits in the key characteristic.
package struct SensorTagKeys: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// S2, which some client apps call the right key.
    package static let left = SensorTagKeys(rawValue: 0x01)
    /// S3.
    package static let right = SensorTagKeys(rawValue: 0x02)
    /// The small key at the side; it is notified in test mode only.
    package static let side = SensorTagKeys(rawValue: 0x04)

    private static let names: [(name: String, key: SensorTagKeys)] = [
        ("left", .left), ("right", .right), ("side", .side),
    ]

    /// Parses `none`, `left`, `left+right` and so on; `nil` for any other text.
    package init?(_ text: some StringProtocol) {
        guard text != "none" else {
            self = []
            return
        }
        var keys: SensorTagKeys = []
        for part in text.split(separator: "+", omittingEmptySubsequences: false) {
            guard let key = Self.names.first(where: { $0.name == part })?.key, keys.insert(key).inserted else {
                return nil
            }
        }
        self = keys
    }
}

extension SensorTagKeys: CustomStringConvertible {
    /// `none`, `left`, `left+right`.
    package var description: String {
        isEmpty ? "none" : Self.names.filter { contains($0.key) }.map(\.name).joined(separator: "+")
    }
}

/// The key inputs of a SensorTag, and its test mode.
///
/// The left and the right key are notified whenever they change. The side key depends on the mode:
///
/// * Normal mode: pressing it ends the connection, or switches advertising on or off. It is not notified.
/// * Test mode (bit 7 of the test configuration): it is notified like the others.
///
/// In both modes, holding it for 3 s resets the tag. A reset and the end of a connection lead back to normal mode.
struct SensorTagKeypad: Hashable, Sendable {
    /// An effect of the keys.
    enum Action: Hashable, Sendable {
        /// The side key was pressed in normal mode.
        case sideKeyPressed
        /// The side key was held for 3 s.
        case reset
        /// The value of the key characteristic changed.
        case notify(SensorTagNotification)
    }

    /// How long the side key must be held for a reset.
    private static let resetTime = Duration.seconds(3)
    /// After a longer delay, as while the machine slept, changes of the keys are skipped.
    private static let maximumDelay = Duration.seconds(10)

    /// Test mode and lights: the value of the test configuration.
    private(set) var testConfiguration: UInt8 = 0
    private var pressed: SensorTagKeys = []
    /// The latest value of the key characteristic.
    private var visible: SensorTagKeys = []
    /// When the keys may change by themselves, in uptime.
    private var nextChange: Duration?
    /// When the side key has been held long enough for a reset, in uptime.
    private var resetDeadline: Duration?

    /// When `advance` is due, in uptime.
    var nextDeadline: Duration? { [nextChange, resetDeadline].compactMap(\.self).min() }

    private var isInTestMode: Bool { testConfiguration & 0x80 != 0 }

    /// Power came on. Keys that are held already do not count as pressed.
    mutating func powerOn(in surroundings: SensorTagSurroundings, at now: Duration) {
        pressed = surroundings.keys(at: now)
        reset(in: surroundings, at: now)
    }

    /// Returns to normal mode. Keys that are held stay pressed, but do not lead to another reset.
    mutating func reset(in surroundings: SensorTagSurroundings, at now: Duration) {
        resetDeadline = nil
        nextChange = surroundings.nextKeyChange(after: now)
        leaveTestMode()
    }

    /// Returns to normal mode without a notification.
    mutating func leaveTestMode() {
        testConfiguration = 0
        visible = pressed.subtracting(.side)
    }

    /// Writes the test configuration. Outside of test mode, the lights cannot be switched.
    mutating func setTestConfiguration(_ value: UInt8) -> [Action] {
        testConfiguration = value & 0x80 == 0 ? 0 : value
        return updateVisible()
    }

    /// Reads the keys from the environment.
    mutating func update(from surroundings: SensorTagSurroundings, at now: Duration) -> [Action] {
        nextChange = surroundings.nextKeyChange(after: now)
        let present = surroundings.keys(at: now)
        guard present != pressed else { return [] }
        let wasHeld = pressed.contains(.side)
        pressed = present
        var actions: [Action] = []
        if !present.contains(.side) {
            resetDeadline = nil
        } else if !wasHeld {
            resetDeadline = now + Self.resetTime
            if !isInTestMode { actions.append(.sideKeyPressed) }
        }
        return actions + updateVisible()
    }

    /// Does what is due.
    mutating func advance(to now: Duration, in surroundings: SensorTagSurroundings) -> [Action] {
        var actions: [Action] = []
        if let deadline = resetDeadline, deadline <= now {
            resetDeadline = nil
            actions.append(.reset)
        }
        if let change = nextChange, change <= now { actions += update(from: surroundings, at: now) }
        return actions
    }

    /// Skips changes that were due long ago.
    mutating func skipBacklog(to now: Duration) {
        if let change = nextChange, now - change > Self.maximumDelay { nextChange = now }
    }

    private mutating func updateVisible() -> [Action] {
        let present = isInTestMode ? pressed : pressed.subtracting(.side)
        guard present != visible else { return [] }
        visible = present
        return [.notify(SensorTagNotification(SensorTagWire.keys, [present.rawValue]))]
    }
}
