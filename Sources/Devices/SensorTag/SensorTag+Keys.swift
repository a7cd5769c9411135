// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import BluetoothCore

extension SensorTag {
    private var isInTestMode: Bool { testConfiguration & 0x80 != 0 }

    /// The keys as a central is told: the one at the side in test mode only.
    var visibleKeys: SensorTagKeys { isInTestMode ? keys : keys.subtracting(.side) }

    /// When the keys may be others by themselves, in uptime.
    func keyChange(after now: Duration) -> Duration? {
        environment[.keys].nextChange(after: now - poweredAt).map { $0 + poweredAt }
    }

    /// Takes the keys as they are now.
    mutating func followKeys(at now: Duration) -> [DeviceEffect] {
        nextKeyChange = keyChange(after: now)
        let pressed = environment.keys(at: now - poweredAt)
        guard pressed != keys else { return [] }
        let wasHeld = keys.contains(.side)
        keys = pressed
        var outputs: [DeviceEffect] = []
        if !pressed.contains(.side) {
            resetAt = nil
        } else if !wasHeld {
            resetAt = now + Self.resetTime
            if !isInTestMode { outputs = pressSideKey(at: now) }
        }
        return outputs + notifyKeys()
    }

    /// Ends the connection, or takes the tag on the air and off again.
    private mutating func pressSideKey(at now: Duration) -> [DeviceEffect] {
        if let central {
            isDiscoverable = true
            return [.disconnect(central)]
        }
        if isDiscoverable {
            isDiscoverable = false
            discoverableEnd = nil
        } else {
            beDiscoverable(at: now)
        }
        return [.advertise(onAir)]
    }

    /// Tells the keys when they are others than before.
    mutating func notifyKeys() -> [DeviceEffect] {
        guard visibleKeys != toldKeys else { return [] }
        toldKeys = visibleKeys
        return notify(SensorTagWire.keys, [toldKeys.rawValue])
    }
}
